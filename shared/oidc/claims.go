package oidc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// Claims describe a user. They are written in this order.
type Claims []Claim

// Claim is one claim. It is left out if its value is nil, an empty text or an
// empty list.
type Claim struct {
	Name  string
	Value any
}

// MarshalJSON writes the claims as one object.
func (cs Claims) MarshalJSON() ([]byte, error) {
	var object bytes.Buffer
	separator := byte('{')
	for _, c := range cs {
		if c.blank() {
			continue
		}
		value, err := json.Marshal(c.Value)
		if err != nil {
			return nil, err
		}
		object.WriteByte(separator)
		object.WriteString(strconv.Quote(c.Name) + ":")
		object.Write(value)
		separator = ','
	}
	if object.Len() == 0 {
		return []byte("{}"), nil
	}
	object.WriteByte('}')
	return object.Bytes(), nil
}

func (c Claim) blank() bool {
	switch v := c.Value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []string:
		return len(v) == 0
	}
	return false
}

// ifTrue is the value of a claim that is left out unless it is true.
func ifTrue(is bool) any {
	if !is {
		return nil
	}
	return true
}

// paths returns the full paths of the groups in which the user has one of these
// roles, or any role if there are none, in their order.
func paths(joined project.Joined, roles ...project.Role) []string {
	var all []string
	for _, g := range joined.Groups {
		if len(roles) == 0 || slices.Contains(roles, g.Role) {
			all = append(all, g.FullPath)
		}
	}
	slices.Sort(all)
	return all
}

// subject is the user's permanent name.
func subject(u user.User) Claim { return Claim{"sub", strconv.FormatInt(u.ID, 10)} }

// legacySubject is the name by which clients knew the user before sub.
func (r ring) legacySubject(u user.User) Claim {
	id := strconv.FormatInt(u.ID, 10)
	sum := sha256.Sum256([]byte(id + "-" + hex.EncodeToString(r.subjects)))
	return Claim{"sub_legacy", hex.EncodeToString(sum[:])}
}

// nameClaims returns the user's names for clients that asked for the profile.
func nameClaims(u user.User, scopes scope.Set) Claims {
	if !scopes.Has(scope.Profile) {
		return nil
	}
	return Claims{{"name", u.Name}, {"preferred_username", u.Username}}
}

// emailClaims returns the address for clients that may know it.
func emailClaims(u user.User, scopes scope.Set) Claims {
	if !scopes.Has(scope.Email) || u.Email == "" {
		return nil
	}
	return Claims{{"email", u.Email}, {"email_verified", !u.ConfirmedAt.IsZero()}}
}
