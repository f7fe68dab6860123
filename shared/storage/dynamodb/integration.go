package dynamodb

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

var integrations = kind[integration.Integration]{noun: "integration", notFound: integration.ErrNotFound, changed: integration.ErrChanged, fields: integrationFields}

func integrationFields(i *integration.Integration) fields {
	return slices.Concat(fields{
		{"id", &i.ID}, {"project_id", &i.ProjectID}, {"type", (*string)(&i.Type)}, {"endpoint", &i.Endpoint},
		{"preset", &i.Preset}, {"created_at", &i.CreatedAt}, {"received", &i.Health.Received}, {"rejected", &i.Health.Rejected},
		{"skipped_items", &i.Health.SkippedItems}, {"truncated_alerts", &i.Health.TruncatedAlerts},
		{"wrong_keys", &i.Health.WrongKeys},
	}, changeable(i), latest(&i.Health))
}

// changeable are the fields that UpdateIntegration changes.
func changeable(i *integration.Integration) fields {
	return fields{
		{"name", &i.Name}, {"active", &i.Active}, {"key_digest", i.KeyDigest[:]}, {"sealed_key", &i.SealedKey},
		{"path_key_digest", &i.PathKeyDigest}, {"sealed_path_key", &i.SealedPathKey},
		{"api_url", &i.APIURL}, {"mapping", &i.Mapping}, {"rate_limit", &i.RateLimit}, {"sns_topic_arn", &i.SNSTopic}, {"version", &i.Version},
	}
}

// latest are the fields of the health that are no counters.
func latest(h *integration.Health) fields {
	return fields{
		{"last_received_at", &h.LastReceivedAt}, {"last_error", &h.LastError},
		{"last_error_at", &h.LastErrorAt}, {"last_wrong_key_at", &h.LastWrongKeyAt},
	}
}

// stateOf identifies integrations and their versions.
func stateOf(all []integration.Integration) string {
	var state []string
	for _, i := range all {
		state = append(state, strconv.FormatInt(i.ID, 10)+":"+strconv.FormatInt(i.Version, 10))
	}
	return strings.Join(state, " ")
}

// EndpointOf returns an integration and what comes with it. The path of the project is read
// cheaply: if it does not fit, all is read again, as the project may be a moment old.
func (s *Store) EndpointOf(ctx context.Context, projectPath, endpoint string) (integration.Endpoint, error) {
	e, err := s.endpointOf(ctx, projectPath, endpoint, s.getCheaply)
	if fault.Is(err, fault.NotFound) {
		return s.endpointOf(ctx, projectPath, endpoint, s.getAll)
	}
	return e, err
}

// endpointOf reads the path of the project with getPath, and the rest as it is now.
func (s *Store) endpointOf(
	ctx context.Context, projectPath, endpoint string, getPath func(context.Context, []key) (map[key]item, error),
) (integration.Endpoint, error) {
	path, settings, at := pathKey(projectPath), intakeKey(projectPath), integrationKey(projectPath, endpoint)
	if !at.possible() {
		at = settings // which is no integration
	}
	var paths, found map[key]item
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) { paths, err = getPath(ctx, []key{path}); return err })
	reads.Go(func() (err error) { found, err = s.getAll(ctx, slices.Compact([]key{settings, at})); return err })
	if err := reads.Wait(); err != nil {
		return integration.Endpoint{}, fmt.Errorf("find integration: %w", err)
	}
	var projectID int64
	if err := (fields{{"project_id", &projectID}}).read(paths[path]); err != nil {
		return integration.Endpoint{}, err
	}
	if projectID == 0 {
		return integration.Endpoint{}, integration.ErrNoProject
	}
	i, err := integrations.read(found[at])
	switch {
	case err != nil:
		return integration.Endpoint{}, err
	case at == settings, i.ProjectID != projectID:
		return integration.Endpoint{}, integrations.notFound
	}
	in, err := readIntake(found[settings], projectID)
	return integration.Endpoint{Integration: i, Settings: in.Settings, Environments: in.environmentNames}, err
}

// Integrations returns the integrations of a project.
func (s *Store) Integrations(ctx context.Context, p project.Project) ([]integration.Integration, error) {
	all, err := integrations.all(ctx, s, integrationItem.key(pathInKey(p.FullPath)))
	all = slices.DeleteFunc(all, func(i integration.Integration) bool { return i.ProjectID != p.ID })
	slices.SortFunc(all, integration.Integration.CompareID)
	return all, err
}

// CreateIntegration stores an integration.
func (s *Store) CreateIntegration(ctx context.Context, p project.Project, i integration.Integration, had []integration.Integration) (integration.Integration, error) {
	var err error
	if i.ID, err = s.next(ctx, idCounter.key("integrations")); err != nil {
		return integration.Integration{}, err
	}
	i.Version = 1
	c := create(integrationKey(p.FullPath, i.Endpoint), integrationFields(&i)).
		when(isNew+" OR project_id <> :mine", item{":mine": number(p.ID)}).orElse(integration.ErrTaken)
	return i, s.changeIntake(ctx, p, swap(had, append(slices.Clone(had), i)), c)
}

