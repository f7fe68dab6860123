package letter_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/mail"
	"gatehouse/shared/mail/letter"
)

var (
	started  = time.Date(2026, 11, 22, 2, 30, 0, 0, time.UTC)
	envelope = letter.Envelope{
		From: mail.Address{Email: "gatehouse@example.com"}, To: mail.Address{Email: "ada@example.com"}, At: started, ID: "1@example.com",
		Reason: "You are on call in Web team.", Settings: "https://id.example/user_settings/notifications",
	}
	disk = letter.Alert{
		IID: 17, Title: "Disk full", Severity: "critical", Project: "acme/web", Service: "db", Description: "Only 1 % left.\nOn /var.",
		Runbook: "https://wiki.example/disk", StartedAt: started, URL: "https://id.example/console/acme/web/alerts/17",
	}
)

const foot = `
-- 
You are on call in Web team.
https://id.example/user_settings/notifications
`

// wantLetter checks a letter's subject, thread and text, and that the HTML says the same
// and is well-formed.
func wantLetter(t *testing.T, got mail.Message, subject, thread, text string) {
	t.Helper()
	if got.Subject != subject || got.Thread != thread || got.ID != envelope.ID || got.To != envelope.To || got.From != envelope.From || !got.At.Equal(envelope.At) {
		t.Errorf("the mail is %q in the thread %q, want %q in %q", got.Subject, got.Thread, subject, thread)
	}
	if diff := cmp.Diff(text, got.Text); diff != "" {
		t.Errorf("the text differs (-want +got):\n%s", diff)
	}
	shown := visible(t, got.HTML)
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, "*:"); word != "--" && !strings.Contains(shown, word) {
			t.Errorf("the HTML lacks %q: %s", word, shown)
		}
	}
	if _, err := got.Encode(); err != nil {
		t.Error(err)
	}
}

// visible returns the texts and the addresses of links in HTML, which has no elements but
// those of the form.
func visible(t *testing.T, html string) string {
	t.Helper()
	var shown strings.Builder
	known := strings.Fields("html head meta title body div p strong h1 a table tr th td ul li br")
	decoder := xml.NewDecoder(strings.NewReader(html))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return shown.String()
		}
		if err != nil {
			t.Fatalf("the HTML cannot be read: %v\n%s", err, html)
		}
		switch x := token.(type) {
		case xml.CharData:
			shown.Write(x)
		case xml.StartElement:
			if !strings.Contains(" "+strings.Join(known, " ")+" ", " "+x.Name.Local+" ") {
				t.Errorf("the HTML has the element %s", x.Name.Local)
			}
			for _, a := range x.Attr {
				switch a.Name.Local {
				case "href":
					if !strings.HasPrefix(a.Value, "https://") && !strings.HasPrefix(a.Value, "http://") {
						t.Errorf("the HTML links to %q", a.Value)
					}
					shown.WriteString(" " + a.Value + " ")
				case "lang", "charset", "name", "content", "style":
				default:
					t.Errorf("the HTML has the attribute %s", a.Name.Local)
				}
			}
		}
	}
}

func TestAlertThatOpens(t *testing.T) {
	got := letter.ForAlert(envelope, letter.AlertNotice{
		Alert: disk, Event: letter.Opened, Acknowledge: "https://id.example/a/secret", Thread: "2@example.com",
	})
	wantLetter(t, got, "[acme/web] Critical: Disk full (#17)", "2@example.com", `Alert opened

Disk full (#17)

Project: acme/web
Severity: critical
Service: db
Started: Sun 22 Nov 2026 02:30 UTC

  Only 1 % left.
  On /var.

Acknowledge:
https://id.example/a/secret

Show the alert:
https://id.example/console/acme/web/alerts/17

Runbook:
https://wiki.example/disk
`+foot)
}

// What follows has the same subject but for a graver severity, so that programs show it in the same thread.
func TestWhatFollowsOnAnAlert(t *testing.T) {
	tests := map[letter.Event]string{
		letter.Triggered: "Alert triggered again by Ben", letter.Acknowledged: "Alert acknowledged by Ben", letter.Resolved: "Alert resolved by Ben",
		letter.Ignored: "Alert ignored by Ben", letter.Assigned: "Alert assigned to you by Ben", letter.Graver: "Alert graver now by Ben",
	}
	for event, want := range tests {
		got := letter.ForAlert(envelope, letter.AlertNotice{Alert: disk, Event: event, By: "Ben", Peak: "critical", Thread: "2@example.com"})
		first, _, _ := strings.Cut(got.Text, "\n")
		if first != want || got.Subject != "Re: [acme/web] Critical: Disk full (#17)" || strings.Contains(got.Text, "Acknowledge:") {
			t.Errorf("%s is %q with %q", event, got.Subject, got.Text)
		}
	}
	graver := disk
	graver.Severity = "low"
	got := letter.ForAlert(envelope, letter.AlertNotice{Alert: graver, Event: letter.Graver, Peak: "critical"})
	if !strings.Contains(got.Text, "Severity: low, now critical\n") || got.Subject != "Re: [acme/web] Critical: Disk full (#17)" {
		t.Errorf("a graver alert is %q with %s", got.Subject, got.Text)
	}
}

