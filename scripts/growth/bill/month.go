package bill

// Month is what a month costs, in dollars.
type Month struct {
	Gateway, Functions, Reads, Writes, Storage, Logs, Mails, Traffic, Standing float64
}

// Standing is what an instance has that costs something while nobody uses it.
type Standing struct {
	Secrets, Alarms, Metrics, Dashboards int
}

const (
	million = 1e6
	gb      = 1 << 30
)

// Month returns what this costs in a month.
func (p Prices) Month(t Take, s Standing) Month {
	return Month{
		Gateway:   p.gateway(t.Requests),
		Functions: t.Invocations/million*p.MillionCalls + p.gbSeconds(t)/million*p.MillionGBSeconds,
		Reads:     t.Reads / million * p.MillionReads,
		Writes:    t.Writes / million * p.MillionWrites,
		Storage:   t.ByteMonths / gb * (p.StoredGBMonth + p.BackedUpGBMonth),
		Logs:      p.logged(t) / gb * p.LoggedGB,
		Mails:     t.Mails / 1000 * p.ThousandMails,
		Traffic:   t.Sent / gb * p.SentGB,
		Standing: float64(s.Secrets)*p.SecretMonth + float64(s.Alarms)*p.AlarmMonth +
			float64(s.Metrics)*p.MetricMonth + float64(s.Dashboards)*p.DashboardMonth,
	}
}

// logged are the bytes of logs that are billed: the functions' own, and the access log.
func (p Prices) logged(t Take) float64 {
	return t.LogBytes + t.LogLines*p.Assumed.BesideLogLine + t.Requests*(p.Assumed.AccessLine+p.Assumed.BesideLogLine)
}

// milliseconds is how long functions work and wait.
func (p Prices) milliseconds(t Take) float64 {
	return t.Milliseconds/p.Assumed.ProcessorShare + t.Steps*p.Assumed.StepMilliseconds + t.Outside*p.Assumed.OutsideMilliseconds
}

// gbSeconds are what functions are billed for.
func (p Prices) gbSeconds(t Take) float64 { return p.milliseconds(t) / 1000 * p.Assumed.MemoryGB }

// parts are the parts of a bill in their order.
func (m Month) parts() []float64 {
	return []float64{m.Gateway, m.Functions, m.Reads, m.Writes, m.Storage, m.Logs, m.Mails, m.Traffic, m.Standing}
}

// Total returns the sum.
func (m Month) Total() (dollars float64) {
	for _, part := range m.parts() {
		dollars += part
	}
	return dollars
}