// UpdateIntegration changes an integration. An unchanged key stays sealed as it is.
func (s *Store) UpdateIntegration(ctx context.Context, p project.Project, i integration.Integration, had []integration.Integration) (integration.Integration, error) {
	was, fs := i, changeable(&i)
	i.Version++
	has := slices.Clone(had)
	for n := range has {
		if has[n].ID != i.ID {
			continue
		}
		sameKey, samePathKey := has[n].KeyDigest == i.KeyDigest, bytes.Equal(has[n].PathKeyDigest, i.PathKeyDigest)
		fs = slices.DeleteFunc(fs, func(f field) bool {
			return sameKey && f.name == "sealed_key" || samePathKey && f.name == "sealed_path_key"
		})
		has[n] = i
	}
	c := set(integrationKey(p.FullPath, i.Endpoint), fs).
		when("id = :id AND version = :was", item{":id": number(i.ID), ":was": number(was.Version)})
	edit := func(in *intake) error {
		err := swap(had, has)(in)
		if err != nil && !slices.Contains(strings.Fields(in.state), stateOf([]integration.Integration{was})) {
			return integration.ErrChanged
		}
		return err
	}
	return i, s.changeIntake(ctx, p, edit, integrations.explain(c))
}

// swap requires the integrations that the project had, and replaces them.
func swap(had, has []integration.Integration) func(*intake) error {
	return func(in *intake) error {
		if in.state != stateOf(had) {
			return integration.ErrOthersChanged
		}
		in.state = stateOf(has)
		return nil
	}
}

// DeleteIntegration removes an integration, whatever others the project has.
func (s *Store) DeleteIntegration(ctx context.Context, p project.Project, i integration.Integration) error {
	without := func(in *intake) error {
		in.state = strings.Join(slices.DeleteFunc(strings.Fields(in.state), func(one string) bool {
			return strings.HasPrefix(one, strconv.FormatInt(i.ID, 10)+":")
		}), " ")
		return nil
	}
	name, chunks, err := s.sample(ctx, p, i)
	if err != nil {
		return err
	}
	c := mustRemove(integrationKey(p.FullPath, i.Endpoint)).when("id = :id", item{":id": number(i.ID)})
	if err := s.changeIntake(ctx, p, without, c.orElse(integrations.notFound)); err != nil {
		return err
	}
	return s.removeSample(ctx, name, chunks)
}

// PutSealedKey stores a key that was sealed anew.
func (s *Store) PutSealedKey(ctx context.Context, projectPath string, i integration.Integration, sealed []byte) error {
	return s.putSealed(ctx, projectPath, i, "sealed_key", i.SealedKey, sealed)
}

// PutSealedPathKey stores a path key that was sealed anew.
func (s *Store) PutSealedPathKey(ctx context.Context, projectPath string, i integration.Integration, sealed []byte) error {
	return s.putSealed(ctx, projectPath, i, "sealed_path_key", i.SealedPathKey, sealed)
}

func (s *Store) putSealed(ctx context.Context, projectPath string, i integration.Integration, name string, was, sealed []byte) error {
	return s.writeIf(ctx, set(integrationKey(projectPath, i.Endpoint), fields{{name, &sealed}}).
		when("id = :id AND "+name+" = :was", item{":id": number(i.ID), ":was": binary(was)}))
}

// AddHealth adds to the counters of an integration. A repeated request counts
// twice, which does no harm.
func (s *Store) AddHealth(ctx context.Context, projectPath string, i integration.Integration, h integration.Health) error {
	c := change{key: integrationKey(projectPath, i.Endpoint), action: update, item: item{}}
	for _, f := range latest(&h) {
		if value := f.value(); value != nil {
			c.item[f.name] = value
		}
	}
	c.add = item{
		"received": number(h.Received), "rejected": number(h.Rejected),
		"skipped_items": number(h.SkippedItems), "truncated_alerts": number(h.TruncatedAlerts),
		"wrong_keys": number(h.WrongKeys),
	}
	return s.writeIf(ctx, c.when("id = :id", item{":id": number(i.ID)}).keepNonce())
}

// TakeRate counts a request in its minute: in two requests for the first of a
// minute, else in one.
func (s *Store) TakeRate(ctx context.Context, projectPath string, i integration.Integration, now time.Time) (bool, error) {
	at, minute := integrationKey(projectPath, i.Endpoint), now.Unix()/60
	is := item{":id": number(i.ID), ":minute": number(minute)}
	more := add(at, "rate_count", 1).keepNonce()
	more.item = item{"rate_minute": number(minute)}
	for {
		within := more.when("id = :id AND rate_minute = :minute AND rate_count < :limit",
			item{":id": is[":id"], ":minute": is[":minute"], ":limit": number(int64(i.RateLimit))})
		err := s.write(ctx, within)
		stored, no := failed(err, 0)
		if !no {
			return err == nil, err
		}
		var counted, one int64 = 0, 1
		if err := (fields{{"rate_minute", &counted}}).read(stored); err != nil {
			return false, err
		}
		if counted == minute || stored == nil {
			return false, nil
		}
		first := set(at, fields{{"rate_minute", &minute}, {"rate_count", &one}}).keepNonce().
			when("id = :id AND (attribute_not_exists(rate_minute) OR rate_minute <> :minute)", is)
		err = s.write(ctx, first)
		if _, begun := failed(err, 0); !begun {
			return err == nil, err
		}
	}
}
