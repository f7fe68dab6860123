package monitorapi

import (
	"net/http"

	"gatehouse/shared/alert"
	"gatehouse/shared/auth"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// replayedBody is what became of a payload that was read again.
type replayedBody struct {
	DryRun       bool            `json:"dry_run"`
	Alerts       []replayedAlert `json:"alerts"`
	SkippedItems int             `json:"skipped_items"`
	IgnoredItems int             `json:"ignored_items"`
	Notes        []string        `json:"notes"`
}

// replayedAlert is an alert that it touched, or would touch.
type replayedAlert struct {
	Outcome alert.Outcome `json:"outcome"`
	IID     *int64        `json:"iid"`
	Title   string        `json:"title"`
}

// replay takes a payload that an alert keeps once more, or says what that would do.
func (a *api) replay(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	params := web.Params(r)
	iid := params.Int("alert_iid")
	newest, dry := orZero(params.OptionalBool("latest_payload")), orZero(params.OptionalBool("dry_run"))
	if err := params.Err(); err != nil {
		return err
	}
	whole, err := a.app.Alerts.WholeAlert(r.Context(), p.ID, iid)
	if err != nil {
		return web.NotFound("Alert", err)
	}
	kept := intake.Kept{Of: whole, Newest: newest}
	var found intake.Replayed
	if dry {
		found, err = a.app.Intake.Foresee(r.Context(), p, i, kept)
	} else {
		found, err = a.app.Intake.Replay(r.Context(), c.Actor(), p, i, kept)
	}
	if err != nil {
		return web.NotFound("Payload", err)
	}
	return web.JSON(w, http.StatusOK, newReplayedBody(found, dry))
}

func newReplayedBody(found intake.Replayed, dry bool) replayedBody {
	body := replayedBody{dry, []replayedAlert{}, found.Skipped, found.Ignored, append([]string{}, found.Notes...)}
	for _, one := range found.Alerts {
		touched := replayedAlert{Outcome: one.Outcome, Title: one.Title}
		if one.IID != 0 {
			touched.IID = &one.IID
		}
		body.Alerts = append(body.Alerts, touched)
	}
	return body
}
