package letter

import (
	"strings"

	"gatehouse/shared/mail"
)

// sheet is what a mail says, before it has a form.
type sheet struct {
	Heading, Title string
	Facts          []fact
	Text           string
	Items          []item
	More           string // below the items
	Links          []link
	Reason         string
	Settings       string
}

type fact struct{ Name, Value string }

type item struct{ Title, URL, Text string }

// link is one to a web address. The first one of a sheet is what the person most likely
// wants to do.
type link struct{ Name, URL string }

// facts returns those of the names and values that have both.
func facts(pairs ...string) (all []fact) {
	for i := 0; i < len(pairs); i += 2 {
		if value := mail.OneLine(pairs[i+1], maxFact); pairs[i] != "" && value != "" {
			all = append(all, fact{pairs[i], value})
		}
	}
	return all
}

// links returns those of the names and addresses that can be linked to.
func links(pairs ...string) (all []link) {
	for i := 0; i < len(pairs); i += 2 {
		if address := webAddress(pairs[i+1]); address != "" {
			all = append(all, link{pairs[i], address})
		}
	}
	return all
}

// message returns the mail that says this.
func (e Envelope) message(s sheet, subject, thread string) mail.Message {
	s.Heading, s.Title, s.Text = mail.OneLine(s.Heading, maxTitle), mail.OneLine(s.Title, maxFact), paragraphs(s.Text)
	s.Reason, s.Settings = mail.OneLine(e.Reason, maxFact), webAddress(e.Settings)
	return mail.Message{
		From: e.From, To: e.To, At: e.At, ID: e.ID, Thread: thread,
		Subject: mail.OneLine(subject, maxFact), Text: s.text(), HTML: s.html(),
	}
}

// text returns the form of programs that show no HTML. What comes from outside is
// indented, so that it does not look like what Gatehouse says.
func (s sheet) text() string {
	blocks := []string{s.Heading, s.Title}
	var lines []string
	for _, f := range s.Facts {
		lines = append(lines, f.Name+": "+f.Value)
	}
	blocks = append(blocks, strings.Join(lines, "\n"))
	if s.Text != "" {
		blocks = append(blocks, "  "+strings.ReplaceAll(s.Text, "\n", "\n  "))
	}
	for _, i := range s.Items {
		blocks = append(blocks, join("\n  ", "* "+i.Title, i.Text, i.URL))
	}
	blocks = append(blocks, s.More)
	for _, l := range s.Links {
		blocks = append(blocks, l.Name+":\n"+l.URL)
	}
	if foot := join("\n", s.Reason, s.Settings); foot != "" {
		blocks = append(blocks, "-- \n"+foot)
	}
	return join("\n\n", blocks...) + "\n"
}
