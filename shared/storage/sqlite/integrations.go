package sqlite

import (
	"context"
	"errors"
	"slices"
	"time"

	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

var integrations = newKind("integrations", integrationColumns, integration.ErrNotFound, integration.ErrChanged)

func integrationColumns(i *integration.Integration) columns {
	h := &i.Health
	return columns{
		{"id", given{&i.ID}}, {"project_id", &i.ProjectID}, {"name", &i.Name},
		{"type", &i.Type}, {"active", &i.Active}, {"endpoint", &i.Endpoint},
		{"key_digest", i.KeyDigest[:]}, {"sealed_key", &i.SealedKey}, {"api_url", &i.APIURL},
		{"path_key_digest", &i.PathKeyDigest}, {"sealed_path_key", &i.SealedPathKey}, {"mapping", &i.Mapping}, {"rate_limit", &i.RateLimit}, {"preset", &i.Preset}, {"created_at", &i.CreatedAt},
		{"sns_topic_arn", &i.SNSTopic},
		{"version", &i.Version}, {"last_received_at", &h.LastReceivedAt}, {"received", &h.Received},
		{"rejected", &h.Rejected}, {"skipped_items", &h.SkippedItems}, {"truncated_alerts", &h.TruncatedAlerts},
		{"last_error", &h.LastError}, {"last_error_at", &h.LastErrorAt},
		{"wrong_keys", &h.WrongKeys}, {"last_wrong_key_at", &h.LastWrongKeyAt},
	}
}

// endpoints are integrations with what comes with them: intake reads all of it at once.
var endpoints = kind[integration.Endpoint]{
	table: "integrations", notFound: integration.ErrNotFound, columns: endpointColumns, complete: completeEndpoint,
	join: ` JOIN paths ON paths.project_id = integrations.project_id
		LEFT JOIN alert_settings ON alert_settings.project_id = integrations.project_id`,
}.prepared()

const environmentsOfProject = `(SELECT json_group_array(name) FROM
	(SELECT name FROM environments WHERE environments.project_id = integrations.project_id ORDER BY id))`

func endpointColumns(e *integration.Endpoint) columns {
	cs := append(integrationColumns(&e.Integration), column{environmentsOfProject, given{(*list[string])(&e.Environments)}})
	for _, c := range settingsColumns(&e.Settings) {
		name := "alert_settings." + c.name
		if _, nullable := c.variable.(**int64); !nullable {
			name = "ifnull(" + name + ", 0)"
		}
		cs = append(cs, column{name, given{c.variable}})
	}
	return cs
}

// completeEndpoint is for a project without settings of its own.
func completeEndpoint(e *integration.Endpoint) {
	if e.Settings.ProjectID == 0 {
		e.Settings = integration.DefaultSettings(e.ProjectID)
	}
}

const byPath = "WHERE paths.key = ? AND integrations.endpoint = ?"

// EndpointOf returns an integration and what comes with it.
func (s *Store) EndpointOf(ctx context.Context, projectPath, endpoint string) (integration.Endpoint, error) {
	e, err := endpoints.find(ctx, s.readers, byPath, key(projectPath), endpoint)
	if errors.Is(err, integration.ErrNotFound) {
		err = s.noEndpoint(ctx, projectPath)
	}
	return e, err
}

// noEndpoint returns why a project's endpoint was not found.
func (s *Store) noEndpoint(ctx context.Context, projectPath string) error {
	const query = "SELECT 1 FROM paths WHERE key = ? AND project_id IS NOT NULL"
	if _, err := find(ctx, s.readers, integration.ErrNoProject, scalar[int64], query, key(projectPath)); err != nil {
		return err
	}
	return integration.ErrNotFound
}

// Integrations returns the integrations of a project.
func (s *Store) Integrations(ctx context.Context, p project.Project) ([]integration.Integration, error) {
	return integrations.all(ctx, s.readers, ofProject, p.ID)
}

const ofProject = "WHERE project_id = ? ORDER BY id"

// CreateIntegration stores an integration.
func (s *Store) CreateIntegration(ctx context.Context, p project.Project, i integration.Integration, had []integration.Integration) (integration.Integration, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(p.ID); err != nil {
			return err
		}
		if err := tx.requireIntegrations(p, had); err != nil {
			return err
		}
		if err := tx.refuse(integration.ErrTaken,
			"SELECT 1 FROM integrations WHERE project_id = ? AND endpoint = ?", p.ID, i.Endpoint); err != nil {
			return err
		}
		i.Version = 1
		var err error
		i.ID, err = integrations.insert(tx, &i)
		return err
	})
	return i, err
}

// requireIntegrations returns an error unless the project has the integrations
// that the caller read.
func (tx *transaction) requireIntegrations(p project.Project, had []integration.Integration) error {
	have, err := integrations.all(context.Background(), tx, ofProject, p.ID)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(have, had, integration.Integration.SameVersion) {
		return integration.ErrOthersChanged
	}
	return nil
}

