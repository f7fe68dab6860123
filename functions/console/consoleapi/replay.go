package consoleapi

import (
	"context"
	"net/http"
	"strconv"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/site"
)

// replayOffer offers to take a payload that an alert keeps once more.
type replayOffer struct {
	Alert   alert.Alert
	Address string // of the alert
	Newest  bool   // of its repeats
}

// offerReplay puts the offer on the page, for the payload that the form is about.
func (e *editing) offerReplay(ctx context.Context) error {
	kept, err := e.keptBy(ctx, e.form.From)
	if err != nil {
		return err
	}
	e.body.Replay = &replayOffer{kept.Of.Alert, e.alertAddress(kept.Of.IID), kept.Newest}
	return nil
}

// replayed are the notices after a replay.
var replayed = map[alert.Outcome]string{
	alert.Opened: "replay-opened", alert.Repeated: "replay-counted", alert.Acked: "replay-acknowledged", alert.Recovered: "replay-resolved",
}

// replay takes a payload that an alert keeps once more, and leads to the alert that it touched.
func (a *api) replay(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	iid, err := strconv.ParseInt(form.Get("alert"), 10, 64)
	if err != nil {
		return alert.ErrNotFound
	}
	whole, err := a.app.Alerts.WholeAlert(r.Context(), v.Project.ID, iid)
	if err != nil {
		return err
	}
	done, err := a.app.Intake.Replay(r.Context(), v.actor(), v.Project, i, intake.Kept{Of: whole, Newest: form.Get("payload") == "latest"})
	switch {
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.Unprocessable):
		return a.site.Done(w, r, nil, "replay-refused", v.alertAddress(iid))
	case err != nil:
		return err
	case len(done.Alerts) == 0:
		return a.site.Done(w, r, nil, "replay-nothing", v.alertAddress(iid))
	}
	return a.site.Done(w, r, nil, replayed[done.Alerts[0].Outcome], v.alertAddress(done.Alerts[0].IID))
}
