package main

import (
	"context"
	"fmt"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/session"
	"gatehouse/shared/user"
)

// The events in the trail. The rare one is among the oldest entries, and the
// absent one is not there.
var (
	usualEvents = []audit.Name{accesstoken.EventCreated, session.EventSignOut, project.EventMemberAdded, user.EventChanged}
	rareEvent   = user.EventAdminGranted
	absentEvent = user.EventAdminRevoked
)

// The number of entries of the rare event, and of the person with few.
const rareEntries, entriesOfFew = 5, 60

func (f *filler) addEntries(ctx context.Context) error {
	return f.each(ctx, "audit entries", f.size.entries, func(ctx context.Context, i int) error {
		return f.WriteEntry(ctx, f.newEntry(i))
	})
}

func (f *filler) newEntry(i int) audit.Entry {
	r := chance("entries", i)
	holder, name := f.other("accounts", i), usualEvents[r.IntN(len(usualEvents))]
	switch {
	case i < rareEntries:
		name = rareEvent
	case i < rareEntries+entriesOfFew:
		holder = f.users[few]
	case i%100 == 0:
		holder = f.users[many]
	}
	at := f.ago(300*day, i, f.size.entries)
	return audit.Entry{
		ID: audit.Start(at)[:16] + fmt.Sprintf("%016x", r.Uint64()), At: at,
		Event: audit.Event{
			Name: name, ActorID: holder.ID, UserID: holder.ID, Outcome: audit.Done,
			Details: audit.Details{"token": fmt.Sprintf("Script %d", i)},
		},
		Source: audit.Source{
			Browser:   audit.Browser{UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Address: "192.0.2.7"},
			RequestID: fmt.Sprintf("%032x", r.Uint64()),
		},
	}
}
