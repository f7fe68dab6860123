package user

import "strings"

// Holds reports whether the text is a part of the user's name, user name or e-mail address,
// in any letter case. It is for administrators: to others it would tell addresses.
func (u User) Holds(part string) bool {
	part = strings.ToLower(part)
	for _, text := range []string{u.Name, u.Username, u.Email} {
		if strings.Contains(strings.ToLower(text), part) {
			return true
		}
	}
	return false
}
