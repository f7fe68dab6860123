package sqlite

import (
	"context"

	"gatehouse/shared/fault"
)

// exists reports whether a query has a row.
func (tx *transaction) exists(query string, args ...any) (bool, error) {
	return one(context.Background(), tx, scalar[bool], "SELECT EXISTS ("+query+")", args...)
}

// refuse returns the error why if the query has a row.
func (tx *transaction) refuse(why error, query string, args ...any) error {
	found, err := tx.exists(query, args...)
	if found {
		return why
	}
	return err
}

// A claim is a name that a new thing needs for itself.
type claim struct {
	field, holder string // holder is a query that finds who has the name
	args          []any
}

func path(field, fullPath string) claim {
	return claim{field, "SELECT 1 FROM paths WHERE key = ?", []any{key(fullPath)}}
}

// email claims an address for the user with this id, zero for a new one.
func email(address string, userID int64) claim {
	return claim{"email", "SELECT 1 FROM users WHERE email_key = ? AND id <> ?", []any{key(address), userID}}
}

// checkFree complains about every claim to a name that is taken.
func (tx *transaction) checkFree(claims ...claim) error {
	complaints := fault.Fields{}
	for _, c := range claims {
		held, err := tx.exists(c.holder, c.args...)
		if err != nil {
			return err
		}
		if held {
			complaints.Add(c.field, fault.Taken)
		}
	}
	return complaints.Err()
}
