package monitorapi

import (
	"fmt"
	"net/http"

	"gatehouse/shared/alert"
	"gatehouse/shared/auth"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// outcomeBody says what became of one of several alerts.
type outcomeBody struct {
	IID     int64   `json:"iid"`
	OK      bool    `json:"ok"`
	Message *string `json:"message"` // why it was not changed
}

// changeAlerts makes one change of several alerts.
func (a *api) changeAlerts(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	marks, change, err := readAlertChanges(r)
	if err != nil {
		return err
	}
	why, err := a.app.Alerts.ChangeAll(r.Context(), c.Actor(), p, marks, change)
	if err != nil {
		return err
	}
	outcomes := make([]outcomeBody, len(marks))
	for n, m := range marks {
		outcomes[n] = outcomeBody{IID: m.IID, OK: why[n] == nil}
		if why[n] != nil {
			text := web.Message(r, noAlert(why[n]))
			outcomes[n].Message = &text
		}
	}
	return web.JSON(w, http.StatusOK, outcomes)
}

// readAlertChanges reads the numbers of alerts and their change.
func readAlertChanges(r *http.Request) (marks []alert.Mark, c alert.Change, err error) {
	params := web.Params(r)
	params.Require("iids")
	iids := params.OptionalInts("iids")
	if params.Err() == nil && (len(iids) == 0 || len(iids) > alert.MaxChanged) {
		return nil, c, web.BadParameters(fmt.Sprintf("iids must have 1 to %d numbers", alert.MaxChanged))
	}
	for _, iid := range iids {
		marks = append(marks, alert.Mark{IID: iid})
	}
	c, err = readAlertChange(params)
	return marks, c, err
}
