package alert

import "slices"

// Class is what a store counts alerts by.
type Class struct {
	Status   Status
	Severity Severity
}

// Class returns the class of the alert.
func (a Alert) Class() Class { return Class{a.Status, a.Severity} }

// Filter narrows a list of alerts; an empty field lets every alert pass.
type Filter struct {
	Statuses   []Status
	Severities []Severity
}

// Passes reports whether the filter lets alerts of the class pass.
func (f Filter) Passes(c Class) bool {
	return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, c.Status)) &&
		(len(f.Severities) == 0 || slices.Contains(f.Severities, c.Severity))
}

// Classes returns the classes that pass, sorted by status and then by severity.
func (f Filter) Classes() (passing []Class) {
	for _, status := range Statuses {
		for _, severity := range Severities {
			if c := (Class{status, severity}); f.Passes(c) {
				passing = append(passing, c)
			}
		}
	}
	return passing
}

// Counts are the numbers of a project's alerts of each class. A class without
// alerts may be missing.
type Counts map[Class]int

// Total returns the number of alerts that pass the filter.
func (c Counts) Total(f Filter) (total int) {
	for class, n := range c {
		if f.Passes(class) {
			total += n
		}
	}
	return total
}

// statuses returns the number of alerts of each status with these severities.
func (c Counts) statuses(severities []Severity) map[Status]int {
	totals := map[Status]int{}
	for _, status := range Statuses {
		if n := c.Total(Filter{Statuses: []Status{status}, Severities: severities}); n > 0 {
			totals[status] = n
		}
	}
	return totals
}
