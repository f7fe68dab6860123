package dynamodb

import (
	"context"
	"errors"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
)

var (
	tokenItem    = shape{tokens, "PAT#<digest>", "PAT", "a personal access token", ""}
	tokenList    = shape{tokens, "LIST#pats", "<id>", "finds a token by its id", ""}
	tokensOfUser = shape{tokens, "USER#<id>", "PAT#<id>", "a token in the list of its user", ""}
	tokenCounter = shape{tokens, "COUNTER#pats", "COUNTER", "the last id of a token", ""}
	countTokens  = shape{tokens, "LIST#pats", "COUNT", "how many tokens there are", ""}
	countOfUser  = shape{tokens, "USER#<id>", "PATS", "how many tokens a user has", ""}
)

func tokenKey(d secret.Digest) key { return tokenItem.key(d.String()) }

var accessTokens = kind[accesstoken.Token]{
	noun:     "personal access token",
	notFound: accesstoken.ErrNotFound,
	changed:  accesstoken.ErrRevoked,
	key:      func(t accesstoken.Token) key { return tokenKey(t.Digest) },
	fields:   tokenFields,
	entry: func(t *accesstoken.Token) fields {
		return fields{{"id", &t.ID}, {"digest", t.Digest[:]}}
	},
}

func tokenFields(t *accesstoken.Token) fields {
	return fields{
		{"id", &t.ID}, {"user_id", &t.UserID}, {"name", &t.Name}, {"scopes", (*[]string)(&t.Scopes)},
		{"digest", t.Digest[:]}, {"created_at", &t.CreatedAt}, {"expires_at", &t.ExpiresAt},
		{"revoked_at", &t.RevokedAt}, {"last_used_at", &t.LastUsedAt},
	}
}

// CreateAccessToken stores the token.
func (s *Store) CreateAccessToken(ctx context.Context, t accesstoken.Token) (accesstoken.Token, error) {
	var err error
	if t.ID, err = s.next(ctx, tokenCounter.key()); err != nil {
		return accesstoken.Token{}, err
	}
	return t, s.write(ctx, createToken(t)...)
}

// activeTokens is an attribute of the count of a user's tokens: at least how many were
// active when they were counted last, and were created since.
const activeTokens = "active"

// CreateAccessTokenWithin stores the token unless its user has so many. It counts those
// that are active only when as many were created as may be.
func (s *Store) CreateAccessTokenWithin(ctx context.Context, most int, t accesstoken.Token) (accesstoken.Token, error) {
	var err error
	if t.ID, err = s.next(ctx, tokenCounter.key()); err != nil {
		return accesstoken.Token{}, err
	}
	changes := createToken(t)
	counted := &changes[len(changes)-1]
	counted.add[activeTokens] = number(1)
	*counted = counted.when("attribute_not_exists("+activeTokens+") OR "+activeTokens+" < :most", item{":most": number(int64(most))}).
		orElse(accesstoken.ErrTooMany)
	err = s.write(ctx, changes...)
	if errors.Is(err, accesstoken.ErrTooMany) {
		if err = s.countActive(ctx, most, t.UserID, t.CreatedAt); err == nil {
			err = s.write(ctx, changes...)
		}
	}
	return t, err
}

// countActive counts the user's active tokens anew, or returns accesstoken.ErrTooMany.
func (s *Store) countActive(ctx context.Context, most int, userID int64, now time.Time) error {
	count := countOfUser.key(userID)
	stored, err := s.get(ctx, count)
	if err != nil {
		return err
	}
	listed, err := accessTokens.all(ctx, s, tokensOfUser.key(userID))
	if err != nil {
		return err
	}
	active, err := accessTokens.completeIf(ctx, s, listed, func(_ item, t accesstoken.Token) (bool, error) { return t.Active(now), nil })
	if err == nil && len(active) >= most {
		return accesstoken.ErrTooMany
	}
	if err != nil {
		return err
	}
	return s.writeIf(ctx, change{
		key: count, action: update, item: item{activeTokens: number(int64(len(active)))},
	}.unlessWritten(stored))
}

func createToken(t accesstoken.Token) []change {
	return []change{
		create(tokenKey(t.Digest), tokenFields(&t)).orElse(accesstoken.ErrTaken),
		create(tokenList.key(t.ID), accessTokens.entry(&t)),
		create(tokensOfUser.key(t.UserID).entry(t.ID), accessTokens.entry(&t)),
		addToCount(countTokens.key(), 1), addToCount(countOfUser.key(t.UserID), 1),
	}
}

// AccessTokenByDigest returns the token with this digest.
func (s *Store) AccessTokenByDigest(ctx context.Context, d secret.Digest) (accesstoken.Token, error) {
	return accessTokens.get(ctx, s, tokenKey(d))
}

// AccessToken returns the token with this id.
func (s *Store) AccessToken(ctx context.Context, id int64) (accesstoken.Token, error) {
	return accessTokens.numbered(ctx, s, tokenList.key(), id)
}

// AccessTokens returns a page of the user's tokens; for user 0 of all tokens.
func (s *Store) AccessTokens(ctx context.Context, userID int64, r page.Request) (page.Of[accesstoken.Token], error) {
	list, count := tokensOfUser.key(userID), countOfUser.key(userID)
	if userID == 0 {
		list, count = tokenList.key(), countTokens.key()
	}
	return accessTokens.numberedPage(ctx, s, list, count, func(t accesstoken.Token) int64 { return t.ID }, r)
}

// RevokeAccessToken ends the token for good.
func (s *Store) RevokeAccessToken(ctx context.Context, id int64, now time.Time) error {
	t, err := accessTokens.listed(ctx, s, tokenList.key(), id)
	if err != nil {
		return err
	}
	return s.write(ctx, revokeToken(t, now))
}

func revokeToken(t accesstoken.Token, now time.Time) change {
	return accessTokens.explain(set(tokenKey(t.Digest), fields{{"revoked_at", &now}}).when(unrevoked, nil))
}

// RotateAccessToken revokes the old token and stores its successor.
func (s *Store) RotateAccessToken(
	ctx context.Context, id int64, successor accesstoken.Token, now time.Time,
) (accesstoken.Token, error) {
	old, err := accessTokens.listed(ctx, s, tokenList.key(), id)
	if err != nil {
		return accesstoken.Token{}, err
	}
	if successor.ID, err = s.next(ctx, tokenCounter.key()); err != nil {
		return accesstoken.Token{}, err
	}
	return successor, s.write(ctx, append(createToken(successor), revokeToken(old, now))...)
}

// TouchAccessToken records the use of a token.
func (s *Store) TouchAccessToken(ctx context.Context, t accesstoken.Token, now time.Time) error {
	return s.writeIf(ctx, set(tokenKey(t.Digest), fields{{"last_used_at", &now}}))
}
