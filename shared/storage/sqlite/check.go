package sqlite

import (
	"context"

	"gatehouse/shared/fault"
)

// exists reports whether a query has a row.
func (tx *transaction) exists(query string, args ...any) (bool, error) {
	return one(context.Background(), tx, scanBool, "SELECT EXISTS ("+query+")", args...)
}

// require returns a fault.NotFound error unless the query has a row.
func (tx *transaction) require(what, query string, args ...any) error {
	found, err := tx.exists(query, args...)
	if err == nil && !found {
		return fault.New(fault.NotFound, what+" not found")
	}
	return err
}

// refuse returns a fault.Conflict error if the query has a row.
func (tx *transaction) refuse(why, query string, args ...any) error {
	found, err := tx.exists(query, args...)
	if found {
		return fault.New(fault.Conflict, why)
	}
	return err
}

// A claim is a name that a new thing wants for itself.
type claim struct {
	field, holder string // holder is a query for who has the name
	args          []any
}

func path(field, fullPath string) claim {
	return claim{field, "SELECT 1 FROM paths WHERE key = ?", []any{key(fullPath)}}
}

// email claims an address for the user with this id, zero for a new one.
func email(address string, userID int64) claim {
	return claim{"email", "SELECT 1 FROM users WHERE email_key = ? AND id <> ?", []any{key(address), userID}}
}

// checkFree complains about every claim to what somebody has already.
func (tx *transaction) checkFree(claims ...claim) error {
	complaints := fault.Fields{}
	for _, c := range claims {
		held, err := tx.exists(c.holder, c.args...)
		if err != nil {
			return err
		}
		if held {
			complaints.Add(c.field, "has already been taken")
		}
	}
	return complaints.Err()
}

// checkVersion returns a fault.Conflict error when the query, which selects
// the version of what is about to change, finds another one, and a
// fault.NotFound error when it finds none.
func (tx *transaction) checkVersion(what, query string, id, version int64) error {
	stored, err := find(context.Background(), tx, what, scanInt64, query, id)
	if err == nil && stored != version {
		return fault.New(fault.Conflict, "the "+what+" was changed in between")
	}
	return err
}
