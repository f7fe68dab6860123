package alert

// Status is how far people have come with an alert. Any status may follow any
// other.
type Status string

// The statuses. All but Resolved are open: further occurrences are counted on
// the alert.
const (
	Triggered    Status = "triggered"
	Acknowledged Status = "acknowledged"
	Resolved     Status = "resolved"
	Ignored      Status = "ignored"
)

// Statuses lists every status, as people are shown them.
var Statuses = []Status{Triggered, Acknowledged, Resolved, Ignored}
