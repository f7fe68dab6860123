package integration

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/sns"
	"gatehouse/shared/text"
)

// keyPrefix begins every authorization key; 32 hexadecimal digits follow.
const keyPrefix = "gtin-"

// maxRateLimit is the highest rate limit, in requests a minute.
const maxRateLimit = 1_000_000

// Rules create, change and delete integrations.
type Rules struct {
	Reader
	Features Features
	store    Store
	trail    *audit.Trail
	keys     secret.Box
	now      func() time.Time
}

// NewRules returns the rules over a store. The keys seal authorization keys.
func NewRules(store Store, trail *audit.Trail, keys secret.Keys, f Features, now func() time.Time) *Rules {
	return &Rules{Reader: store, Features: f, store: store, trail: trail, keys: keys.Box("integration key"), now: now}
}

// Draft is a new integration.
type Draft struct {
	Name      string
	Type      Type
	Active    bool
	APIURL    string
	Mapping   []byte // as mapping.Parse takes it
	Sample    []byte // a JSON object; empty for none
	RateLimit int
	NoAPIURL  bool   // a metrics integration may do without the address
	Preset    string // the id of the preset that filled the draft
	SNSTopic  string // only with the preset CloudWatchSNS
}

// Create adds an integration with a new key to the project. Mistakes in fields
// are fault.Fields, a second integration of a type where the instance allows one
// is fault.Forbidden, and an active integration beside ones that exclude it is
// fault.Conflict. If the sample cannot be stored the integration is removed.
func (r *Rules) Create(ctx context.Context, by audit.Actor, p project.Project, d Draft) (Integration, error) {
	had, err := r.Integrations(ctx, p)
	if err != nil {
		return Integration{}, err
	}
	i := Integration{
		ProjectID: p.ID, Name: d.Name, Type: d.Type, Active: d.Active, Endpoint: newEndpoint(d.Type, had),
		APIURL: d.APIURL, RateLimit: d.RateLimit, Preset: d.Preset, SNSTopic: d.SNSTopic, CreatedAt: r.now(),
	}
	r.renewKey(&i)
	sample, err := i.normalize(d.Mapping, d.Sample, !d.NoAPIURL)
	if err != nil {
		return Integration{}, err
	}
	if err := r.checkNew(i, had); err != nil {
		return Integration{}, err
	}
	err = r.trail.Do(ctx, i.event(EventCreated, p, by), func(ctx context.Context) (err error) {
		i, err = r.createWithSample(ctx, p, i, had, sample)
		return err
	})
	return i, err
}

func (r *Rules) createWithSample(ctx context.Context, p project.Project, i Integration, had []Integration, sample []byte) (Integration, error) {
	i, err := r.store.CreateIntegration(ctx, p, i, had)
	if err != nil || len(sample) == 0 {
		return i, err
	}
	if err := r.store.PutSample(ctx, p, i, sample); err != nil {
		return Integration{}, errors.Join(err, r.store.DeleteIntegration(context.WithoutCancel(ctx), p, i))
	}
	return i, nil
}

// checkNew checks whether the project can have one more integration.
func (r *Rules) checkNew(i Integration, had []Integration) error {
	if len(i.Mapping) > 0 {
		if err := r.checkMapping(i); err != nil {
			return err
		}
	}
	switch {
	case r.Taken(i.Type, had):
		return fault.New(fault.Forbidden, "Multiple integrations of a type are not supported for this project")
	case len(had) >= MaxIntegrations:
		return fault.New(fault.Conflict, "the project has the most integrations it can have: "+strconv.Itoa(MaxIntegrations))
	}
	return i.checkExclusive(had)
}

// Taken reports whether the instance allows no other integration of the type
// beside these.
func (r *Rules) Taken(t Type, had []Integration) bool {
	return !r.Features.SeveralEndpoints && slices.ContainsFunc(had, func(i Integration) bool { return i.Type == t })
}

