package user

import (
	"context"
	"strings"
)

// Holds reports whether the text is a part of the user's name, user name or e-mail address,
// in any letter case. It is for administrators: to others it would tell addresses.
func (u User) Holds(part string) bool {
	return holds(part, u.Name, u.Username, u.Email)
}

// Called reports whether the text is a part of the user's name or user name, in any letter
// case.
func (u User) Called(part string) bool { return holds(part, u.Name, u.Username) }

func holds(part string, texts ...string) bool {
	part = strings.ToLower(part)
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), part) {
			return true
		}
	}
	return false
}

// Named returns the user with just this user name, or with this e-mail address. Whoever the
// reader may not see, or not by the address, is the same fault.NotFound error as nobody.
func (r *Rules) Named(ctx context.Context, reader User, login string) (User, error) {
	u, err := r.UserByLogin(ctx, login)
	if err == nil && (!u.ShownTo(reader) || IsAddress(login) && !u.WhollyShownTo(reader)) {
		err = ErrNotFound
	}
	if err != nil {
		return User{}, err
	}
	return u, nil
}

// Has reports whether it is the user's user name or e-mail address.
func (u User) Has(login string) bool {
	return strings.EqualFold(u.Username, login) || strings.EqualFold(u.Email, login)
}

// IsAddress reports whether the text is no user name, and may be an e-mail address.
func IsAddress(login string) bool { return strings.Contains(login, "@") }
