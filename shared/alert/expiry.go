package alert

import "time"

// expiry returns when an alert that is resolved at a time and kept for so many days is
// gone; zero: never. All that expire on one day, in UTC, expire at its end.
func expiry(resolved time.Time, days int) time.Time {
	if days == 0 {
		return time.Time{}
	}
	return resolved.UTC().Truncate(dayLength).AddDate(0, 0, days+1)
}

// Expired reports whether the alert is gone at a time, although it may still be stored.
func (a Alert) Expired(now time.Time) bool {
	return !a.Open() && !a.ExpiresAt.IsZero() && !now.Before(a.ExpiresAt)
}
