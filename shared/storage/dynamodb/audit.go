package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/audit"
)

// The lists that an entry is in. Those of everybody have a partition for each month
// (UTC), so that no partition grows forever.
var (
	auditOfMonth        = shape{tokens, "AUDIT#<month>", "AUDIT#<id>", "an audit entry among those of the month", "a year"}
	auditOfEvent        = shape{tokens, "AUDIT#<month>#<event>", "AUDIT#<id>", "an audit entry among those of the event", "a year"}
	auditOfUser         = shape{tokens, "USER#<id>", "AUDIT#<id>", "an audit entry among those of the user", "a year"}
	auditOfUserAndEvent = shape{tokens, "USER#<id>", "AUDIT#<event>#<id>", "an audit entry among those of the user and event", "a year"}
	auditOfProject      = shape{tokens, "AUDIT#PROJECT#<id>", "AUDIT#<id>", "an audit entry among those of the project", "a year"}
)

// listsOf returns the entry's key in each of its lists.
func listsOf(e audit.Entry) []key {
	month, name := monthOf(e.At), string(e.Name)
	lists := []key{
		auditOfMonth.key(month, e.ID), auditOfEvent.key(month, name, e.ID),
		auditOfUser.key(e.UserID, e.ID), auditOfUserAndEvent.key(e.UserID, name, e.ID),
	}
	if e.ProjectID != 0 {
		lists = append(lists, auditOfProject.key(e.ProjectID, e.ID))
	}
	return lists
}

// monthOf names the month of a time.
func monthOf(at time.Time) string { return at.UTC().Format("2006-01") }

func entryFields(e *audit.Entry, details *[]string) fields {
	return fields{
		{"id", &e.ID}, {"at", &e.At}, {"name", (*string)(&e.Name)}, {"actor_id", &e.ActorID},
		{"user_id", &e.UserID}, {"project_id", &e.ProjectID}, {"details", details},
		{"outcome", (*string)(&e.Outcome)}, {"reason", &e.Reason},
		{"user_agent", &e.Browser.UserAgent}, {"address", &e.Browser.Address}, {"request_id", &e.RequestID},
	}
}

func readEntry(it item) (e audit.Entry, err error) {
	var details []string
	if err := entryFields(&e, &details).read(it); err != nil {
		return audit.Entry{}, fmt.Errorf("read stored audit entry: %w", err)
	}
	e.Details = audit.DetailsOf(details)
	return e, nil
}

// WriteEntry stores the entry in each of its lists.
func (s *Store) WriteEntry(ctx context.Context, e audit.Entry) error {
	details := e.Details.Pairs()
	entry := entryFields(&e, &details).until(e.ExpiresAt())
	err := inParallel(ctx, listsOf(e), func(ctx context.Context, k key) error {
		return s.write(ctx, replace(k, entry))
	})
	if err != nil {
		return fmt.Errorf("write audit entry: %w", err)
	}
	return nil
}

// Entries returns the entries that pass the filter.
func (s *Store) Entries(ctx context.Context, f audit.Filter) (found audit.Page, err error) {
	switch {
	case f.ProjectID != 0:
		found, err = s.entriesOfProject(ctx, f)
	case f.Everybody:
		found, err = s.everybodysEntries(ctx, f)
	case f.Name == "":
		found, err = s.entriesOfList(ctx, auditOfUser.key(f.UserID), f)
	default:
		found, err = s.entriesOfList(ctx, auditOfUserAndEvent.key(f.UserID, string(f.Name)), f)
	}
	if err != nil {
		return audit.Page{}, fmt.Errorf("list audit entries: %w", err)
	}
	return found, nil
}

func (s *Store) entriesOfList(ctx context.Context, list key, f audit.Filter) (audit.Page, error) {
	found, err := s.newestEntries(ctx, list, f, f.Size+1)
	return audit.Cut(found, f.Size), err
}

// newestEntries returns the first n entries of the list that the filter selects by
// time.
func (s *Store) newestEntries(ctx context.Context, list key, f audit.Filter, n int) (found []audit.Entry, err error) {
	low, high := f.Bounds()
	const before = 1 // the entry with f.Before is read too
	err = s.between(ctx, list, low, high, n+before, func(it item) (bool, error) {
		e, err := readEntry(it)
		if err == nil && e.ID != f.Before {
			found = append(found, e)
		}
		return len(found) < n, err
	})
	return found, err
}

