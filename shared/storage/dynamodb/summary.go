package dynamodb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage/walk"
)

var (
	summaryItem   = shape{tokens, "USER#<id>", "SUMMARY#<client>", "the summary of a user's grants to an application", ""}
	personItem    = shape{tokens, "APP#<client>", "PERSON#<user>", "a user with a summary of their grants to the application", ""}
	useItem       = shape{tokens, "APP#<client>", "USE", "the day of the last use of an application", ""}
	summariesMade = shape{tokens, "USER#<id>", "SUMMARIES", "says that the user's grants are all in summaries", ""}
)

var summaries = kind[oauth.Summary]{noun: "summary of grants", fields: summaryFields, entry: summaryFields}

func summaryFields(a *oauth.Summary) fields {
	return append(summaryIDs(a), fields{
		{"scopes", (*scopeSet)(&a.Scopes)}, {"since", &a.Since}, {"last_use", &a.LastUse}, {"grants", &a.Grants},
	}...)
}

func summaryIDs(a *oauth.Summary) fields {
	return fields{{"user_id", &a.UserID}, {"client_number", &a.ClientID}, {"application", &a.Application}}
}

// scopeSet is stored as a set, to which an update can add.
type scopeSet scope.Set

func (s *scopeSet) value() types.AttributeValue {
	return unless(len(*s) == 0, &types.AttributeValueMemberSS{Value: *s})
}

func (s *scopeSet) set(value types.AttributeValue) error {
	members, ok := value.(*types.AttributeValueMemberSS)
	if !ok {
		return fmt.Errorf("%T is no set of texts", value)
	}
	*s = scopeSet(scope.Set(nil).Or(members.Value))
	return nil
}

// addGrant adds the grant to its summary, which it creates if there is none.
func addGrant(g oauth.Grant) change {
	a := oauth.Summary{}.With(g)
	c := addGrants(a)
	c.add["grants"] = number(1)
	return c
}

// addGrants adds what all grants in the summary have in common to the stored one.
func addGrants(a oauth.Summary) change {
	c := set(summaryItem.key(a.UserID, a.ClientID), summaryIDs(&a)).when("", nil)
	c.once, c.add = item{"since": number(a.Since.UnixMicro())}, item{}
	if scopes := (*scopeSet)(&a.Scopes).value(); scopes != nil {
		c.add["scopes"] = scopes
	}
	return c
}

// Summaries returns a page of the summaries of the user's grants. The first
// time, it makes those for the grants of a release before.
func (s *Store) Summaries(ctx context.Context, userID int64, r page.Request) (found page.Of[oauth.Summary], err error) {
	list := walk.List[oauth.Summary]{
		Sources:  []walk.Source[oauth.Summary]{summaries.newest(s, summaryItem.key(userID))},
		Position: func(a oauth.Summary) page.Position { return page.At(a.ClientID) },
	}
	var complete item
	err = callAll(ctx, func(ctx context.Context) (err error) {
		complete, err = s.get(ctx, summariesMade.key(userID))
		return err
	}, func(ctx context.Context) (err error) {
		found, err = list.Page(ctx, r)
		return err
	})
	if err != nil || complete != nil {
		return found, err
	}
	err = s.summarizeGrants(ctx, userID)
	if err == nil {
		err = s.write(ctx, replace(summariesMade.key(userID), nil))
	}
	if err != nil {
		return page.Of[oauth.Summary]{}, err
	}
	return list.Page(ctx, r)
}

// SummarizeAllGrants adds the grants of a release before to the summaries of all users.
// That may have run beside this one, and again after it.
func (s *Store) SummarizeAllGrants(ctx context.Context) error {
	err := s.inBatches(ctx, userList.key(), func(found []entry) error {
		return inParallel(ctx, found, func(ctx context.Context, u entry) error { return s.summarizeGrants(ctx, u.id) })
	})
	if err != nil {
		return fmt.Errorf("summarize grants: %w", err)
	}
	return nil
}

// summarizeGrants adds the user's grants of a release before to the summaries. It
// can be repeated, and run beside functions that create grants.
func (s *Store) summarizeGrants(ctx context.Context, userID int64) error {
	found, err := grants.all(ctx, s, grantItem.key(userID))
	if err != nil {
		return err
	}
	by := map[int64]oauth.Summary{}
	for _, g := range found {
		if g.ClientID != 0 && !g.Revoked() {
			by[g.ClientID] = by[g.ClientID].With(g)
		}
	}
	return inParallel(ctx, slices.Collect(maps.Values(by)), func(ctx context.Context, a oauth.Summary) error {
		c := addGrants(a)
		c.once["grants"] = number(a.Grants)
		if !a.LastUse.IsZero() {
			c.once["last_use"] = number(a.LastUse.UnixMicro())
		}
		return s.write(ctx, c, replace(personOf(a), nil))
	})
}

// personOf is the key of the user of the summary among those of the client.
func personOf(a oauth.Summary) key { return personItem.key(a.ClientID, a.UserID) }

// People counts the users who have a summary of their grants to the client.
func (s *Store) People(ctx context.Context, clientID int64, most int) (int, error) {
	n, err := s.countUpTo(ctx, personItem.key(clientID), most)
	if err != nil {
		return 0, fmt.Errorf("count the users of an application: %w", err)
	}
	return n, nil
}

// NoteUse records the day of the last use of the client.
func (s *Store) NoteUse(ctx context.Context, clientID int64, day time.Time) error {
	return s.write(ctx, set(useItem.key(clientID), fields{{"used_at", &day}}).when("", nil))
}

// LastUses returns the days of the last uses of the clients.
func (s *Store) LastUses(ctx context.Context, clientIDs []int64) (map[int64]time.Time, error) {
	keys := map[key]int64{}
	for _, id := range clientIDs {
		keys[useItem.key(id)] = id
	}
	stored, err := s.getAll(ctx, slices.Collect(maps.Keys(keys)))
	if err != nil {
		return nil, fmt.Errorf("read the last uses of applications: %w", err)
	}
	uses := map[int64]time.Time{}
	for k, it := range stored {
		var day time.Time
		if err := (fields{{"used_at", &day}}).read(it); err != nil {
			return nil, fmt.Errorf("read the last uses of applications: %w", err)
		}
		uses[keys[k]] = day
	}
	return uses, nil
}

// ForgetSummary removes the summary, unless a grant was added. A summary that was
// forgotten and begun again has the same number of grants, and another beginning.
func (s *Store) ForgetSummary(ctx context.Context, a oauth.Summary) error {
	unchanged := mustRemove(summaryItem.key(a.UserID, a.ClientID)).ifEqual(fields{{"grants", &a.Grants}, {"since", &a.Since}})
	return s.writeIf(ctx, unchanged, remove(personOf(a)))
}

// removeSummaries removes all summaries of a deleted user.
func (s *Store) removeSummaries(ctx context.Context, userID int64) error {
	all, err := summaries.all(ctx, s, summaryItem.key(userID))
	if err != nil {
		return err
	}
	changes := []change{remove(summariesMade.key(userID))}
	for _, a := range all {
		changes = append(changes, remove(summaryItem.key(userID, a.ClientID)), remove(personOf(a)))
	}
	return s.writeEach(ctx, changes)
}
