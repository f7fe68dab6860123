package partition

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Load is a request that clients repeat.
type Load struct {
	Name string
	Rate float64 // a second
	// Anew is the entity that is another one in each request, such as Alert for
	// requests that open alerts.
	Anew string
	// Samples are what such requests took.
	Samples [][]Use
}

// World is what loads come from.
type World struct {
	Sizes   map[string]int // how many there are of each entity
	Skew    float64        // the exponent of Zipf's law: 0 makes all equally busy, and 1 the second half as busy as the first
	Seconds int
	Seed    uint64
}

// Busiest is the load on the busiest partition of a shape.
type Busiest struct {
	Shape
	Reads, Writes float64 // the most units in one second
	Takes         []Take
}

// Take is what a request of a load takes of one partition of a shape, on average,
// and how many such requests come in a second in all.
type Take struct {
	Load                string
	Reads, Writes, Rate float64
}

// What DynamoDB lets a single partition bear in a second.
const (
	MaxReads  = 3000
	MaxWrites = 1000
)

// Share is the share of what a partition bears.
func (b Busiest) Share() float64 { return max(b.Reads/MaxReads, b.Writes/MaxWrites) }

// Simulate returns the busiest partition of each shape that the loads touch, the
// busiest first.
func (w World) Simulate(shapes []Shape, loads []Load) ([]Busiest, error) {
	s, err := newSimulation(w, shapes, loads)
	if err != nil {
		return nil, err
	}
	for range w.Seconds {
		s.second()
	}
	return s.result(), nil
}

// simulation adds up what requests take.
type simulation struct {
	World
	shapes  []Shape
	loads   []compiled
	chance  *rand.Rand
	ranks   map[string][]float64 // of an entity: the share of those up to a rank
	partial map[string]*sum      // of the current second, by partition
	peaks   []sum                // by shape
	begun   int                  // requests
}

type sum struct {
	shape         int
	reads, writes float64
}

type compiled struct {
	Load
	samples [][]touch
	takes   []Take // by shape
}

// touch is a Use with its shape and the values in its key.
type touch struct {
	Use
	shape  int
	values []string
}

func newSimulation(w World, shapes []Shape, loads []Load) (*simulation, error) {
	s := &simulation{
		World: w, shapes: shapes, chance: rand.New(rand.NewPCG(w.Seed, 0)), ranks: map[string][]float64{}, peaks: make([]sum, len(shapes)),
	}
	for entity, size := range w.Sizes {
		s.ranks[entity] = zipf(size, w.Skew)
	}
	for _, l := range loads {
		c := compiled{Load: l, takes: make([]Take, len(shapes))}
		for _, uses := range l.Samples {
			sample, err := s.compile(uses)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.Name, err)
			}
			c.samples = append(c.samples, sample)
		}
		c.average()
		s.loads = append(s.loads, c)
	}
	return s, nil
}

// zipf returns the shares of the first so many by Zipf's law.
func zipf(n int, skew float64) []float64 {
	shares, sum := make([]float64, n), 0.0
	for i := range shares {
		sum += math.Pow(float64(i+1), -skew)
		shares[i] = sum
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

func (s *simulation) compile(uses []Use) (sample []touch, err error) {
	for _, u := range uses {
		found, values, err := Find(s.shapes, u.Table, u.Key)
		if err != nil {
			return nil, err
		}
		for n, entity := range found.entities {
			if len(s.ranks[entity]) == 0 && entity != Shared && entity != Request {
				return nil, fmt.Errorf("nothing says how many there are of each %s in %s", entity, values[n])
			}
		}
		n := slices.IndexFunc(s.shapes, func(s Shape) bool { return s.Table == found.Table && s.Key == found.Key })
		sample = append(sample, touch{u, n, values})
	}
	return sample, nil
}

// average finds out what a request takes of one partition of each shape.
func (c *compiled) average() {
	for _, sample := range c.samples {
		one := map[string]*sum{}
		for _, t := range sample {
			if one[t.Table+t.Key] == nil {
				one[t.Table+t.Key] = &sum{shape: t.shape}
			}
			one[t.Table+t.Key].add(t.Use)
		}
		most := make([]sum, len(c.takes))
		for _, o := range one {
			most[o.shape].raise(*o)
		}
		for n, o := range most {
			c.takes[n].Reads += o.reads / float64(len(c.samples))
			c.takes[n].Writes += o.writes / float64(len(c.samples))
		}
	}
}

func (o *sum) add(u Use) { o.reads, o.writes = o.reads+u.Reads, o.writes+u.Writes }

func (o *sum) raise(to sum) { o.reads, o.writes = max(o.reads, to.reads), max(o.writes, to.writes) }

// second lets the requests of one second take what they take.
func (s *simulation) second() {
	s.partial = map[string]*sum{}
	for _, l := range s.loads {
		for range s.arrivals(l.Rate) {
			s.request(l)
		}
	}
	for _, o := range s.partial {
		s.peaks[o.shape].raise(*o)
	}
}

// arrivals returns a whole number that is the rate on average.
func (s *simulation) arrivals(rate float64) int {
	whole, rest := math.Modf(rate)
	if s.chance.Float64() < rest {
		whole++
	}
	return int(whole)
}

// request repeats one of the samples with others in the place of those it was
// about.
func (s *simulation) request(l compiled) {
	s.begun++
	sample := l.samples[s.chance.IntN(len(l.samples))]
	others := map[string]string{}
	for _, t := range sample {
		key := s.shapes[t.shape].replace(t.values, func(entity, value string) string {
			name := entity + " " + value
			if others[name] == "" {
				others[name] = s.other(l, entity, value)
			}
			return others[name]
		})
		if s.partial[key] == nil {
			s.partial[key] = &sum{shape: t.shape}
		}
		s.partial[key].add(t.Use)
	}
}

// other returns what takes the place of a value.
func (s *simulation) other(l compiled, entity, value string) string {
	switch entity {
	case Shared:
		return value
	case Request, l.Anew:
		return fmt.Sprintf("%s of request %d", value, s.begun)
	}
	return strconv.Itoa(sort.SearchFloat64s(s.ranks[entity], s.chance.Float64()))
}

// replace returns a partition of the shape with other values.
func (s Shape) replace(values []string, other func(entity, value string) string) string {
	key := strings.Builder{}
	key.WriteString(s.Table + " " + s.Key)
	for n, v := range values {
		key.WriteString(" " + other(s.entities[n], v))
	}
	return key.String()
}

func (s *simulation) result() (all []Busiest) {
	for n, peak := range s.peaks {
		b := Busiest{Shape: s.shapes[n], Reads: peak.reads, Writes: peak.writes}
		for _, l := range s.loads {
			if take := l.takes[n]; take.Reads+take.Writes > 0 {
				take.Load, take.Rate = l.Name, l.Rate
				b.Takes = append(b.Takes, take)
			}
		}
		slices.SortStableFunc(b.Takes, func(a, b Take) int { return cmp.Compare(b.Rate*b.share(), a.Rate*a.share()) })
		if len(b.Takes) > 0 {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b Busiest) int { return cmp.Compare(b.Share(), a.Share()) })
	return all
}