// Change is a change of an integration; nil leaves a field as it is.
type Change struct {
	Name      *string
	Active    *bool
	APIURL    *string
	Mapping   *[]byte // as mapping.Parse takes it
	Sample    *[]byte // a JSON object; empty for none
	RateLimit *int
	SNSTopic  *string
	Type      *Type // the present one: it never changes
	Seen      int64 // the Version on which the change was decided; zero: any
}

// Change changes the integration with this id, with the errors of Create, and
// ErrChanged if it was changed since Seen. An unchanged mapping is allowed where
// mappings are not, so that callers can send back what they read. If the
// integration cannot be changed the former sample is restored.
func (r *Rules) Change(ctx context.Context, by audit.Actor, p project.Project, id int64, c Change) (Integration, error) {
	was, had, err := r.find(ctx, p, id)
	if err != nil {
		return Integration{}, err
	}
	if c.Seen != 0 && c.Seen != was.Version {
		return Integration{}, ErrChanged
	}
	if c.Type != nil && *c.Type != was.Type {
		return Integration{}, fault.Field("type", "cannot be changed")
	}
	i, sample, err := was.changed(c)
	if err != nil {
		return Integration{}, err
	}
	if !bytes.Equal(i.Mapping, was.Mapping) {
		if err := r.checkMapping(i); err != nil {
			return Integration{}, err
		}
	}
	if err := i.checkExclusive(had); err != nil {
		return Integration{}, err
	}
	err = r.trail.Do(ctx, i.changeEvent(was, p, by, c), func(ctx context.Context) (err error) {
		if c.Sample == nil {
			i, err = r.store.UpdateIntegration(ctx, p, i, had)
		} else {
			i, err = r.updateWithSample(ctx, p, i, had, sample)
		}
		return err
	})
	return i, err
}

// updateWithSample stores the sample first, because it is easier to restore.
func (r *Rules) updateWithSample(ctx context.Context, p project.Project, i Integration, had []Integration, sample []byte) (Integration, error) {
	former, err := r.Sample(ctx, p, i)
	if err != nil {
		return Integration{}, err
	}
	if err := r.store.PutSample(ctx, p, i, sample); err != nil {
		return Integration{}, err
	}
	updated, err := r.store.UpdateIntegration(ctx, p, i, had)
	if err != nil {
		return Integration{}, errors.Join(err, r.store.PutSample(context.WithoutCancel(ctx), p, i, former))
	}
	return updated, nil
}

// changed returns the integration after the change, with the new sample.
func (i Integration) changed(c Change) (Integration, []byte, error) {
	was := i.APIURL
	set(&i.Name, c.Name)
	set(&i.Active, c.Active)
	set(&i.APIURL, c.APIURL)
	set(&i.RateLimit, c.RateLimit)
	set(&i.SNSTopic, c.SNSTopic)
	text, sample := i.Mapping, []byte(nil)
	set(&text, c.Mapping)
	set(&sample, c.Sample)
	sample, err := i.normalize(text, sample, c.APIURL != nil && *c.APIURL != was)
	return i, sample, err
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// ResetKey gives the integration a new key. The old one ends at once.
func (r *Rules) ResetKey(ctx context.Context, by audit.Actor, p project.Project, id int64) (Integration, error) {
	i, had, err := r.find(ctx, p, id)
	if err != nil {
		return Integration{}, err
	}
	r.renewKey(&i)
	return r.storeKeys(ctx, by, EventKeyReset, p, i, had)
}

// Delete removes the integration.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, p project.Project, i Integration) error {
	return r.trail.Do(ctx, i.event(EventDeleted, p, by), func(ctx context.Context) error {
		return r.store.DeleteIntegration(ctx, p, i)
	})
}

// Find returns the integration of the project with this id, or a
// fault.NotFound error.
func (r *Rules) Find(ctx context.Context, p project.Project, id int64) (Integration, error) {
	i, _, err := r.find(ctx, p, id)
	return i, err
}