func TestLittleIsKnown(t *testing.T) {
	e := envelope
	e.Reason, e.Settings = "", ""
	got := letter.ForAlert(e, letter.AlertNotice{Alert: letter.Alert{IID: 1, Project: "acme/web"}, Event: letter.Opened})
	wantLetter(t, got, "[acme/web] Untitled (#1)", "", "Alert opened\n\nUntitled (#1)\n\nProject: acme/web\n")
}

func TestTimesAreInTheZoneOfThePerson(t *testing.T) {
	e := envelope
	e.Zone = time.FixedZone("CET", 3600)
	if got := letter.ForAlert(e, letter.AlertNotice{Alert: disk}); !strings.Contains(got.Text, "Started: Sun 22 Nov 2026 03:30 CET\n") {
		t.Errorf("the text is %s", got.Text)
	}
}

func TestSummary(t *testing.T) {
	got := letter.ForSummary(envelope, letter.Summary{Alerts: []letter.Alert{disk, {IID: 18, Title: "CPU", Project: "acme/api"}}, Total: 2, URL: "https://id.example/console"})
	wantLetter(t, got, "2 alerts", "", `2 alerts for you

* Disk full (#17)
  acme/web, critical, Sun 22 Nov 2026 02:30 UTC
  https://id.example/console/acme/web/alerts/17

* CPU (#18)
  acme/api

Show the alerts:
https://id.example/console
`+foot)
	for total, more := range map[int]string{0: "and 5 more", 25: "and 5 more", 10_000: "and 9980 more"} {
		got := letter.ForSummary(envelope, letter.Summary{Alerts: make([]letter.Alert, 25), Total: total})
		if strings.Count(got.Text, "* ") != 20 || strings.Count(got.HTML, "<li") != 20 || !strings.Contains(got.Text, more) || !strings.Contains(got.HTML, more) {
			t.Errorf("a summary of %d is %s", total, got.Text)
		}
	}
	one := letter.ForSummary(envelope, letter.Summary{Alerts: []letter.Alert{disk}})
	if one.Subject != "1 alert" || strings.Contains(one.Text, "more") {
		t.Errorf("a summary of one is %q %s", one.Subject, one.Text)
	}
}

func TestSummaryWithShifts(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	shifts := []letter.ShiftNotice{
		{Shift: letter.ShiftEnds, Schedule: "Night", Project: "acme/web", Until: disk.StartedAt, URL: "https://id.example/oncall", Zone: berlin},
		{Shift: letter.ShiftChanged, Schedule: "Day", Project: "acme/web"},
	}
	got := letter.ForSummary(envelope, letter.Summary{Shifts: shifts, Alerts: []letter.Alert{disk}, URL: "https://id.example/console"})
	wantLetter(t, got, "1 alert and your shifts", "", `1 alert and your shifts

* You are no longer on call: Night
  acme/web, Sun 22 Nov 2026 03:30 CET
  https://id.example/oncall

* Your shifts on call have changed: Day
  acme/web

* Disk full (#17)
  acme/web, critical, Sun 22 Nov 2026 02:30 UTC
  https://id.example/console/acme/web/alerts/17

Show the alerts:
https://id.example/console
`+foot)
	if alone := letter.ForSummary(envelope, letter.Summary{Shifts: shifts, URL: "https://id.example/console"}); alone.Subject != "Your shifts on call" || strings.Contains(alone.Text, "Show the alerts") {
		t.Errorf("a summary of shifts is %q %s", alone.Subject, alone.Text)
	}
	many := letter.ForSummary(envelope, letter.Summary{Shifts: shifts, Alerts: make([]letter.Alert, 25), Total: 30})
	if strings.Count(many.Text, "* ") != letter.MaxListed || !strings.Contains(many.Text, "and 12 more") {
		t.Errorf("a summary of many is %s", many.Text)
	}
}

func TestIncident(t *testing.T) {
	got := letter.ForIncident(envelope, letter.IncidentNotice{
		IID: 4, Title: "Shop is down", Severity: "high", Project: "acme/web", Event: letter.Noted, By: "Ben", Note: "Looking at it.", StartedAt: started,
		URL: "https://id.example/console/acme/web/incidents/4", Thread: "3@example.com",
	})
	wantLetter(t, got, "Re: Incident: [acme/web] High: Shop is down (#4)", "3@example.com", `Incident noted on by Ben

Shop is down (#4)

Project: acme/web
Severity: high
Started: Sun 22 Nov 2026 02:30 UTC

  Looking at it.

Show the incident:
https://id.example/console/acme/web/incidents/4
`+foot)
}

