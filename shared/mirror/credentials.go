package mirror

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

// Credentials are what the other side asks for. Both may be empty.
type Credentials struct{ User, Password secret.Text }

func credentialsOf(u *url.Userinfo) Credentials {
	password, _ := u.Password()
	return Credentials{secret.NewText(u.Username()), secret.NewText(password)}
}

func (c Credentials) empty() bool { return c.User.Empty() && c.Password.Empty() }

// stars are shown in the place of a secret.
const stars = "*****"

// mask returns what is shown in the place of the credentials in a URL.
func (c Credentials) mask() (shown string) {
	if !c.User.Empty() {
		shown = stars
	}
	if !c.Password.Empty() {
		shown += ":" + stars
	}
	return shown
}

// masked reports whether these are no credentials, but shown in their place.
func (c Credentials) masked() bool { return c.User.Reveal() == stars || c.Password.Reveal() == stars }

// The longest user name and password, in bytes.
const maxUser, maxPassword = 255, 1024

// check adds complaints about the credentials.
func (c Credentials) check(complaints fault.Fields) {
	complaints.Add("auth_user", checkSecret(c.User, maxUser))
	complaints.Add("auth_password", checkSecret(c.Password, maxPassword))
}

func checkSecret(text secret.Text, most int) string {
	switch {
	case len(text.Reveal()) > most:
		return "is too long (maximum is " + strconv.Itoa(most) + " bytes)"
	case strings.ContainsFunc(text.Reveal(), unicode.IsControl): // would be read as another line by Git
		return "has control characters"
	}
	return ""
}

// vault seals credentials for the store.
type vault struct{ box secret.Box }

// label names the project that sealed credentials belong to by its full path, which a
// project has before it has an id, and keeps.
func label(fullPath string) string { return "mirror of " + fullPath }

// sealed is what is encrypted.
type sealed struct{ User, Password string }

// seal returns what the store keeps, "" for no credentials.
func (v vault) seal(c Credentials, fullPath string) (string, error) {
	if c.empty() {
		return "", nil
	}
	text, err := record.Encode(sealed{c.User.Reveal(), c.Password.Reveal()})
	if err != nil {
		return "", fmt.Errorf("encode a mirror's credentials: %w", err)
	}
	return base64.StdEncoding.EncodeToString(v.box.Seal(text, label(fullPath))), nil
}

// open returns the credentials. The error is secret.ErrSealed if the instance has lost
// the key that sealed them.
func (v vault) open(stored, fullPath string) (Credentials, error) {
	if stored == "" {
		return Credentials{}, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(stored)
	if err != nil {
		return Credentials{}, fmt.Errorf("read a mirror's credentials: %w", err)
	}
	text, _, err := v.box.Open(decoded, label(fullPath))
	if err != nil {
		return Credentials{}, fmt.Errorf("open a mirror's credentials: %w", err)
	}
	var c sealed
	if err := json.Unmarshal(text, &c); err != nil {
		return Credentials{}, fmt.Errorf("read a mirror's credentials: %w", err)
	}
	return Credentials{secret.NewText(c.User), secret.NewText(c.Password)}, nil
}

// allAnew does what anew does, and leaves out what does not open. It reports whether the
// result differs.
func (v vault) allAnew(stored []string, fullPath string) (all []string, changed bool, err error) {
	for _, one := range stored {
		fresh, err := v.anew(one, fullPath)
		switch {
		case errors.Is(err, secret.ErrSealed):
			changed = true
			continue
		case err != nil:
			return nil, false, err
		case fresh != "":
			one, changed = fresh, true
		}
		all = append(all, one)
	}
	return all, changed, nil
}

// anew seals the credentials again under the current key. It returns "" if there are
// none, or if that key sealed them. The error is secret.ErrSealed.
func (v vault) anew(stored, fullPath string) (string, error) {
	decoded, err := base64.StdEncoding.DecodeString(stored)
	if err != nil || stored == "" {
		return "", err
	}
	fresh, err := v.box.Anew(decoded, label(fullPath))
	return base64.StdEncoding.EncodeToString(fresh), err
}
