package alertsapi

import (
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/secret"
)

// actions are what the paths of Opsgenie's Alert API do, in the words of its webhooks.
var actions = map[string]string{
	"close": "Close", "acknowledge": "Acknowledge", "unacknowledge": "UnAcknowledge", "notes": "AddNote", "tags": "AddTags",
	"details": "AddDetails", "snooze": "Snooze", "escalate": "EscalateNext", "assign": "AssignOwnership", "teams": "AddTeam",
	"responders": "AddResponder", "message": "UpdateMessage", "description": "UpdateDescription", "priority": "UpdatePriority",
}

// parseCall reads a path of another service's API:
//
//	v2/alerts, v2/alerts/<alias>/<action>   Opsgenie's Alert API
//	v2/enqueue                              PagerDuty's Events API v2
//
// An alias may have slashes in it.
func parseCall(segments []string) (intake.Call, bool) {
	last := segments[len(segments)-1]
	switch {
	case len(segments) == 2 && last == "enqueue":
		return intake.Call{Preset: integration.PagerDuty}, true
	case len(segments) < 2 || segments[1] != "alerts":
		return intake.Call{}, false
	case len(segments) == 2:
		return intake.Call{Preset: integration.Opsgenie}, true
	case len(segments) > 3 && actions[last] != "":
		alias := strings.Join(segments[2:len(segments)-1], "/")
		return intake.Call{Preset: integration.Opsgenie, Action: actions[last], Alias: alias}, alias != ""
	}
	return intake.Call{}, false
}

var errIdentifier = fault.New(fault.Invalid, "Alerts are known by their alias alone: identifierType must be alias.")

// checkIdentifier checks that a call names its alert by the alias. Some say id, or nothing,
// and mean it.
func checkIdentifier(r *http.Request) error {
	switch r.URL.Query().Get("identifierType") {
	case "", "alias", "id":
		return nil
	}
	return errIdentifier
}

// requestBody is the answer to a call of Opsgenie's Alert API.
type requestBody struct {
	Result    string  `json:"result"`
	Took      float64 `json:"took"` // seconds
	RequestID string  `json:"requestId"`
}

func newRequestBody(took time.Duration) requestBody {
	id := hex.EncodeToString(secret.Random(16))
	return requestBody{"Request will be processed", took.Seconds(), strings.Join([]string{id[:8], id[8:12], id[12:16], id[16:20], id[20:]}, "-")}
}