// everybodysEntries reads the months, the newest first. A quiet event takes three
// rounds of requests: to one month, to four, and to the rest of the year.
func (s *Store) everybodysEntries(ctx context.Context, f audit.Filter) (audit.Page, error) {
	var found []audit.Entry
	months := monthsOf(f)
	for _, together := range []int{1, 4, len(months)} {
		together = min(together, len(months))
		next, err := s.entriesOfMonths(ctx, months[:together], f, f.Size+1-len(found))
		if err != nil {
			return audit.Page{}, err
		}
		found, months = append(found, next...), months[together:]
		if len(found) > f.Size {
			break
		}
	}
	return audit.Cut(found, f.Size), nil
}

// monthsOf returns the months that the filter selects from, the newest first.
func monthsOf(f audit.Filter) (months []string) {
	last := f.Until
	if f.Before != "" && audit.TimeOf(f.Before).Before(last) {
		last = audit.TimeOf(f.Before)
	}
	last = last.UTC()
	month := time.Date(last.Year(), last.Month(), 1, 0, 0, 0, 0, time.UTC)
	for ; monthOf(month) >= monthOf(f.From); month = month.AddDate(0, -1, 0) {
		months = append(months, monthOf(month))
	}
	return months
}

// entriesOfMonths returns the first n entries of these months.
func (s *Store) entriesOfMonths(ctx context.Context, months []string, f audit.Filter, n int) ([]audit.Entry, error) {
	found := make([][]audit.Entry, len(months))
	var reads []func(context.Context) error
	for i, month := range months {
		list := auditOfMonth.key(month)
		if f.Name != "" {
			list = auditOfEvent.key(month, string(f.Name))
		}
		reads = append(reads, func(ctx context.Context) (err error) {
			found[i], err = s.newestEntries(ctx, list, f, n)
			return err
		})
	}
	err := callAll(ctx, reads...)
	all := slices.Concat(found...)
	return all[:min(n, len(all))], err
}

// maxLooked is how many entries of a project a page looks at for those of an
// event. People change a project far too seldom for a list of its own.
const maxLooked = 500

func (s *Store) entriesOfProject(ctx context.Context, f audit.Filter) (audit.Page, error) {
	list := auditOfProject.key(f.ProjectID)
	if f.Name == "" {
		return s.entriesOfList(ctx, list, f)
	}
	looked, err := s.newestEntries(ctx, list, f, maxLooked)
	named := slices.DeleteFunc(slices.Clone(looked), func(e audit.Entry) bool { return e.Name != f.Name })
	found := audit.Cut(named, f.Size)
	if found.Next == "" && len(looked) == maxLooked {
		found.Next = looked[maxLooked-1].ID
	}
	return found, err
}

// auditOfDay is where releases before listed the entries of everybody.
var auditOfDay = shape{tokens, "AUDIT#<day>", "AUDIT#<id>", "an audit entry of a release before", "a year"}

// ListAuditAnew adds the entries that releases before wrote to the lists that they
// did not have: those of months and events. It can be repeated, and run beside
// functions that write entries.
func (s *Store) ListAuditAnew(ctx context.Context, now time.Time) error {
	const oneDay = 24 * time.Hour
	for age := time.Duration(0); age <= audit.Retention; age += oneDay {
		day := auditOfDay.key(now.Add(-age).UTC().Format(time.DateOnly))
		if err := s.listDayAnew(ctx, day); err != nil {
			return fmt.Errorf("list the audit entries of %s anew: %w", day.pk, err)
		}
	}
	return nil
}

func (s *Store) listDayAnew(ctx context.Context, day key) error {
	var some []audit.Entry
	write := func() error {
		err := inParallel(ctx, some, s.WriteEntry)
		some = some[:0]
		return err
	}
	err := s.query(ctx, day, forward, func(it item) (bool, error) {
		e, err := readEntry(it)
		if err != nil {
			return false, err
		}
		if some = append(some, e); len(some) < maxLooked {
			return true, nil
		}
		return true, write()
	})
	if err != nil {
		return err
	}
	return write()
}
