package dynamodb

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/audit"
)

var (
	auditOfDay  = shape{tokens, "AUDIT#<day>", "AUDIT#<id>", "an audit entry among those of the day", "a year"}
	auditOfUser = shape{tokens, "USER#<id>", "AUDIT#<id>", "an audit entry among those of the user", "a year"}
)

func entryFields(e *audit.Entry, details *[]string) fields {
	return fields{
		{"id", &e.ID}, {"at", &e.At}, {"name", (*string)(&e.Name)}, {"actor_id", &e.ActorID},
		{"user_id", &e.UserID}, {"details", details}, {"outcome", (*string)(&e.Outcome)}, {"reason", &e.Reason},
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

// dayOf names the day, and so the partition, of a time.
func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// WriteEntry stores the entry among those of its day and those of its user.
func (s *Store) WriteEntry(ctx context.Context, e audit.Entry) error {
	details := e.Details.Pairs()
	entry := entryFields(&e, &details).until(e.ExpiresAt())
	err := inParallel(ctx, []key{auditOfDay.key(dayOf(e.At), e.ID), auditOfUser.key(e.UserID, e.ID)}, func(ctx context.Context, k key) error {
		return s.write(ctx, replace(k, entry))
	})
	if err != nil {
		return fmt.Errorf("write audit entry: %w", err)
	}
	return nil
}

// Entries returns the entries that pass the filter.
func (s *Store) Entries(ctx context.Context, f audit.Filter) (page audit.Page, err error) {
	if f.Everybody {
		page, err = s.everybodysEntries(ctx, f)
	} else {
		var found search
		found, err = s.searchEntries(ctx, auditOfUser.key(f.UserID), f)
		page = found.page(f.Size)
	}
	if err != nil {
		return audit.Page{}, fmt.Errorf("list audit entries: %w", err)
	}
	return page, nil
}

const (
	// fewEntries is how many entries one request looks at.
	fewEntries = 250
	// maxLooked is about how many entries a call looks at before it leaves the
	// rest to the next call.
	maxLooked = 10_000
)

// search is what looking through a partition found.
type search struct {
	entries []audit.Entry
	looked  int
	last    string // the ID of the last entry looked at; empty: the search reached the end
}

func (f search) page(size int) audit.Page {
	page := audit.Cut(f.entries, size)
	if page.Next == "" {
		page.Next = f.last
	}
	return page
}

// searchEntries looks through a partition until it has one entry more than
// wanted.
func (s *Store) searchEntries(ctx context.Context, in key, f audit.Filter) (found search, err error) {
	low, high := f.Bounds()
	err = s.between(ctx, in, low, high, fewEntries, func(it item) (bool, error) {
		e, err := readEntry(it)
		if err != nil || e.ID == f.Before {
			return true, err
		}
		if found.looked++; f.Name == "" || f.Name == e.Name {
			found.entries = append(found.entries, e)
		}
		if found.looked == maxLooked {
			found.last = e.ID
		}
		return found.last == "" && len(found.entries) <= f.Size, nil
	})
	return found, err
}

// everybodysEntries looks through the days, the newest first. While it has not
// found enough, it looks through twice as many days in parallel.
func (s *Store) everybodysEntries(ctx context.Context, f audit.Filter) (audit.Page, error) {
	var all search
	first, day := f.From.UTC().Truncate(oneDay), f.Until.UTC().Truncate(oneDay)
	if f.Before != "" && audit.TimeOf(f.Before).Before(day) {
		day = audit.TimeOf(f.Before).Truncate(oneDay)
	}
	for n := 1; !day.Before(first); n = min(2*n, maxParallel) {
		days := min(n, int(day.Sub(first)/oneDay)+1)
		if err := s.searchDays(ctx, day, days, f, &all); err != nil {
			return audit.Page{}, err
		}
		if len(all.entries) > f.Size || all.last != "" {
			break
		}
		day = day.Add(-time.Duration(days) * oneDay)
		if all.looked >= maxLooked && !day.Before(first) {
			all.last = audit.Start(day.Add(oneDay))
			break
		}
	}
	return all.page(f.Size), nil
}

const oneDay = 24 * time.Hour

// searchDays looks through so many days up to the last and adds what it finds, as
// far as it looked without a gap.
func (s *Store) searchDays(ctx context.Context, last time.Time, days int, f audit.Filter, all *search) error {
	numbers := make([]int, days)
	for i := range numbers {
		numbers[i] = i
	}
	found := make([]search, days)
	err := inParallel(ctx, numbers, func(ctx context.Context, i int) (err error) {
		found[i], err = s.searchEntries(ctx, auditOfDay.key(dayOf(last.Add(-time.Duration(i)*oneDay))), f)
		return err
	})
	for _, day := range found {
		if all.last != "" || len(all.entries) > f.Size {
			break
		}
		all.entries, all.looked, all.last = append(all.entries, day.entries...), all.looked+day.looked, day.last
	}
	return err
}
