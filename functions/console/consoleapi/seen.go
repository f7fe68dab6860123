package consoleapi

import (
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/site"
)

// seen returns the version of a thing that the form was shown with; zero: the
// form does not say. What people do on a page that was left open would undo
// what was done since.
func seen(form site.Form) (int64, error) {
	text := form.Get("seen")
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.New(fault.Invalid, "There is no such version.")
	}
	return version, nil
}
