package partition

import (
	"reflect"
	"strings"
	"testing"
)

// world is a small one with one user, so that nothing depends on chance.
var world = World{Sizes: map[string]int{User: 1, Project: 1, Group: 1, Application: 1, Alert: 1}, Seconds: 2, Seed: 1}

func simulate(t *testing.T, w World, loads ...Load) map[string]Busiest {
	t.Helper()
	all, err := w.Simulate(storeShapes(t), loads)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Busiest{}
	for n, b := range all {
		found[b.String()] = b
		if n > 0 && b.Share() > all[n-1].Share() {
			t.Errorf("%s is behind %s, which is less busy", b, all[n-1])
		}
	}
	return found
}

var (
	view  = Load{Name: "view", Rate: 200, Samples: [][]Use{{{"x-directory", "LIST#visible-projects", 1, 0}, {"x-directory", "USER#17", 2, 0}, {"x-directory", "USER#17", 1, 0}}}}
	fired = Load{Name: "new alert", Rate: 10, Samples: [][]Use{{{"x-alerts", "COUNTER#5", 0, 3}, {"x-alerts", "OPEN#5#disk", 0, 2}, {"x-alerts", "PAYLOAD#ab", 0, 1}}}}
)

func TestUnitsAddUpByPartition(t *testing.T) {
	opened := fired
	opened.Anew = Alert
	for _, tt := range []struct {
		name          string
		loads         []Load
		shape         string
		reads, writes float64
	}{
		{"a shared list", []Load{view}, "directory LIST#visible-projects", 200, 0},
		{"the only user", []Load{view}, "directory USER#<id>", 600, 0},
		{"two loads on one list", []Load{view, {Name: "search", Rate: 10, Samples: [][]Use{{{"directory", "LIST#visible-projects", 8, 0}}}}},
			"directory LIST#visible-projects", 280, 0},
		{"the only project", []Load{fired}, "alerts COUNTER#<project>", 0, 30},
		{"an alert that repeats", []Load{fired}, "alerts OPEN#<project>#<fingerprint>", 0, 20},
		{"alerts that are all new", []Load{opened}, "alerts OPEN#<project>#<fingerprint>", 0, 2},
		{"what each request makes", []Load{fired}, "alerts PAYLOAD#<name>", 0, 1},
	} {
		got, found := simulate(t, world, tt.loads...)[tt.shape]
		if !found || got.Reads != tt.reads || got.Writes != tt.writes {
			t.Errorf("%s: %v reads and %v writes, want %v and %v", tt.name, got.Reads, got.Writes, tt.reads, tt.writes)
		}
	}
}

func TestSkewMakesOneBusier(t *testing.T) {
	w := world
	w.Sizes = map[string]int{User: 1000}
	even := simulate(t, w, view)["directory USER#<id>"].Reads
	w.Skew = 1.5
	if skewed := simulate(t, w, view)["directory USER#<id>"].Reads; skewed < 5*even {
		t.Errorf("the busiest of 1000 users takes %v with skew and %v without", skewed, even)
	}
}

func TestTheSeedDecides(t *testing.T) {
	w := World{Sizes: map[string]int{User: 100, Project: 100, Alert: 10}, Skew: 1, Seconds: 3, Seed: 7}
	view := view
	view.Rate = 20.5
	first, second := simulate(t, w, view, fired), simulate(t, w, view, fired)
	if first["directory USER#<id>"].Reads != second["directory USER#<id>"].Reads || len(first) != len(second) {
		t.Errorf("the same seed gives %v and %v", first, second)
	}
	for name, b := range first {
		if !reflect.DeepEqual(b.Takes, second[name].Takes) || b.Writes != second[name].Writes {
			t.Errorf("the same seed gives %+v and %+v", b, second[name])
		}
	}
}

func TestUnknownKeysAndEntitiesAreRefused(t *testing.T) {
	for want, use := range map[string]Use{
		"no declared item":      {"directory", "HOUSE#1", 1, 0},
		"how many there are of": {"directory", "GROUP#1", 1, 0},
	} {
		w := World{Sizes: map[string]int{User: 1}, Seconds: 1}
		_, err := w.Simulate(storeShapes(t), []Load{{Name: "x", Rate: 1, Samples: [][]Use{{use}}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", use, err, want)
		}
	}
}

func TestReportNamesWhatIsTooBusy(t *testing.T) {
	view := view
	view.Rate = 3001
	all, err := world.Simulate(storeShapes(t), []Load{view, fired})
	if err != nil {
		t.Fatal(err)
	}
	r := Report{Busiest: all, Advice: map[string]string{"directory USER#<id>": "Ask less often."}}
	var printed strings.Builder
	r.Print(&printed)
	for _, want := range []string{
		"| `directory USER#<id>` | a membership, found from the user, and 1 more | user | **9,003** | 0 | 1,000 view (3 read) |\n",
		"| `directory LIST#visible-projects` | a project in the list of those that are not private | everybody | **3,001** | 0 | 3,000 view (1 read) |\n",
		"- `directory LIST#visible-projects`: Nothing says what to do.\n",
		"- `directory USER#<id>`: Ask less often.\n",
		"The partitions of 1 other kinds",
	} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &printed)
		}
	}
	if got := strings.Join(r.Unadvised(), "; "); got != "directory LIST#visible-projects" {
		t.Errorf("without advice: %q", got)
	}
}
