package main

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/alert"
)

// alertsTogether is the number of alerts that the store is given at once.
const alertsTogether = 50

// titles of alerts; a quarter are about disks.
var titles = []string{"Disk almost full", "Queue is long", "Certificate expires soon", "Requests fail"}

// addAlerts adds those of the busy project. Only a few workers share it, so that
// the alerts come in about the order of their times.
func (f *filler) addAlerts(ctx context.Context) error {
	batches := (f.size.alerts + alertsTogether - 1) / alertsTogether
	what := fmt.Sprintf("batches of %d alerts", alertsTogether)
	return f.eachBy(ctx, 4, what, batches, func(ctx context.Context, batch int) error {
		first := batch * alertsTogether
		return f.addBatch(ctx, first, min(first+alertsTogether, f.size.alerts))
	})
}

// addBatch adds some alerts and ends those that are not open.
func (f *filler) addBatch(ctx context.Context, first, end int) error {
	var fires, recoveries [][]alert.Occurrence
	at := f.ago(90*day, first, f.size.alerts)
	for i := first; i < end; i++ {
		o := newOccurrence(i, at)
		fires = append(fires, []alert.Occurrence{o})
		if !f.open(i) {
			o.Recovery, o.EndedAt = true, at.Add(time.Minute)
			recoveries = append(recoveries, []alert.Occurrence{o})
		}
	}
	recorded, err := f.RecordOccurrences(ctx, f.busy.ID, fires, at)
	if err != nil {
		return err
	}
	if len(recoveries) > 0 {
		if _, err := f.RecordOccurrences(ctx, f.busy.ID, recoveries, at.Add(time.Minute)); err != nil {
			return err
		}
	}
	for i := first; i < end; i++ {
		if f.open(i) {
			if err := f.handle(ctx, i, recorded[i-first][0].IID, at.Add(time.Hour)); err != nil {
				return err
			}
		}
	}
	return nil
}

// open reports whether the i-th alert is open: the newest 60 and the newest
// fiftieth are.
func (f *filler) open(i int) bool { return i >= f.size.alerts-60-f.size.alerts/50 }

// handle acknowledges or ignores some of the open alerts.
func (f *filler) handle(ctx context.Context, i int, iid int64, at time.Time) error {
	status := alert.Triggered
	switch {
	case i%10 == 9:
		status = alert.Ignored
	case i%4 == 0:
		status = alert.Acknowledged
	default:
		return nil
	}
	a, err := f.Alert(ctx, f.busy.ID, iid, at)
	if err == nil {
		_, err = f.ChangeAlert(ctx, a, alert.Change{Status: &status, ActorID: f.users[manager].ID, At: at})
	}
	return err
}

const description = "The data volume is at 93 percent and grows by two percent an hour. Remove old exports, or let the volume grow. " +
	"See the runbook for both. Nobody can write to the database any more when it is full."

func newOccurrence(i int, at time.Time) alert.Occurrence {
	r := chance("alerts", i)
	host := fmt.Sprintf("db-%d.example.com", r.IntN(1000))
	return alert.Occurrence{
		Fingerprint: alert.Fingerprint(fmt.Sprintf("fill-%d", i)), Title: titles[i%len(titles)] + " on " + host, Description: description,
		Severity: alert.Severities[r.IntN(len(alert.Severities))], Service: "database", MonitoringTool: "Prometheus", Hosts: []string{host},
		Runbook: "https://runbooks.example.com/disk", StartedAt: at, Count: 1,
		Payload: fmt.Appendf(nil, `{"title":"%s on %s","description":"%s","hosts":["%[2]s"],"usage":{"percent":93,"mount":"/var/lib"}}`,
			titles[i%len(titles)], host, description),
	}
}
