package bill

import (
	"fmt"
	"math"
	"strconv"
)

// Load is how often each call is made in a month.
type Load map[string]float64

// Schedule names what the schedule has done, once a minute.
const Schedule = "schedule"

// minutes of a month
const minutes = 730 * 60

// Typed is a part of a load that one types.
type Typed struct {
	Name, Usage string
	Calls       Load // that one of these is
}

// Parts are the parts of a load.
var Parts = []Typed{
	{"tokens", "how many access tokens resource servers ask about in a month", Load{"token info": 1}},
	{"refreshes", "how many tokens are refreshed", Load{"refresh": 1}},
	{"sign-ins", "how many people sign in to an application: password, consent and code", Load{"sign-in": 1, "authorization": 1, "code exchange": 1}},
	{"calls", "how many calls of the REST API are made", Load{"project by id": 1}},
	{"views", "how many pages are looked at", Load{"page of alerts": 1}},
	{"alerts", "how many alerts begin and end", Load{"new alert": 1, "recovery": 1}},
	{"repeats", "how many alerts are repeated", Load{"repeated alert": 1}},
	{"incidents", "how many incidents follow from alerts", Load{"incident": 1}},
	{"mails", "how many mails follow from alerts", Load{"mail": 1}},
	{"webhooks", "how many webhooks are called", Load{"webhook": 1}},
}

// Add adds calls, so often as the text says.
func (l Load) Add(calls Load, often string) error {
	n, err := strconv.ParseFloat(often, 64)
	if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		return fmt.Errorf("%q is not a number of calls", often)
	}
	for name, times := range calls {
		l[name] += n * times
	}
	return nil
}

// profile is a load that people compare theirs with.
type profile struct {
	name string
	of   map[string]float64 // by the names of Parts
}

// aMillion are a million requests: what half of them are differs from instance to instance
// more than anything else, so it is what costs most, questions about tokens aside.
var aMillion = map[string]float64{
	"tokens": 450_000, "refreshes": 100_000, "sign-ins": 10_000, "calls": 200_000, "views": 50_000,
	"repeats": 130_000, "alerts": 20_000, "incidents": 5000, "mails": 10_000, "webhooks": 20_000,
}

var profiles = []profile{
	{"idle", nil},
	{"small team", map[string]float64{
		"tokens": 20_000, "refreshes": 5000, "sign-ins": 600, "calls": 10_000, "views": 4000,
		"repeats": 5000, "alerts": 500, "incidents": 100, "mails": 500, "webhooks": 500,
	}},
	{"1 M requests", aMillion},
	{"100 M requests", times(100, aMillion)},
}

func times(n float64, of map[string]float64) map[string]float64 {
	more := map[string]float64{}
	for name, often := range of {
		more[name] = n * often
	}
	return more
}

// load returns the load that a profile is.
func (p profile) load() Load {
	l := Load{}
	for _, part := range Parts {
		for name, times := range part.Calls {
			if often := p.of[part.Name]; often > 0 {
				l[name] += times * often
			}
		}
	}
	return l
}