func (r *Rules) find(ctx context.Context, p project.Project, id int64) (Integration, []Integration, error) {
	had, err := r.Integrations(ctx, p)
	if err != nil {
		return Integration{}, nil, err
	}
	for _, i := range had {
		if i.ID == id {
			return i, had, nil
		}
	}
	return Integration{}, nil, ErrNotFound
}

// renewKey gives the integration a new authorization key, sealed for the
// integration's address, which is unique.
func (r *Rules) renewKey(i *Integration) {
	key := secret.New(keyPrefix, 16)
	i.KeyDigest, i.SealedKey = key.Digest(), r.keys.Seal([]byte(key.Reveal()), i.label())
}

// Key returns the integration's authorization key, or secret.ErrSealed if the
// instance has lost the key that sealed it. Senders are still let in, and then
// KeepKeys seals it again.
func (r *Rules) Key(i Integration) (secret.Text, error) {
	key, _, err := r.keys.Open(i.SealedKey, i.label())
	return secret.NewText(string(key)), err
}

// KeepKeys seals those keys of the integration that a sender has just presented under the
// instance's present key, unless they are already. A failure must not lose the alert, so it
// is only logged.
func (r *Rules) KeepKeys(ctx context.Context, projectPath string, i Integration, key, pathKey secret.Text) {
	if i.KeyDigest.Matches(key) {
		r.keepKey(ctx, projectPath, i, kept{i.SealedKey, i.label(), r.store.PutSealedKey}, key)
	}
	if i.authorizesPath(pathKey) {
		r.keepKey(ctx, projectPath, i, kept{i.SealedPathKey, i.pathKeyLabel(), r.store.PutSealedPathKey}, pathKey)
	}
}

// kept is a key as it is stored.
type kept struct {
	sealed []byte
	label  string
	put    func(ctx context.Context, projectPath string, i Integration, sealed []byte) error
}

func (r *Rules) keepKey(ctx context.Context, projectPath string, i Integration, k kept, key secret.Text) {
	if _, stale, err := r.keys.Open(k.sealed, k.label); err == nil && !stale {
		return
	}
	if err := k.put(ctx, projectPath, i, r.keys.Seal([]byte(key.Reveal()), k.label)); err != nil {
		slog.ErrorContext(ctx, "authorization key not sealed anew", "integration_id", i.ID, "error", err)
	}
}

// Reseal seals the integration's keys under the instance's present key, unless they
// are already, and reports whether it did. The error is secret.ErrSealed if the
// instance has lost the key that sealed one.
func (r *Rules) Reseal(ctx context.Context, p project.Project, i Integration) (bool, error) {
	done, err := r.reseal(ctx, p, i, kept{i.SealedKey, i.label(), r.store.PutSealedKey})
	if !i.HasPathKey() {
		return done, err
	}
	other, otherErr := r.reseal(ctx, p, i, kept{i.SealedPathKey, i.pathKeyLabel(), r.store.PutSealedPathKey})
	return done || other, errors.Join(err, otherErr)
}

func (r *Rules) reseal(ctx context.Context, p project.Project, i Integration, k kept) (bool, error) {
	anew, err := r.keys.Anew(k.sealed, k.label)
	if err != nil || anew == nil {
		return false, err
	}
	err = k.put(ctx, p.FullPath, i, anew)
	return err == nil, err
}

func (i Integration) label() string { return strconv.FormatInt(i.ProjectID, 10) + "/" + i.Endpoint }

// Authorizes reports whether one of the keys is the integration's, each in constant time.
// The path key is the one in the address, if that holds one: a tool that needs it may send
// credentials that are about something else.
func (i Integration) Authorizes(key, pathKey secret.Text) bool {
	byKey, byPath := i.KeyDigest.Matches(key), i.authorizesPath(pathKey)
	return byKey || byPath
}

