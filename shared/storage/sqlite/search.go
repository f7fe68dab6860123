package sqlite

import (
	"database/sql/driver"
	"fmt"

	"modernc.org/sqlite"
)

// SQLite's own lower() knows only ASCII letters, and a search must find the same
// things in every store.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("gatehouse_key", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		name, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("gatehouse_key of a %T", args[0])
		}
		return key(name), nil
	})
}
