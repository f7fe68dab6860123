package deprecation

import (
	"slices"
	"strings"
)

// named returns a place for each of the names in each of the calls.
func named(in In, names []string, calls []string) (all []Place) {
	for _, call := range calls {
		for _, name := range names {
			all = append(all, Place{Call: call, In: in, Name: name})
		}
	}
	return all
}

func parameters(names []string, calls ...string) []Place { return named(Parameter, names, calls) }

func answers(names []string, calls ...string) []Place { return named(Answer, names, calls) }

// moved returns the addresses that have moved to others, in which one word is
// replaced.
func moved(old, renamed string, calls ...string) (all []Place) {
	for _, call := range calls {
		_, path, _ := strings.Cut(call, " ")
		all = append(all, Place{Call: call, In: Address, Successor: strings.Replace(path, old, renamed, 1)})
	}
	return all
}

// with returns the places after a change of each.
func with(places []Place, change func(*Place)) []Place {
	all := slices.Clone(places)
	for n := range all {
		change(&all[n])
	}
	return all
}

func valued(places []Place, values ...any) []Place {
	return with(places, func(p *Place) { p.Values = values })
}

func beside(name, value string, places []Place) []Place {
	return with(places, func(p *Place) { p.Beside = Member{name, value} })
}

func sole(places []Place) []Place { return with(places, func(p *Place) { p.Sole = true }) }
