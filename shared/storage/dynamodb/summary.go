package dynamodb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/storage/walk"
)

var (
	summaryItem   = shape{tokens, "USER#<id>", "SUMMARY#<client>", "the summary of a user's grants to an application", ""}
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
	var changes []change
	for _, a := range by {
		c := addGrants(a)
		c.once["grants"] = number(a.Grants)
		if !a.LastUse.IsZero() {
			c.once["last_use"] = number(a.LastUse.UnixMicro())
		}
		changes = append(changes, c)
	}
	return inParallel(ctx, changes, func(ctx context.Context, c change) error { return s.write(ctx, c) })
}

// ForgetSummary removes the summary, unless a grant was added. A summary that was
// forgotten and begun again has the same number of grants, and another beginning.
func (s *Store) ForgetSummary(ctx context.Context, a oauth.Summary) error {
	unchanged := mustRemove(summaryItem.key(a.UserID, a.ClientID)).ifEqual(fields{{"grants", &a.Grants}, {"since", &a.Since}})
	return s.writeIf(ctx, unchanged)
}

// removeSummaries removes all summaries of a deleted user.
func (s *Store) removeSummaries(ctx context.Context, userID int64) error {
	all, err := summaries.all(ctx, s, summaryItem.key(userID))
	if err != nil {
		return err
	}
	changes := []change{remove(summariesMade.key(userID))}
	for _, a := range all {
		changes = append(changes, remove(summaryItem.key(userID, a.ClientID)))
	}
	return s.writeEach(ctx, changes)
}
