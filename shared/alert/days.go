package alert

import (
	"context"
	"time"

	"gatehouse/shared/page"
)

// Day counts the alerts that were opened on one day.
type Day struct {
	Date  time.Time // midnight in UTC
	Total int
	Grave int // critical or high
}

const dayLength = 24 * time.Hour

// Days counts the alerts of the last n days in UTC, today included, the oldest
// day first. More reports whether there were more than page.CountLimit alerts;
// then only the newest are counted.
func (r *Rules) Days(ctx context.Context, projectID int64, n int) (days []Day, more bool, err error) {
	today := r.now().UTC().Truncate(dayLength)
	first := today.AddDate(0, 0, 1-n)
	alerts, more, err := r.RecentAlerts(ctx, projectID, Filter{Since: first}, page.CountLimit)
	if err != nil {
		return nil, false, err
	}
	for day := first; !day.After(today); day = day.Add(dayLength) {
		days = append(days, Day{Date: day})
	}
	for _, a := range alerts {
		// Another function's clock may be ahead, and have opened it tomorrow.
		i := min(int(a.CreatedAt.Sub(first)/dayLength), len(days)-1)
		days[i].Total++
		if a.Severity == SeverityCritical || a.Severity == SeverityHigh {
			days[i].Grave++
		}
	}
	return days, more, nil
}
