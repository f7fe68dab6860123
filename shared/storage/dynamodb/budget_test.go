package dynamodb_test

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// What whole requests cost, which the local server's tests pin, rests on what
// each call of the store costs.
func TestBudget(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s, ctx := openWith(t, o), t.Context()
	u, other := addUser(t, s), addUser(t, s)
	root := must[user.User](t)(s.CreateUser(ctx, newAdmin()))
	g := addGroup(t, s, project.Group{}, unique("group"), u.ID)
	p := must[project.Project](t)(s.CreateProject(ctx, newProject(g)))
	c := must[oauth.Client](t)(s.CreateClient(ctx, newClient()))
	token := must[accesstoken.Token](t)(s.CreateAccessToken(ctx, newToken(u.ID)))
	enrolled := addUser(t, s)
	factor := twofactor.Factor{UserID: enrolled.ID, Mark: twofactor.Mark(secret.Random(16)), CreatedAt: now}
	signedIn, kept, grant := newSession(u.ID), newSession(u.ID), addGrant(t, s)
	if err := s.CreateSession(ctx, kept); err != nil {
		t.Fatal(err)
	}

	clientKey, yes := errortracking.NewClientKey(p.ID, now), true
	changeTracking := func(c errortracking.Change) func() error {
		return func() error { _, err := s.ChangeTracking(ctx, p.ID, c); return err }
	}

	attempts := throttle.Key(secret.Random(32))
	countAttempt := func() error {
		_, err := s.CountAttempt(ctx, attempts, throttle.DefaultLimit, now)
		return err
	}

	tests := []struct {
		name string
		call func() error
		want []string
	}{
		{"Ping", func() error { return s.Ping(ctx) }, []string{"GetItem"}},
		{"User", func() error { _, err := s.User(ctx, u.ID); return err }, []string{"GetItem"}},
		{"UpdateUser", func() error { return s.UpdateUser(ctx, u, 0) }, []string{"GetItem", "UpdateItem"}},
		{"UpdateUser by another administrator", func() error { return s.UpdateUser(ctx, other, root.ID) },
			[]string{"GetItem", "TransactWriteItems"}},
		{"UpdateUser by oneself", func() error { return s.UpdateUser(ctx, root, root.ID) }, []string{"GetItem", "UpdateItem"}},
		{"UserByLogin", func() error { _, err := s.UserByLogin(ctx, u.Email); return err },
			[]string{"GetItem", "GetItem"}},
		{"UsersByID", func() error { _, err := s.UsersByID(ctx, []int64{u.ID, 99}); return err },
			[]string{"BatchGetItem"}},
		{"MembershipsIn", func() error { _, err := s.MembershipsIn(ctx, project.InGroup, u.ID); return err }, []string{"Query"}},
		{"MembershipPage", func() error { _, err := s.MembershipPage(ctx, project.InGroup, u.ID, page.First); return err },
			[]string{"Query"}},
		{"SomeMemberships", func() error { _, err := s.SomeMemberships(ctx, u.ID, 1); return err }, []string{"Query"}},
		{"MembershipsAt", func() error { _, err := s.MembershipsAt(ctx, u.ID, p.Places()...); return err }, []string{"BatchGetItem"}},
		{"MembershipsAmong", func() error { _, err := s.MembershipsAmong(ctx, []int64{u.ID, 99}, p.Places()...); return err }, []string{"BatchGetItem"}},
		{"Members", func() error { _, err := s.Members(ctx, now, page.First, p.Place()); return err }, []string{"Query"}},
		{"Members of two places", func() error { _, err := s.Members(ctx, now, page.First, g.Place(), p.Place()); return err },
			[]string{"Query", "Query"}},
		{"CountMembers", func() error { _, err := s.CountMembers(ctx, now, p.Place()); return err }, []string{"BatchGetItem", "Query"}},
		{"WidestBelow", func() error { _, err := s.WidestBelow(ctx, g.ID); return err }, []string{"GetItem"}},
		{"GroupsByID", func() error { _, err := s.GroupsByID(ctx, []int64{g.ID, 99}); return err },
			[]string{"BatchGetItem"}},
		{"GroupsIn a group without groups", func() error { _, _, err := s.GroupsIn(ctx, []int64{g.ID, 99}, 9); return err },
			[]string{"BatchGetItem"}},
		{"ProjectsByID", func() error { _, err := s.ProjectsByID(ctx, []int64{p.ID, 99}); return err }, []string{"BatchGetItem"}},
		{"ReplaceSigningKeys, the first", func() error { return s.ReplaceSigningKeys(ctx, oidc.SealedKeys{Version: 1}) },
			[]string{"PutItem"}},
		{"ReplaceSigningKeys", func() error { return s.ReplaceSigningKeys(ctx, oidc.SealedKeys{Version: 2}) },
			[]string{"UpdateItem"}},
		{"SigningKeys", func() error { _, err := s.SigningKeys(ctx); return err }, []string{"GetItem"}},
		{"Project", func() error { _, err := s.Project(ctx, p.ID); return err }, []string{"GetItem"}},
		{"ProjectByPath", func() error { _, err := s.ProjectByPath(ctx, p.FullPath); return err },
			[]string{"GetItem", "GetItem"}},
		{"ChangeTracking to the integrated tracker", changeTracking(errortracking.Change{Create: true, Active: true, Integrated: &yes}),
			[]string{"TransactWriteItems"}},
		{"ChangeTracking, a switch", changeTracking(errortracking.Change{Active: true}), []string{"UpdateItem"}},
		{"ChangeTracking of the rest", changeTracking(errortracking.Change{ProjectName: new(string)}),
			[]string{"GetItem", "TransactWriteItems"}},
		{"TrackingSettings", func() error { _, err := s.TrackingSettings(ctx, p.ID); return err }, []string{"GetItem"}},
		{"AddClientKey", func() error { return s.AddClientKey(ctx, clientKey) }, []string{"TransactWriteItems"}},
		{"ClientKeys", func() error { _, err := s.ClientKeys(ctx, p.ID, page.First); return err }, []string{"Query", "Query", "BatchGetItem"}},
		{"RemoveClientKey", func() error { _, err := s.RemoveClientKey(ctx, p.ID, clientKey.ID); return err },
			[]string{"GetItem", "TransactWriteItems"}},
		{"Client", func() error { _, err := s.Client(ctx, c.ClientID); return err }, []string{"GetItem"}},
		{"UpdateClient", func() error { return s.UpdateClient(ctx, c) }, []string{"UpdateItem"}},
		{"CreateSession", func() error { return s.CreateSession(ctx, signedIn) }, []string{"PutItem"}},
		{"Session", func() error { _, err := s.Session(ctx, u.ID, signedIn.ID); return err }, []string{"GetItem"}},
		{"TouchSession", func() error { return s.TouchSession(ctx, signedIn, now) }, []string{"UpdateItem"}},
		{"Sessions", func() error {
			_, err := s.Sessions(ctx, u.ID, func(session.Session) bool { return true }, page.First)
			return err
		}, []string{"Query"}},
		{"EndOtherSessions", func() error { return s.EndOtherSessions(ctx, u.ID, kept.ID) }, []string{"Query", "DeleteItem"}},
		{"EndSession", func() error { return s.EndSession(ctx, u.ID, kept.ID) }, []string{"DeleteItem"}},
		{"CountAttempt, the first", countAttempt, []string{"PutItem"}},
		{"CountAttempt, another", countAttempt, []string{"PutItem", "UpdateItem"}},
		{"WithdrawAttempt", func() error { return s.WithdrawAttempt(ctx, attempts, now) }, []string{"UpdateItem"}},
		{"EnableTwoFactor", func() error { return s.EnableTwoFactor(ctx, enrolled, factor) }, []string{"TransactWriteItems"}},
		{"SecondFactor", func() error { _, err := s.SecondFactor(ctx, enrolled.ID); return err }, []string{"GetItem"}},
		{"ReplaceSecondFactor", func() error { return s.ReplaceSecondFactor(ctx, factor.Mark, factor) }, []string{"UpdateItem"}},
		{"DisableTwoFactor", func() error { enrolled.Version++; return s.DisableTwoFactor(ctx, enrolled, root.ID) },
			[]string{"TransactWriteItems"}},
		{"ForgetAttempts", func() error { return s.ForgetAttempts(ctx, attempts) }, []string{"DeleteItem"}},
		{"AccessTokenByDigest", func() error { _, err := s.AccessTokenByDigest(ctx, token.Digest); return err },
			[]string{"GetItem"}},
		{"TouchAccessToken", func() error { return s.TouchAccessToken(ctx, token, now) }, []string{"UpdateItem"}},
		{"CreateGrant", func() error { return s.CreateGrant(ctx, newGrant()) }, []string{"TransactWriteItems"}},
		{"Grant", func() error { _, err := s.Grant(ctx, grant.GrantID); return err }, []string{"GetItem"}},
		{"GrantsOf", func() error { _, err := s.GrantsOf(ctx, 1, 2, 10); return err }, []string{"Query"}},
		{"ClientsNamed", func() error { _, err := s.ClientsNamed(ctx, []string{c.ClientID, "other"}); return err }, []string{"BatchGetItem"}},
		{"TouchGrant", func() error { return s.TouchGrant(ctx, grant.GrantID, now) }, []string{"UpdateItem", "UpdateItem"}},
		{"AdvanceGrant", func() error { _, err := s.AdvanceGrant(ctx, grant.Redeemed(now)); return err },
			[]string{"UpdateItem"}},
		{"RevokeGrant", func() error { return s.RevokeGrant(ctx, grant.GrantID, now) }, []string{"UpdateItem"}},
		{"RevokeGrants", func() error { return s.RevokeGrants(ctx, grant.UserID, grant.ClientID, now) },
			[]string{"GetItem", "Query", "UpdateItem", "TransactWriteItems"}},
	}
	for _, test := range tests {
		got := w.during(func() {
			if err := test.call(); err != nil {
				t.Errorf("%s = %v, want no error", test.name, err)
			}
		})
		if diff := gocmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s takes other requests (-want +got):\n%s", test.name, diff)
		}
	}
}

