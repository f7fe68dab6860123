package dispatcherapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/functions/dispatcher/dispatcherapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot/dispatching"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/oncall"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// stream reads the stream of the table of messages.
type stream struct {
	t         *testing.T
	options   dynamodb.Options
	endpoint  string
	arn       string
	iterators map[string]string // by shard
}

// newStream returns an empty store on DynamoDB, or an emulator of it that has streams, and
// the stream of its messages.
func newStream(t *testing.T) (storage.Store, *stream) {
	t.Helper()
	endpoint := os.Getenv("AWS_ENDPOINT_URL_DYNAMODB_STREAMS")
	if endpoint == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB_STREAMS is not set: there are no streams to test on (scripts/test starts an emulator)")
	}
	o := dynamodbtest.Options(t, os.Getenv)
	store := dynamodbtest.Open(t, o, "../../../template.yaml")
	table, err := o.Client().DescribeTable(t.Context(), &sdk.DescribeTableInput{TableName: aws.String(o.Prefix + "-messages")})
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{t: t, options: o, endpoint: endpoint, arn: aws.ToString(table.Table.LatestStreamArn), iterators: map[string]string{}}
	if s.arn == "" {
		t.Fatal("the table of messages has no stream")
	}
	return store, s
}

// call makes a call of the DynamoDB Streams API.
func (s *stream) call(operation string, input map[string]any) (output map[string]any) {
	s.t.Helper()
	body, err := json.Marshal(input)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.endpoint, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDBStreams_20120810."+operation)
	credentials, err := s.options.Credentials.Retrieve(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	digest := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(s.t.Context(), credentials, r, hex.EncodeToString(digest[:]), "dynamodb", s.options.Region, time.Now()); err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s answered %d %s, %v", operation, answer.StatusCode, text, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&output); err != nil {
		s.t.Fatalf("%s answered %s: %v", operation, text, err)
	}
	return output
}

// read returns the records that came since the last call, by shards.
func (s *stream) read() (shards [][]record) {
	s.t.Helper()
	described := s.call("DescribeStream", map[string]any{"StreamArn": s.arn})["StreamDescription"].(map[string]any)
	for _, shard := range described["Shards"].([]any) {
		id := shard.(map[string]any)["ShardId"].(string)
		if s.iterators[id] == "" {
			got := s.call("GetShardIterator", map[string]any{"StreamArn": s.arn, "ShardId": id, "ShardIteratorType": "TRIM_HORIZON"})
			s.iterators[id] = got["ShardIterator"].(string)
		}
		shards = append(shards, s.readShard(id))
	}
	return shards
}

func (s *stream) readShard(id string) (records []record) {
	s.t.Helper()
	for {
		got := s.call("GetRecords", map[string]any{"ShardIterator": s.iterators[id]})
		s.iterators[id], _ = got["NextShardIterator"].(string)
		some, _ := got["Records"].([]any)
		for _, one := range some {
			r := record(one.(map[string]any))
			r["eventSourceARN"] = s.arn // as Lambda adds it
			records = append(records, r)
		}
		if len(some) == 0 || s.iterators[id] == "" {
			return records
		}
	}
}

// pump hands what the stream tells to the mappings until it tells nothing more. It
// returns all that it told.
func (s *stream) pump(all map[string]*mapping) (told []record) {
	s.t.Helper()
	for {
		before := len(told)
		for _, shard := range s.read() {
			told = append(told, shard...)
			var both sync.WaitGroup
			for _, m := range all {
				both.Go(func() { m.deliver(s.t.Context(), shard) })
			}
			both.Wait()
		}
		if len(told) == before {
			return told
		}
	}
}

// postbox keeps mails.
type postbox struct {
	mu  sync.Mutex
	got []string
}