// UpdateIntegration changes an integration. An unchanged key stays sealed as it is.
func (s *Store) UpdateIntegration(ctx context.Context, p project.Project, i integration.Integration, had []integration.Integration) (integration.Integration, error) {
	err := s.writer.do(ctx, func(tx *transaction) error {
		if err := integrations.requireVersion(tx, i.Version, "WHERE id = ?", i.ID); err != nil {
			return err
		}
		if err := tx.requireIntegrations(p, had); err != nil {
			return err
		}
		i.Version++
		return tx.exec(`
			UPDATE integrations SET name = ?1, active = ?2, key_digest = ?3,
				sealed_key = CASE key_digest WHEN ?3 THEN sealed_key ELSE ?4 END, path_key_digest = ifnull(?5, x''),
				sealed_path_key = CASE path_key_digest WHEN ifnull(?5, x'') THEN sealed_path_key ELSE ifnull(?6, x'') END,
				api_url = ?7, mapping = ?8, rate_limit = ?9, version = ?10, sns_topic_arn = ?11 WHERE id = ?12`,
			i.Name, i.Active, i.KeyDigest[:], i.SealedKey, i.PathKeyDigest, i.SealedPathKey, i.APIURL, i.Mapping, i.RateLimit,
			i.Version, i.SNSTopic, i.ID)
	})
	return i, err
}

// DeleteIntegration removes an integration.
func (s *Store) DeleteIntegration(ctx context.Context, _ project.Project, i integration.Integration) error {
	return integrations.remove(ctx, s, "WHERE id = ?", i.ID)
}

// Sample returns the sample payload of an integration.
func (s *Store) Sample(ctx context.Context, p project.Project, i integration.Integration) ([]byte, error) {
	return find(ctx, s.readers, integration.ErrNotFound, scalar[[]byte],
		"SELECT sample FROM integrations WHERE id = ? AND project_id = ?", i.ID, p.ID)
}

// EndpointWithSample returns an integration, what comes with it, and its sample payload.
func (s *Store) EndpointWithSample(ctx context.Context, p project.Project, i integration.Integration) (integration.Endpoint, []byte, error) {
	e, err := endpoints.find(ctx, s.readers, byPath+" AND integrations.id = ?", key(p.FullPath), i.Endpoint, i.ID)
	if err != nil {
		return integration.Endpoint{}, nil, err
	}
	sample, err := s.Sample(ctx, p, i)
	return e, sample, err
}

// PutSample stores a sample payload.
func (s *Store) PutSample(ctx context.Context, p project.Project, i integration.Integration, sample []byte) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(integration.ErrNotFound, "UPDATE integrations SET sample = ? WHERE id = ? AND project_id = ?",
			sample, i.ID, p.ID)
	})
}

// PutSealedKey stores a key that was sealed anew.
func (s *Store) PutSealedKey(ctx context.Context, _ string, i integration.Integration, sealed []byte) error {
	return s.exec(ctx, "UPDATE integrations SET sealed_key = ? WHERE id = ? AND sealed_key = ?", sealed, i.ID, i.SealedKey)
}

// PutSealedPathKey stores a path key that was sealed anew.
func (s *Store) PutSealedPathKey(ctx context.Context, _ string, i integration.Integration, sealed []byte) error {
	return s.exec(ctx, "UPDATE integrations SET sealed_path_key = ? WHERE id = ? AND sealed_path_key = ?", sealed, i.ID, i.SealedPathKey)
}

// AddHealth adds to the counters of an integration.
func (s *Store) AddHealth(ctx context.Context, _ string, i integration.Integration, h integration.Health) error {
	return s.exec(ctx, `
		UPDATE integrations SET received = received + ?, rejected = rejected + ?, skipped_items = skipped_items + ?,
			truncated_alerts = truncated_alerts + ?, last_received_at = max(last_received_at, ?),
			last_error = iif(? > last_error_at, ?, last_error), last_error_at = max(last_error_at, ?),
			wrong_keys = wrong_keys + ?, last_wrong_key_at = max(last_wrong_key_at, ?)
		WHERE id = ?`,
		h.Received, h.Rejected, h.SkippedItems, h.TruncatedAlerts, micros(h.LastReceivedAt),
		micros(h.LastErrorAt), h.LastError, micros(h.LastErrorAt),
		h.WrongKeys, micros(h.LastWrongKeyAt), i.ID)
}

// TakeRate counts a request in its minute.
func (s *Store) TakeRate(ctx context.Context, _ string, i integration.Integration, now time.Time) (bool, error) {
	taken := false
	minute := now.Unix() / 60
	err := s.writer.do(ctx, func(tx *transaction) (err error) {
		taken, err = tx.change(`
			UPDATE integrations SET rate_minute = ?, rate_count = iif(rate_minute = ?, rate_count + 1, 1)
			WHERE id = ? AND (rate_minute <> ? OR rate_count < ?)`, minute, minute, i.ID, minute, i.RateLimit)
		return err
	})
	return taken, err
}
