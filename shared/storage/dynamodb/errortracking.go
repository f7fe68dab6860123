package dynamodb

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

var (
	trackingItem  = shape{clientKeys, "PROJECT#<id>", "SETTINGS", "the error tracking of a project", ""}
	clientKeyItem = shape{clientKeys, "KEY#<id>", "KEY", "a client key; its id is part of it", ""}
	clientKeyList = shape{clientKeys, "PROJECT#<id>", "KEY#<time>#<id>", "a client key in the list of its project", ""}
)

// clientKeyEntry orders by time, because ids are random.
func clientKeyEntry(k errortracking.ClientKey) key {
	return clientKeyList.key(k.ProjectID, k.CreatedAt.UnixMicro(), k.ID)
}

var trackings = kind[errortracking.Settings]{noun: "error tracking settings", notFound: errortracking.ErrNotFound, fields: trackingFields}

func trackingFields(s *errortracking.Settings) fields {
	x := &s.External
	return fields{
		{"project_id", &s.ProjectID}, {"active", &s.Active}, {"integrated", &s.Integrated},
		{"api_url", (*string)(&x.APIURL)}, {"project_name", &x.ProjectName}, {"tracker_url", &x.TrackerURL},
		{"sealed_token", &x.SealedToken},
	}
}

// TrackingSettings returns the project's settings.
func (s *Store) TrackingSettings(ctx context.Context, projectID int64) (errortracking.Settings, error) {
	return trackings.get(ctx, s, trackingItem.key(projectID))
}

// ChangeTracking changes the project's settings: in one request if the change
// determines the whole item, else in two.
func (s *Store) ChangeTracking(ctx context.Context, projectID int64, c errortracking.Change) (errortracking.Settings, error) {
	switch integrated := c.Integrated != nil && *c.Integrated; {
	case !c.SwitchesOnly(), c.Create && !integrated:
		return s.replaceTracking(ctx, projectID, c)
	case c.Create:
		return s.useIntegrated(ctx, projectID, c)
	default:
		return s.switchTracking(ctx, projectID, c)
	}
}

// switched are the attributes that a mere switch sets.
func switched(projectID int64, c errortracking.Change) fields {
	fs := fields{{"project_id", &projectID}, {"active", &c.Active}}
	if c.Integrated != nil {
		fs = append(fs, field{"integrated", c.Integrated})
	}
	return fs
}

// useIntegrated makes the project use the integrated tracker.
func (s *Store) useIntegrated(ctx context.Context, projectID int64, c errortracking.Change) (errortracking.Settings, error) {
	put := set(trackingItem.key(projectID), switched(projectID, c)).when("", nil)
	return errortracking.Settings{ProjectID: projectID, Active: c.Active, Integrated: true},
		s.write(ctx, requireProject(projectID), put)
}

// switchTracking changes settings that exist. Its condition is that Change.Apply
// accepts the stored item.
func (s *Store) switchTracking(ctx context.Context, projectID int64, c errortracking.Change) (settings errortracking.Settings, err error) {
	change := set(trackingItem.key(projectID), switched(projectID, c))
	const external = "attribute_exists(api_url) AND attribute_exists(sealed_token)"
	switch {
	case c.Active && c.Integrated == nil:
		change = change.when(exists+" AND (attribute_exists(integrated) OR "+external+")", nil)
	case c.Active && !*c.Integrated:
		change = change.when(external, nil)
	}
	it, err := s.writeAndRead(ctx, change)
	stored, unfit := failed(err, 0)
	switch {
	case unfit && stored == nil:
		return settings, trackings.notFound
	case unfit:
		return s.replaceTracking(ctx, projectID, c) // returns the complaint, unless the item was changed in between
	case err != nil:
		return settings, err
	}
	return trackings.read(it)
}

// replaceTracking reads the settings and writes them back changed. It starts
// again if another caller has changed them in between.
func (s *Store) replaceTracking(ctx context.Context, projectID int64, c errortracking.Change) (errortracking.Settings, error) {
	for {
		stored, err := s.get(ctx, trackingItem.key(projectID))
		if err != nil {
			return errortracking.Settings{}, err
		}
		next, err := changed(stored, projectID, c)
		if err != nil {
			return errortracking.Settings{}, err
		}
		err = s.write(ctx, requireProject(projectID), replaceItem(stored, next).orElse(errStale))
		if !errors.Is(err, errStale) {
			return next, err
		}
	}
}

// changed applies the change to the stored item, nil for none.
func changed(stored item, projectID int64, c errortracking.Change) (errortracking.Settings, error) {
	if stored == nil {
		if !c.Create {
			return errortracking.Settings{}, trackings.notFound
		}
		return c.Apply(errortracking.Settings{ProjectID: projectID})
	}
	was, err := trackings.read(stored)
	if err != nil {
		return errortracking.Settings{}, err
	}
	return c.Apply(was)
}

