package bill

import (
	"math"
	"strings"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

var round = Prices{
	Gateway: []step{{UpTo: 300, Dollars: 1}, {Dollars: 0.5}}, MillionCalls: 2, MillionGBSeconds: 10, MillionReads: 0.1, MillionWrites: 0.5,
	StoredGBMonth: 3, BackedUpGBMonth: 1, LoggedGB: 4, ThousandMails: 5, SentGB: 6, SecretMonth: 7, AlarmMonth: 8, MetricMonth: 9, DashboardMonth: 11,
	Assumed: Assumed{MemoryGB: 0.5, ProcessorShare: 0.25, StepMilliseconds: 5, OutsideMilliseconds: 100, BesideLogLine: 20, AccessLine: 80},
}

func TestEachPartHasItsPrice(t *testing.T) {
	tests := []struct {
		name     string
		take     Take
		standing Standing
		want     Month
	}{
		{name: "nothing"},
		{name: "reads", take: Take{Reads: 2e6}, want: Month{Reads: 0.2}},
		{name: "writes", take: Take{Writes: 3e6}, want: Month{Writes: 1.5}},
		{name: "calls of functions", take: Take{Invocations: 1e6}, want: Month{Functions: 2}},
		// 2 ms of a processor are 8 with a quarter of it, so that this is 8+10+100 ms of half a GB.
		{name: "time of functions", take: Take{Milliseconds: 2e6, Steps: 2e6, Outside: 1e6}, want: Month{Functions: 118e6 / 1000 * 0.5 / 1e6 * 10}},
		{name: "storage and its backup", take: Take{ByteMonths: 1 << 30}, want: Month{Storage: 4}},
		{name: "own log", take: Take{LogBytes: 1<<30 - 20, LogLines: 1}, want: Month{Logs: 4}},
		{name: "gateway and its log", take: Take{Requests: 1e6}, want: Month{Gateway: 1, Logs: 100e6 / (1 << 30) * 4}},
		{name: "mails", take: Take{Mails: 3000}, want: Month{Mails: 15}},
		{name: "traffic", take: Take{Sent: 1 << 29}, want: Month{Traffic: 3}},
		{name: "what stands", standing: Standing{Secrets: 1, Alarms: 2, Metrics: 3, Dashboards: 4}, want: Month{Standing: 7 + 16 + 27 + 44}},
	}
	for _, test := range tests {
		got := round.Month(test.take, test.standing)
		for i, part := range got.parts() {
			if !near(part, test.want.parts()[i]) {
				t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
			}
		}
		if !near(got.Total(), test.want.Total()) {
			t.Errorf("%s: the sum is %v, want %v", test.name, got.Total(), test.want.Total())
		}
	}
}

func TestGatewayIsCheaperBeyondAnAmount(t *testing.T) {
	for requests, want := range map[float64]float64{0: 0, 150e6: 150, 300e6: 300, 500e6: 400} {
		if got := round.gateway(requests); !near(got, want) {
			t.Errorf("%v requests cost %v, want %v", requests, got, want)
		}
	}
}

func TestLoads(t *testing.T) {
	m := Measured{Takes: map[string]Take{"a": {Reads: 2, Steps: 1}, "b": {Reads: 3, Mails: 1}}}
	got, err := m.Take(Load{"a": 10, "b": 2})
	if want := (Take{Reads: 26, Steps: 10, Mails: 2}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := m.Take(Load{"c": 1}); err == nil || !strings.Contains(err.Error(), `no call "c", only a, b`) {
		t.Errorf("a call that was not measured: %v", err)
	}
	l := Load{"a": 1}
	for _, wrong := range []string{"", "many", "-1", "Inf", "NaN"} {
		if err := l.Add(Load{"a": 1}, wrong); err == nil {
			t.Errorf("%q is a number of calls", wrong)
		}
	}
	if err := l.Add(Load{"a": 2, "b": 1}, "1e3"); err != nil || l["a"] != 2001 || l["b"] != 1000 {
		t.Errorf("%v, %v", l, err)
	}
}

func TestBeyondIsNeverBelowNothing(t *testing.T) {
	if got, want := (Take{Reads: 5, Writes: 1}).Beyond(Take{Reads: 2, Writes: 3}), (Take{Reads: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The loads that are printed consist of calls that were measured, at prices that are known.
func TestReportOfWhatWasMeasured(t *testing.T) {
	r, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	r.Typed = Load{"token info": 1e6}
	var printed strings.Builder
	if err := r.Print(&printed); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| yours | 1.00 |", "| idle | 0.00 |", "| small team |", "| 1 M requests |", "| 100 M requests |", "| token info |"} {
		if !strings.Contains(printed.String(), line) {
			t.Errorf("no line %q in\n%s", line, &printed)
		}
	}
	if err := r.month(&printed, "wrong", Load{"unheard": 1}); err == nil {
		t.Error("a call that was not measured has a price")
	}
	for name, part := range map[string]float64{
		"a step": r.Prices.Assumed.StepMilliseconds, "the share": r.Prices.Assumed.ProcessorShare, "reads": r.Prices.MillionReads, "an alarm": r.Prices.AlarmMonth,
	} {
		if part <= 0 {
			t.Errorf("%s has no number", name)
		}
	}
}

// The calls that come most often stay cheap.
func TestWhatAMillionCosts(t *testing.T) {
	r, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	for name, most := range map[string]float64{"token info": 2.50, "repeated alert": 2.50} {
		if got := r.Prices.Month(r.Measured.Takes[name].Times(million), Standing{}).Total(); got <= 0 || got > most {
			t.Errorf("a million of %s cost %.2f dollars, want at most %.2f", name, got, most)
		}
	}
}
