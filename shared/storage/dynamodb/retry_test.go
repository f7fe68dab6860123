package dynamodb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// A connection that died unnoticed costs an attempt, not the request.
func TestRequestWithoutAnAnswerIsMadeAgain(t *testing.T) {
	var asked atomic.Int32
	silentAtFirst := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			io.Copy(io.Discard, r.Body) // or nobody notices that the client is gone
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		io.WriteString(w, "{}")
	}))
	defer silentAtFirst.Close()
	s := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Endpoint: silentAtFirst.URL, Prefix: "test", AttemptTimeout: 100 * time.Millisecond,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
	if err := s.Ping(t.Context()); err != nil || asked.Load() != 2 {
		t.Errorf("Ping = %v after %d requests, want success with the second", err, asked.Load())
	}
}

// A write whose answer is lost was made. The SDK sends it again, and that must
// not look like a second caller.
func TestLostAnswer(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s, ctx := openWith(t, o), t.Context()
	u, other, third := addUser(t, s), addUser(t, s), addUser(t, s)
	root := must[user.User](t)(s.CreateUser(ctx, newAdmin()))
	g := addGroup(t, s, project.Group{}, unique("group"), u.ID)
	p := must[project.Project](t)(s.CreateProject(ctx, newProject(g)))
	c := must[oauth.Client](t)(s.CreateClient(ctx, newClient()))
	token := must[accesstoken.Token](t)(s.CreateAccessToken(ctx, newToken(u.ID)))
	grant := addGrant(t, s)

	guest := project.Member{Place: p.Place(), UserID: u.ID, Role: project.Guest, CreatedAt: now}
	developer := guest
	developer.Role = project.Developer

	tests := []struct {
		name string
		call func() error
	}{
		{"CreateUser", func() error { _, err := s.CreateUser(ctx, newUser()); return err }},
		{"UpdateUser", func() error { return s.UpdateUser(ctx, u, 0) }},
		{"UpdateUser with another address", func() error { return s.UpdateUser(ctx, withEmail(other), 0) }},
		{"UpdateUser by an administrator", func() error { return s.UpdateUser(ctx, third, root.ID) }},
		{"CreateGroup", func() error { _, err := s.CreateGroup(ctx, newGroup(g, "below"), u.ID); return err }},
		{"UpdateGroup", func() error { return s.UpdateGroup(ctx, g) }},
		{"CreateProject", func() error { _, err := s.CreateProject(ctx, newProject(g)); return err }},
		{"UpdateProject", func() error { return s.UpdateProject(ctx, p) }},
		{"AddMember", func() error { return s.AddMember(ctx, guest) }},
		{"UpdateMember", func() error { return s.UpdateMember(ctx, guest, developer) }},
		{"CreateClient", func() error { _, err := s.CreateClient(ctx, newClient()); return err }},
		{"UpdateClient", func() error { return s.UpdateClient(ctx, c) }},
		{"CreateSession", func() error { return s.CreateSession(ctx, newSession(u.ID)) }},
		{"ReplaceSigningKeys, the first", func() error { return s.ReplaceSigningKeys(ctx, oidc.SealedKeys{Version: 1}) }},
		{"ReplaceSigningKeys", func() error { return s.ReplaceSigningKeys(ctx, oidc.SealedKeys{Version: 2}) }},
		{"CreateAccessToken", func() error { _, err := s.CreateAccessToken(ctx, newToken(u.ID)); return err }},
		{"RotateAccessToken", func() error {
			_, err := s.RotateAccessToken(ctx, token.ID, newToken(u.ID), now)
			return err
		}},
		{"CreateGrant", func() error { return s.CreateGrant(ctx, newGrant()) }},
		{"AdvanceGrant", func() error { _, err := s.AdvanceGrant(ctx, grant.Redeemed(now)); return err }},
		{"RevokeGrant", func() error { return s.RevokeGrant(ctx, grant.GrantID, now) }},
	}
	for _, test := range tests {
		w.answer = loseFirst()
		if err := test.call(); err != nil {
			t.Errorf("%s with its first answer lost = %v, want no error", test.name, err)
		}
	}
}

// The use of a grant is noted beside writes that count, and must not keep one
// from finding that it was made.
func TestLostAnswerBesideATouch(t *testing.T) {
	o, w := options(t), &wire{}
	meanwhile, ctx := openWith(t, o), t.Context()
	o.HTTPClient = w
	s, g := dynamodb.New(o), addGrant(t, meanwhile)
	lost := false
	w.answer = func(operation string, theirs *http.Response) *http.Response {
		if lost || theirs == nil {
			return nil
		}
		lost = true
		if err := meanwhile.TouchGrant(ctx, g.GrantID, now); err != nil {
			t.Errorf("TouchGrant = %v, want no error", err)
		}
		return response(http.StatusServiceUnavailable, "{}")
	}
	if _, err := s.AdvanceGrant(ctx, g.Redeemed(now)); err != nil || !lost {
		t.Errorf("AdvanceGrant whose answer was lost: %t = %v, want no error", lost, err)
	}
}

