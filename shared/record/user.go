package record

import "strconv"

// The kinds of records that a user has below the instance. They are deleted with the user.
const (
	Notifications Kind = "notifications" // how the user is told
	LastNotice    Kind = "last_notice"   // when the user was told last
	ShiftFeed     Kind = "oncall_feed"   // the calendar of the user's shifts
	Passkeys      Kind = "passkeys"      // all of the user's
	OwnWebhook    Kind = "own_webhook"   // several, which hold slots of the user
)

// OnePerUser are those that have the number of the user. The other one is in the list of
// the user.
var OnePerUser = []Kind{Notifications, LastNotice, ShiftFeed, Passkeys}

// ListOfUser returns the list of what a user has several of.
func ListOfUser(id int64) List { return List{Instance, "user-" + strconv.FormatInt(id, 10)} }

// SlotsOfUser begin the words for the slots of a user.
func SlotsOfUser(id int64) string { return strconv.FormatInt(id, 10) + "/" }
