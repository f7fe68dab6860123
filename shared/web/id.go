package web

import (
	"net/http"
	"strconv"

	"gatehouse/shared/fault"
)

// PathID returns the id in a segment of the path. Nothing has an id that is
// not a positive integer, so such a one is a fault.NotFound error.
func PathID(r *http.Request, name string) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil || id <= 0 {
		return 0, fault.New(fault.NotFound, name+" is not an id")
	}
	return id, nil
}