func TestShift(t *testing.T) {
	n := letter.ShiftNotice{
		Shift: letter.ShiftBegins, Schedule: "Nights", Project: "acme/web", From: started, Until: started.Add(12 * time.Hour), Next: "Ben",
		URL: "https://id.example/console/acme/web/oncall",
	}
	wantLetter(t, letter.ForShift(envelope, n), "[acme/web] You are on call now: Nights", "", `You are on call now

Nights

Project: acme/web
From: Sun 22 Nov 2026 02:30 UTC
Until: Sun 22 Nov 2026 14:30 UTC
Before you: Ben

Show the schedule:
https://id.example/console/acme/web/oncall
`+foot)
	n.Shift = letter.ShiftEnds
	if got := letter.ForShift(envelope, n); !strings.Contains(got.Text, "After you: Ben\n") || got.Subject != "[acme/web] You are no longer on call: Nights" {
		t.Errorf("the end of a shift is %q %s", got.Subject, got.Text)
	}
	n.Shift, n.By = letter.ShiftChanged, "Eve"
	if got := letter.ForShift(envelope, n); strings.Contains(got.Text, "Ben") || !strings.Contains(got.Text, "Changed by: Eve\n") {
		t.Errorf("a changed shift is %s", got.Text)
	}
}

func TestTestMail(t *testing.T) {
	wantLetter(t, letter.ForTest(envelope), "Test of your notifications", "", "Mails from Gatehouse reach you\n\n  This is the test that you asked for. There is nothing to do.\n"+foot)
}

// Whatever a monitoring tool sends is shown as text: it makes no header, no element, no
// link to anything but the web, and no line that looks like one of Gatehouse's.
func TestAttacks(t *testing.T) {
	for _, evil := range []string{
		"x\r\nBcc: eve@example.com", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "<b>x", "javascript:alert(1)", "</td></table><a href=https://evil.example>Acknowledge</a>",
		"x\nAcknowledge:\nhttps://evil.example", "\x00\x1b[31m\u202e", strings.Repeat("x", 100_000), strings.Repeat("🚨", 10_000), "data:text/html,<script>", "{{.Links}}", "\xff\xfe",
		"https://user:pw@evil.example/\"onclick=\"x", "https://evil.example/\r\nX: y",
	} {
		a := letter.Alert{IID: 1, Title: evil, Severity: "low", Project: evil, Service: evil, Description: evil, Runbook: evil, URL: evil}
		e := envelope
		e.Reason, e.Settings = evil, evil
		for name, got := range map[string]mail.Message{
			"alert":    letter.ForAlert(e, letter.AlertNotice{Alert: a, Event: letter.Opened, By: evil, Peak: evil, Acknowledge: evil}),
			"summary":  letter.ForSummary(e, letter.Summary{Alerts: []letter.Alert{a}, URL: evil}),
			"incident": letter.ForIncident(e, letter.IncidentNotice{Title: evil, Severity: "low", Project: evil, By: evil, Note: evil, URL: evil, Acknowledge: evil}),
			"shift":    letter.ForShift(e, letter.ShiftNotice{Shift: letter.ShiftChanged, Schedule: evil, Project: evil, By: evil, Next: evil, URL: evil}),
		} {
			visible(t, got.HTML)
			if encoded, err := got.Encode(); err != nil || len(encoded) > 200_000 {
				t.Errorf("%s with %.40q has %d bytes, %v", name, evil, len(encoded), err)
			}
			if len([]rune(got.Subject)) > 300 || strings.ContainsAny(got.Subject+got.Text, "\r\x00\x1b\u202e") || strings.Contains(got.Text, "\nAcknowledge:\nhttps://evil.example") {
				t.Errorf("%s with %.40q is %.100q with %.300q", name, evil, got.Subject, got.Text)
			}
		}
	}
}

// A long title does not take the number away, by which people find the alert.
func TestLongTitleKeepsItsNumber(t *testing.T) {
	a := disk
	a.Title, a.Project = strings.Repeat("long ", 100), strings.Repeat("p", 200)
	got := letter.ForAlert(envelope, letter.AlertNotice{Alert: a, Event: letter.Resolved})
	if !strings.HasSuffix(got.Subject, "… (#17)") {
		t.Errorf("the subject is %s", got.Subject)
	}
	encoded, err := got.Encode()
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(encoded), "\r\nDate: ")
	if !strings.Contains(header, "(#17)") {
		t.Errorf("the header is %s", header)
	}
}