// Numbers that are added to would be added to twice.
func TestLostAnswerCountsNoAttemptTwice(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s, ctx := openWith(t, o), t.Context()
	k, limit := throttle.Key(secret.Random(32)), throttle.Limit{Failures: 4, Window: time.Hour}
	count := func() error { _, err := s.CountAttempt(ctx, k, limit, now); return err }
	for _, call := range []func() error{count, count, count, func() error { return s.WithdrawAttempt(ctx, k, now) }, count, count} {
		w.answer = loseFirst()
		if err := call(); err != nil {
			t.Errorf("with its first answer lost: %v, want no error", err)
		}
	}
	if err := count(); !fault.Is(err, fault.TooMany) {
		t.Errorf("CountAttempt after four = %v, want it refused", err)
	}
}

func withEmail(u user.User) user.User {
	u.Email = newUser().Email
	return u
}

// loseFirst loses DynamoDB's first answer to each kind of write.
func loseFirst() func(string, *http.Response) *http.Response {
	lost := map[string]bool{"GetItem": true}
	return func(operation string, theirs *http.Response) *http.Response {
		if theirs == nil || lost[operation] {
			return nil
		}
		lost[operation] = true
		return response(http.StatusServiceUnavailable, "{}")
	}
}

const (
	conflict = `{"__type": "com.amazonaws.dynamodb.v20120810#TransactionConflictException"}`
	canceled = `{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
		"CancellationReasons": [{"Code": "None"}, {"Code": "TransactionConflict"}]}`
)

// offline returns a store for which the wire answers everything.
func offline(w *wire) storage.Store {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Endpoint: "http://dynamodb.invalid", Prefix: "test",
		Credentials: dynamodbtest.Getenv(os.Getenv).Credentials(), HTTPClient: w,
	})
}

func TestContendedWriteIsTriedAgain(t *testing.T) {
	tests := map[string]struct {
		answer string
		call   func(storage.Store) error
	}{
		"a single write": {conflict, func(s storage.Store) error {
			return s.RevokeGrant(t.Context(), oauth.GrantID{}, now)
		}},
		"a transaction": {canceled, func(s storage.Store) error {
			return s.RemoveMember(t.Context(), project.Member{UserID: 1})
		}},
	}
	for name, test := range tests {
		w := &wire{}
		w.answer = func(string, *http.Response) *http.Response {
			if len(w.operations) < 4 {
				return response(http.StatusBadRequest, test.answer)
			}
			return response(http.StatusOK, "{}")
		}
		if err := test.call(offline(w)); err != nil || len(w.operations) != 4 {
			t.Errorf("%s = %v after %d attempts, want none after 4", name, err, len(w.operations))
		}
	}
}

func TestContendedWriteEndsWithItsContext(t *testing.T) {
	w := &wire{answer: func(string, *http.Response) *http.Response {
		return response(http.StatusBadRequest, conflict)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := offline(w).RevokeGrant(ctx, oauth.GrantID{}, now); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("RevokeGrant = %v, want the end of its context", err)
	}
}

// What DynamoDB refused for the sake of others is counted, though it succeeds in the end.
func TestRefusedRequestsAreMeasured(t *testing.T) {
	for name, test := range map[string]struct{ refusal, want string }{
		"no room":             {"ProvisionedThroughputExceededException", `"StoreThrottled":2`},
		"too many requests":   {"ThrottlingException", `"StoreThrottled":2`},
		"another transaction": {"TransactionConflictException", `"StoreConflicts":2`},
		"a fault":             {"InternalServerError", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				if asked.Add(1) <= 2 {
					w.WriteHeader(http.StatusBadRequest)
					io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#`+test.refusal+`","message":"busy"}`)
					return
				}
				io.WriteString(w, "{}")
			}))
			defer busy.Close()
			var out bytes.Buffer
			m := telemetry.NewMetrics(&out, "Gatehouse/test", "oauth")
			telemetry.Use(m)
			t.Cleanup(func() { telemetry.Use(nil) })
			s := dynamodb.New(dynamodb.Options{
				Region: "us-east-1", Endpoint: busy.URL, Prefix: "test",
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
				}),
			})
			_ = s.Ping(t.Context()) // a fault with this status is not tried again
			m.Tell(time.Now())
			if test.want == "" && out.Len() > 0 || !strings.Contains(out.String(), test.want) {
				t.Errorf("told %s, want %s", &out, test.want)
			}
		})
	}
}

// What is refused each time is measured as often as it was sent.
func TestARefusalIsMeasuredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newPatient()
		p.answer = func() (*http.Response, error) {
			return response(http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}`), nil
		}
		var out bytes.Buffer
		m := telemetry.NewMetrics(&out, "Gatehouse/test", "oauth")
		telemetry.Use(m)
		defer telemetry.Use(nil)
		err := s.Ping(t.Context())
		m.Tell(time.Now())
		if want := fmt.Sprintf(`"StoreThrottled":%d`, p.asked); !fault.Is(err, fault.Unavailable) || !strings.Contains(out.String(), want+",") && !strings.Contains(out.String(), want+"}") {
			t.Errorf("Ping = %v, told %s, want %s", err, &out, want)
		}
	})
}
