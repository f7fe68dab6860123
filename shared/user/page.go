package user

import (
	"slices"
	"strings"
)

// pages is where the pages of people begin.
const pages = "/users/"

// PagePath is the path of the user's page.
func (u User) PagePath() string { return pages + u.Username }

// ShownTo reports whether the reader may see the user's page.
func (u User) ShownTo(reader User) bool {
	return u.WhollyShownTo(reader) || !u.Blocked() && !u.PrivateProfile
}

// WhollyShownTo reports whether the reader may see more than names there: the e-mail address.
func (u User) WhollyShownTo(reader User) bool { return u.ID == reader.ID || reader.Administers() }

// reserved are the words that follow /users/ in other addresses, now or later. They are no
// user names, because a page of that name could not be reached.
var reserved = []string{
	"auth", "confirmation", "edit", "invitation", "new", "password", "passkey", "passkeys", "sign_in", "sign_out", "sign_up", "two_factor", "unlock",
}

// Reserved reports whether the word, in any letter case, is no user name.
func Reserved(word string) bool { return slices.Contains(reserved, strings.ToLower(word)) }
