package telemetry

import (
	"encoding/json"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Metric is the name of a number in CloudWatch. functions/docs/operate.md explains each.
type Metric string

// The metrics of each function by itself.
const (
	Latency      Metric = "Latency"      // of each request
	ClientErrors Metric = "ClientErrors" // answers 4xx
	ServerErrors Metric = "ServerErrors" // answers 5xx
)

// The metrics of all functions together.
const (
	PasswordTime    Metric = "PasswordTime"    // of each hash
	PasswordWait    Metric = "PasswordWait"    // for a turn to hash
	StoreThrottled  Metric = "StoreThrottled"  // requests that DynamoDB had no room for
	StoreConflicts  Metric = "StoreConflicts"  // writes that met another one
	MessagesHandled Metric = "MessagesHandled" // by the dispatcher
	MessagesFailed  Metric = "MessagesFailed"  // and will be tried again, or not
	DeadLetters     Metric = "DeadLetters"     // messages that were given up
	OldestDue       Metric = "OldestDue"       // for how long a message has been due
	AlertsTaken     Metric = "AlertsTaken"
	AlertsRefused   Metric = "AlertsRefused" // payloads, whatever the answer
)

// kind is how the values of a metric are told.
type kind struct {
	unit     string
	of       summary
	function bool // each function by itself
	urgent   bool // at once
}

// summary is what is told of several values.
type summary int

const (
	each summary = iota
	sum
	most
)

var kinds = map[Metric]kind{
	Latency:         {unit: milliseconds, function: true},
	ClientErrors:    {unit: count, of: sum, function: true},
	ServerErrors:    {unit: count, of: sum, function: true, urgent: true},
	PasswordTime:    {unit: milliseconds},
	PasswordWait:    {unit: milliseconds},
	StoreThrottled:  {unit: count, of: sum, urgent: true},
	StoreConflicts:  {unit: count, of: sum},
	MessagesHandled: {unit: count, of: sum},
	MessagesFailed:  {unit: count, of: sum},
	DeadLetters:     {unit: count, of: sum, urgent: true},
	OldestDue:       {unit: seconds, of: most},
	AlertsTaken:     {unit: count, of: sum},
	AlertsRefused:   {unit: count, of: sum},
}

// CloudWatch's units.
const (
	milliseconds = "Milliseconds"
	seconds      = "Seconds"
	count        = "Count"
)

// Metrics gathers numbers and writes them as lines in CloudWatch's embedded metric format,
// which CloudWatch reads from the log without a call of ours. To keep the log small, one
// line tells of many events: the first is told at once, and then what has gathered every
// minute, or as soon as something is wrong.
type Metrics struct {
	mu                  sync.Mutex
	w                   io.Writer
	namespace, function string
	values              map[Metric][]float64
	began, told         time.Time // of the values, and the last line
	urgent              bool
}

// NewMetrics returns the metrics of a function, which writes its log to w.
func NewMetrics(w io.Writer, namespace, function string) *Metrics {
	return &Metrics{w: w, namespace: namespace, function: function, values: map[Metric][]float64{}}
}

// current is where values are added; nil: nobody wants them.
var current atomic.Pointer[Metrics]

// Use has values added to these metrics, or to none if they are nil. Like the log, there is
// one for the process: a function works on one event at a time.
func Use(m *Metrics) { current.Store(m) }

// Add adds a value.
func Add(name Metric, value float64) {
	if m := current.Load(); m != nil {
		m.add(name, value)
	}
}

// AddTime adds a time, in the unit of the metric.
func AddTime(name Metric, d time.Duration) {
	value := float64(d) / float64(time.Millisecond)
	if kinds[name].unit == seconds {
		value = d.Seconds()
	}
	Add(name, math.Round(value*100)/100)
}

// mostValues is how many values CloudWatch takes in one line.
const mostValues = 100

func (m *Metrics) add(name Metric, value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, values := kinds[name], m.values[name]
	m.urgent = m.urgent || k.urgent
	switch {
	case len(values) == 0 || k.of == each && len(values) < mostValues:
		m.values[name] = append(values, value)
	case k.of == sum:
		values[0] += value
	case k.of == most:
		values[0] = max(values[0], value)
	}
}

// tellEvery is how long values wait for others.
const tellEvery = time.Minute

// Tell writes what has gathered, if it is time to. It is called after each event.
func (m *Metrics) Tell(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.values) == 0 {
		return
	}
	if m.began.IsZero() {
		m.began = now
	}
	if now.Sub(m.told) < tellEvery && !m.urgent && !m.full() {
		return
	}
	_, _ = m.w.Write(m.line()) // without a log there is nobody to tell
	m.values, m.began, m.told, m.urgent = map[Metric][]float64{}, time.Time{}, now, false
}

func (m *Metrics) full() bool {
	for _, values := range m.values {
		if len(values) >= mostValues {
			return true
		}
	}
	return false
}

// declaration tells CloudWatch which members of a line are metrics.
type declaration struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

type definition struct {
	Name Metric
	Unit string
}

// line returns the values in the embedded metric format, with the level and the time that
// Lambda looks for in a line.
func (m *Metrics) line() []byte {
	members := map[string]any{
		"timestamp": m.began.UTC().Format("2006-01-02T15:04:05.000Z"), "level": "INFO", "function": m.function,
		"_aws": map[string]any{"Timestamp": m.began.UnixMilli(), "CloudWatchMetrics": m.declarations()},
	}
	for name, values := range m.values {
		members[string(name)] = values
		if len(values) == 1 {
			members[string(name)] = values[0]
		}
	}
	line, _ := json.Marshal(members) // there is nothing in it that JSON does not know
	return append(line, '\n')
}

func (m *Metrics) declarations() (all []declaration) {
	for _, dimensions := range [][]string{{"function"}, {}} {
		d := declaration{Namespace: m.namespace, Dimensions: [][]string{dimensions}}
		for name := range m.values {
			if kinds[name].function == (len(dimensions) > 0) {
				d.Metrics = append(d.Metrics, definition{name, kinds[name].unit})
			}
		}
		if d.Metrics != nil {
			all = append(all, d)
		}
	}
	return all
}
