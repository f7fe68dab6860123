package text

import (
	"errors"
	"regexp"
	"time"
)

// zoneName matches names that mean the same everywhere: systems have more of their own,
// such as "right/Europe/Berlin" with leap seconds.
var zoneName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)

// localName is Go's name for the zone of the machine.
const localName = "Local"

var errZone = errors.New("is not a time zone of the IANA database, such as Europe/Berlin")

// Zone returns the time zone with this name of the IANA database. The error is a complaint
// about the name.
func Zone(name string) (*time.Location, error) {
	if !zoneName.MatchString(name) || name == localName {
		return nil, errZone
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, errZone
	}
	return location, nil
}