// normalize sets the mapping and returns the sample, both as they are stored. The error
// has all complaints about the integration's fields; that a metrics integration has no
// address is one of them only if it needs one.
func (i *Integration) normalize(mappingText, sample []byte, needsAPIURL bool) ([]byte, error) {
	complaints := i.complaints(needsAPIURL)
	var err error
	var wrong fault.Fields
	if i.Mapping, err = readMapping(mappingText); errors.As(err, &wrong) {
		maps.Copy(complaints, wrong)
	}
	if sample, err = readSample(sample); err != nil {
		complaints.Add("payload_example", fault.Message(err))
	}
	return sample, complaints.Err()
}

// complaints returns the complaints about fields other than mapping and sample.
func (i Integration) complaints(needsAPIURL bool) fault.Fields {
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(i.Name))
	if !slices.Contains([]Type{HTTP, Metrics, OnCallLink}, i.Type) {
		complaints.Add("type", "is not included in the list")
	}
	if i.Type == Metrics && needsAPIURL || i.Type == OnCallLink || i.APIURL != "" {
		complaints.Add("api_url", checkURL(i.APIURL))
	}
	if i.RateLimit < 0 || i.RateLimit > maxRateLimit {
		complaints.Add("rate_limit", "must be between 0 and "+strconv.Itoa(maxRateLimit))
	}
	if i.SNSTopic != "" {
		complaints.Add("sns_topic_arn", i.checkTopic())
	}
	return complaints
}

// checkTopic returns the complaint about the topic, or "".
func (i Integration) checkTopic() string {
	if _, ok := sns.ParseTopic(i.SNSTopic); !ok {
		return "must be the ARN of a topic of SNS, such as arn:aws:sns:eu-central-1:111122223333:alarms"
	}
	if i.Preset != CloudWatchSNS {
		return "is for integrations made from the preset " + CloudWatchSNS
	}
	return ""
}

// checkURL returns the complaint about an address for people, or "".
func checkURL(address string) string {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return "can't be blank"
	case utf8.RuneCountInString(address) > 255:
		return "is too long (maximum is 255 characters)"
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return "must be a valid http or https URL"
	case u.User != nil:
		return "must not hold credentials"
	}
	return ""
}

// checkExclusive checks that an active on-call link is the only active integration.
func (i Integration) checkExclusive(others []Integration) error {
	if !i.Active {
		return nil
	}
	for _, other := range others {
		if other.ID != i.ID && other.Active && (other.Type == OnCallLink || i.Type == OnCallLink) {
			return fault.New(fault.Conflict, "the integration "+strconv.Quote(other.Name)+
				" is active: an on-call link and other integrations exclude each other, so switch it off first")
		}
	}
	return nil
}

// ErrNoMapping means that the instance has no mappings.
var ErrNoMapping = fault.New(fault.Forbidden, "Payload mapping is switched off on this instance")

// checkMapping checks whether the integration can have a mapping.
func (r *Rules) checkMapping(i Integration) error {
	switch {
	case !r.Features.Mapping:
		return ErrNoMapping
	case len(i.Mapping) == 0:
		return nil
	case !i.Active && i.Preset == "": // what a preset filled in waits until it is active
		return fault.Field(mappingField, "needs an active integration")
	}
	return checkMapped(i.Type, i.Mapping)
}

// newEndpoint returns the identifier for a new integration: the legacy one of its
// type unless it is taken.
func newEndpoint(t Type, had []Integration) string {
	plain := Legacy
	if t == Metrics {
		plain = LegacyMetrics
	}
	taken := slices.ContainsFunc(had, func(i Integration) bool { return i.Endpoint == plain })
	if taken || t == OnCallLink {
		return hex.EncodeToString(secret.Random(8))
	}
	return plain
}

// Receives reports whether the integration takes alerts.
func (i Integration) Receives() bool { return i.Active && i.Type != OnCallLink }