// A refused advance needs no second read to tell the grant as it is stored.
func TestRefusedAdvanceIsOneRequest(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s := openWith(t, o)
	g := addGrant(t, s).Redeemed(now)
	must[oauth.Grant](t)(s.AdvanceGrant(t.Context(), g))
	got := w.during(func() {
		stored, err := s.AdvanceGrant(t.Context(), g)
		if err == nil || stored.Generation != 1 {
			t.Errorf("AdvanceGrant = generation %d, %v, want generation 1 and a conflict", stored.Generation, err)
		}
	})
	if diff := gocmp.Diff([]string{"UpdateItem"}, got); diff != "" {
		t.Errorf("AdvanceGrant takes other requests (-want +got):\n%s", diff)
	}
}

// Who is throttled costs one request.
func TestRefusedAttemptIsOneRequest(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s, k := openWith(t, o), throttle.Key(secret.Random(32))
	once := throttle.Limit{Failures: 1, Window: time.Hour}
	must[time.Time](t)(s.CountAttempt(t.Context(), k, once, now))
	got := w.during(func() {
		if _, err := s.CountAttempt(t.Context(), k, once, now); !fault.Is(err, fault.TooMany) {
			t.Errorf("CountAttempt = %v, want it refused", err)
		}
	})
	if diff := gocmp.Diff([]string{"PutItem"}, got); diff != "" {
		t.Errorf("CountAttempt takes other requests (-want +got):\n%s", diff)
	}
}
