package consoleapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"gatehouse/shared/alert"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// nextAfter is the parameter of the list's address that leads to the next open alert after
// the one with that number.
const nextAfter = "next"

// nextAlert returns the address of the next open alert in the list.
func (v visit) nextAlert(q alertQuery, iid int64) string {
	values := q.values()
	values.Set(nextAfter, strconv.FormatInt(iid, 10))
	return v.Address() + alertsTab + "?" + values.Encode()
}

// toNextAlert leads to the next alert in the order of the list that nobody has acknowledged,
// else to the next that is acknowledged, else back to the list.
func (a *api) toNextAlert(w http.ResponseWriter, r *http.Request, v visit) error {
	query, wanted, err := a.wantedAlerts(r, v)
	if err != nil {
		return err
	}
	iid, _ := strconv.ParseInt(r.URL.Query().Get(nextAfter), 10, 64) // without a number it is the first
	listed := wanted.Statuses
	for _, status := range openStatuses {
		if len(listed) > 0 && !slices.Contains(listed, status) {
			continue
		}
		wanted.Statuses = []alert.Status{status}
		next, err := a.app.Alerts.Next(r.Context(), v.Project.ID, iid, wanted)
		if err != nil {
			return err
		}
		if next != 0 {
			return site.Redirect(w, r, v.alertAddress(next)+query.address())
		}
	}
	return a.site.Done(w, r, nil, "alerts-none-open", v.Address()+alertsTab+query.address())
}

// countAlerts answers with the numbers of alerts of each status, for the script of the list.
// It reads no list.
func (a *api) countAlerts(w http.ResponseWriter, r *http.Request, v visit) error {
	query, err := readAlertQuery(r)
	if err != nil {
		return err
	}
	counts, err := a.app.Alerts.StatusCounts(r.Context(), v.Project.ID, query.alerts().Severities)
	if err != nil {
		return err
	}
	numbers := map[string]int{}
	for _, tab := range query.tabs("", counts) {
		if tab.Counted {
			numbers[cmp.Or(tab.Status, "open")] = tab.Count
		}
	}
	return web.JSON(w, http.StatusOK, numbers)
}
