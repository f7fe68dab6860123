package runner

import (
	"crypto/subtle"
	"strconv"
	"strings"

	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

// The prefixes of tokens. What follows leads to what the store keeps: the place, the id
// of the runner, and at last the secret itself, of which the store has the digest.
const (
	registrationPrefix = "gtrr-" // gtrr-p5-<secret>
	runnerPrefix       = "gtrt-" // gtrt-p5-12-<secret>
)

// secretSize is the length of a secret in bytes.
const secretSize = 20

// letters stand for the kinds of places.
var letters = map[project.Kind]string{"": "i", project.InGroup: "g", project.InProject: "p"}

func placeText(at project.Place) string {
	return letters[at.Kind] + strconv.FormatInt(at.ID, 10)
}

func parsePlace(text string) (at project.Place, ok bool) {
	for kind, letter := range letters {
		if digits, is := strings.CutPrefix(text, letter); is {
			at = project.Place{Kind: kind, ID: parseID(digits)}
			return at, at == record.Instance && text == placeText(at) || kind != "" && at.ID > 0
		}
	}
	return at, false
}

// parseID returns 0 for what is no id.
func parseID(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func registrationToken(at project.Place, own secret.Text) secret.Text {
	return secret.NewText(registrationPrefix + placeText(at) + "-" + own.Reveal())
}

func parseRegistrationToken(token secret.Text) (at project.Place, own secret.Text, ok bool) {
	rest, ok := strings.CutPrefix(token.Reveal(), registrationPrefix)
	place, text, cut := strings.Cut(rest, "-")
	at, known := parsePlace(place)
	return at, secret.NewText(text), ok && cut && known
}

func runnerToken(s Stored, own secret.Text) secret.Text {
	id := strconv.FormatInt(s.ID, 10)
	return secret.NewText(runnerPrefix + placeText(s.Place) + "-" + id + "-" + own.Reveal())
}

func parseRunnerToken(token secret.Text) (at project.Place, id int64, own secret.Text, ok bool) {
	rest, ok := strings.CutPrefix(token.Reveal(), runnerPrefix)
	words := strings.SplitN(rest, "-", 3)
	if !ok || len(words) < 3 {
		return at, 0, own, false
	}
	at, known := parsePlace(words[0])
	id = parseID(words[1])
	return at, id, secret.NewText(words[2]), known && id > 0
}

// matches reports in constant time whether the text is the digest of the secret.
func matches(digest string, own secret.Text) bool {
	return subtle.ConstantTimeCompare([]byte(digest), []byte(own.Digest().String())) == 1
}

// registration is what allows to register runners of a place. It is stored with the
// number 0.
type registration struct {
	Token  string `json:"token"`   // the digest of its secret
	UserID int64  `json:"user_id"` // who made it
}

var registrations = record.Of[registration]{Kind: "runner_registration"}