func (b *postbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	first, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	name, _, _ := strings.Cut(m.To.Email, "@")
	b.got = append(b.got, name+": "+first)
	return nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func ptr[T any](v T) *T { return &v }

// An alert is followed by an incident, a page and a webhook through the stream alone.
func TestStreamPagesWithoutASweep(t *testing.T) {
	store, s := newStream(t)
	x := apptest.Over(t, store)
	ada, ben := x.User("ada"), x.User("ben")
	by := audit.ByUser(ada.ID)
	p := x.Project("web", x.Group("acme", project.Group{}, ada, project.Private), project.Private)
	x.Member(p.Place(), ben, project.Developer)
	from := must(x.Integrations.Create(t.Context(), by, p, integration.Draft{Name: "Monitor", Type: integration.HTTP, Active: true}))
	must(x.Integrations.ChangeSettings(t.Context(), by, p, integration.SettingsChange{CreateIncident: ptr(true)}))
	rules := []oncall.Rule{{Until: oncall.Acknowledged, UserID: ben.ID}}
	must(x.OnCall.SetPolicy(t.Context(), oncall.Who{Actor: by, Role: project.Owner}, p, oncall.Policy{Rules: rules}))
	if _, _, err := x.Webhooks.Create(t.Context(), by, p, "https://chat.example/hook", true); err != nil {
		t.Fatal(err)
	}
	var box postbox
	d := dispatching.With(x.App, store, x.Keys, &box, mail.Address{Email: "gatehouse@gatehouse.example"})
	all := mappings(t, dispatcherapi.New(d, dispatching.LaneOf))

	must(x.Intake.Test(t.Context(), p, from, []byte(`{"title":"Oven cold","severity":"high"}`)))
	told := s.pump(all)
	if !slices.Equal(box.got, []string{"ben: Alert opened"}) {
		t.Errorf("mails: %v, want one to ben", box.got)
	}
	if got := x.Receiver.Got(); len(got) != 2 {
		t.Errorf("the webhook got %d messages, want those of the alert and the incident", len(got))
	}
	wantTold(t, all, told)
	for _, g := range []outbox.Group{outbox.Prompt, outbox.Slow} {
		if left := must(store.DueLanes(t.Context(), g, x.Now().Add(time.Hour), 10)); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

// wantTold checks that each mapping got the new messages of its group and nothing else.
func wantTold(t *testing.T, all map[string]*mapping, told []record) {
	t.Helper()
	kinds := map[any]int{}
	want := map[string][]string{}
	for _, r := range told {
		kinds[r["eventName"]]++
		if prefix, _, _ := strings.Cut(r.partition(), "#"); r["eventName"] == "INSERT" {
			want[prefix] = append(want[prefix], r.sequence())
		}
	}
	if kinds["MODIFY"] == 0 || kinds["REMOVE"] == 0 {
		t.Errorf("the stream told %v: claims and ends of messages are missing", kinds)
	}
	for name, prefix := range map[string]string{"Messages": "LANE", "SlowMessages": "SLOW"} {
		got := slices.Concat(all[name].invoked...)
		if !slices.Equal(got, want[prefix]) || len(got) == 0 || len(all[name].lost) > 0 {
			t.Errorf("the mapping %s called the function with %v, want %v", name, got, want[prefix])
		}
	}
}

// handedLanes is a dispatcher over the store that notes the order of what it handles.
func handedLanes(store storage.Store) (*dispatch.Dispatcher, func() map[outbox.Lane][]string) {
	var mu sync.Mutex
	got := map[outbox.Lane][]string{}
	d := dispatch.New(store, dispatch.Handlers{"note": func(_ context.Context, m outbox.Message) (dispatch.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		got[m.Lane] = append(got[m.Lane], m.Seq)
		return dispatch.Result{}, nil
	}}, dispatch.Source{Now: func() time.Time { return now }, Claim: func() string { return "claim" }, Jitter: func() float64 { return 0 }, After: time.After})
	return d, func() map[outbox.Lane][]string { return got }
}

func putNotes(t *testing.T, store storage.Store, l outbox.Lane, seqs ...string) {
	t.Helper()
	for _, seq := range seqs {
		m := outbox.Message{Lane: l, Seq: seq, Kind: "note", Data: []byte(`{}`), CreatedAt: now, DueAt: now}
		if err := store.PutMessages(t.Context(), []outbox.Message{m}); err != nil {
			t.Fatal(err)
		}
	}
}

// However the stream's records fall into batches, a lane is handled in its order, and each
// message once.
func TestStreamKeepsTheOrderOfLanes(t *testing.T) {
	store, s := newStream(t)
	d, got := handedLanes(store)
	all := mappings(t, dispatcherapi.New(d, dynamodb.LaneOf))
	var want []string
	for n := range 15 {
		seq := fmt.Sprintf("%03d", n)
		want = append(want, seq)
		for _, l := range []outbox.Lane{"alert/5/1", "alert/5/2", outbox.SlowLane("webhook", 5, "1/alert/1")} {
			putNotes(t, store, l, seq)
		}
		if n%6 == 0 {
			s.pump(all)
		}
	}
	s.pump(all)
	for _, l := range []outbox.Lane{"alert/5/1", "alert/5/2", outbox.SlowLane("webhook", 5, "1/alert/1")} {
		if !slices.Equal(got()[l], want) {
			t.Errorf("%s was handled as %v", l, got()[l])
		}
	}
}

// outage is a store in which a lane cannot be read a number of times.
type outage struct {
	storage.Store
	lane  outbox.Lane
	times int
}

func (o *outage) Waiting(ctx context.Context, l outbox.Lane, n int) ([]outbox.Message, error) {
	if l == o.lane && o.times > 0 {
		o.times--
		return nil, fmt.Errorf("the store is down")
	}
	return o.Store.Waiting(ctx, l, n)
}

// What failed, and all behind it, comes again: until it succeeds, or else it goes to the
// failure destination and a sweep handles it.
func TestStreamReplaysFromWhatFailed(t *testing.T) {
	for name, times := range map[string]int{"for a while": 3, "for long": 100} {
		t.Run(name, func(t *testing.T) {
			store, s := newStream(t)
			down := &outage{store, "alert/5/2", times}
			d, got := handedLanes(down)
			all := mappings(t, dispatcherapi.New(d, dynamodb.LaneOf))
			for _, l := range []outbox.Lane{"alert/5/1", "alert/5/2", "alert/5/3"} {
				putNotes(t, store, l, "1")
			}
			told := s.pump(all)
			m := all["Messages"]
			tries := min(times, m.Properties.MaximumRetryAttempts) + 1
			if len(m.invoked) != tries {
				t.Fatalf("%d calls, want %d: %v", len(m.invoked), tries, m.invoked)
			}
			failed := slices.IndexFunc(told, func(r record) bool { return r.partition() == "LANE#alert/5/2" })
			for _, again := range m.invoked[1:] {
				if again[0] != told[failed].sequence() || len(again) >= len(m.invoked[0]) {
					t.Errorf("the function was called again with %v, want what begins with %s", again, told[failed].sequence())
				}
			}
			if lost := len(m.lost) > 0; lost != (times > 3) {
				t.Errorf("given up: %v", m.lost)
			}
			down.times = 0
			if _, err := d.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, l := range []outbox.Lane{"alert/5/1", "alert/5/2", "alert/5/3"} {
				if !slices.Equal(got()[l], []string{"1"}) {
					t.Errorf("%s was handled as %v", l, got()[l])
				}
			}
		})
	}
}