// replaceItem replaces the stored item by the settings, if it was not written
// since it was read.
func replaceItem(stored item, next errortracking.Settings) change {
	put := create(trackingItem.key(next.ProjectID), trackingFields(&next))
	if stored == nil {
		return put
	}
	return put.when(nonceName+" = :last", item{":last": stored[nonceName]})
}

// PutSealedToken stores a token that was sealed anew.
func (s *Store) PutSealedToken(ctx context.Context, projectID int64, was, sealed []byte) error {
	return s.writeIf(ctx, set(trackingItem.key(projectID), fields{{"sealed_token", &sealed}}).
		when("sealed_token = :was", item{":was": &types.AttributeValueMemberB{Value: was}}))
}

var clientKeyKind = kind[errortracking.ClientKey]{
	noun:     "client key",
	notFound: errortracking.ErrKeyNotFound,
	key:      func(k errortracking.ClientKey) key { return clientKeyItem.key(k.ID) },
	fields:   clientKeyFields,
	entry:    clientKeyEntryFields,
}

func clientKeyEntryFields(k *errortracking.ClientKey) fields {
	return fields{{"id", &k.ID}, {"project_id", &k.ProjectID}, {"created_at", &k.CreatedAt}}
}

func clientKeyFields(k *errortracking.ClientKey) fields {
	return append(clientKeyEntryFields(k), fields{{"public_key", &k.PublicKey}, {"active", &k.Active}}...)
}

// AddClientKey stores the key.
func (s *Store) AddClientKey(ctx context.Context, k errortracking.ClientKey) error {
	return s.write(ctx,
		create(clientKeyItem.key(k.ID), clientKeyFields(&k)).orElse(errortracking.ErrKeyTaken),
		requireProject(k.ProjectID),
		create(clientKeyEntry(k), clientKeyEntryFields(&k)),
	)
}

// ClientKeys returns a page of the project's keys.
func (s *Store) ClientKeys(ctx context.Context, projectID int64, r page.Request) (page.Of[errortracking.ClientKey], error) {
	list := clientKeyList.key(projectID)
	return clientKeyKind.pageOf(ctx, s, walk.List[errortracking.ClientKey]{
		Sources:  []walk.Source[errortracking.ClientKey]{s.clientKeysOf(projectID)},
		Position: positionOfKey,
		Count:    func(ctx context.Context) (int, error) { return s.countUpTo(ctx, list, page.CountLimit+1) },
	}, r)
}

func positionOfKey(k errortracking.ClientKey) page.Position {
	return page.Position{Value: k.CreatedAt.UnixMicro(), ID: k.ID}
}

// clientKeysOf is the source of the list's entries, the newest first.
func (s *Store) clientKeysOf(projectID int64) walk.Source[errortracking.ClientKey] {
	return func(ctx context.Context, after page.Position, n int) (entries []errortracking.ClientKey, err error) {
		first, highest := clientKeyList.key(projectID, int64(0), int64(0)), clientKeyList.key(projectID, int64(math.MaxInt64), int64(math.MaxInt64))
		if after.Some() {
			highest = clientKeyList.key(projectID, after.Value, after.ID-1)
		}
		err = s.between(ctx, key{first.table, first.pk, ""}, first.sk, highest.sk, n, func(it item) (bool, error) {
			var k errortracking.ClientKey
			err := clientKeyEntryFields(&k).read(it)
			entries = append(entries, k)
			return len(entries) < n, err
		})
		return entries, err
	}
}

// RemoveClientKey removes a key of the project.
func (s *Store) RemoveClientKey(ctx context.Context, projectID, id int64) (errortracking.ClientKey, error) {
	k, err := clientKeyKind.get(ctx, s, clientKeyItem.key(id))
	switch {
	case err != nil:
		return errortracking.ClientKey{}, err
	case k.ProjectID != projectID:
		return errortracking.ClientKey{}, clientKeyKind.notFound
	}
	return k, s.write(ctx, mustRemove(clientKeyItem.key(id)).orElse(clientKeyKind.notFound), mustRemove(clientKeyEntry(k)))
}

// removeClientKeys removes all keys of a deleted project.
func (s *Store) removeClientKeys(ctx context.Context, projectID int64) error {
	var all []errortracking.ClientKey
	err := s.query(ctx, clientKeyList.key(projectID), forward, func(it item) (bool, error) {
		var k errortracking.ClientKey
		err := clientKeyEntryFields(&k).read(it)
		all = append(all, k)
		return true, err
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(all, maxTogether) {
		var changes []change
		for _, k := range some {
			changes = append(changes, remove(clientKeyItem.key(k.ID)), remove(clientKeyEntry(k)))
		}
		if err := s.write(ctx, changes...); err != nil {
			return err
		}
	}
	return nil
}
