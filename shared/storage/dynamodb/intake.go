package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

// These items are in the partition of the project's path.
var (
	intakeItem      = shape{directory, "PATH#<full_path>", "INTAKE", "a project's rules for alerts, and environments", ""}
	integrationItem = shape{directory, "PATH#<full_path>", "INTAKE#<endpoint>", "an integration of a project", ""}
)

func intakeKey(projectPath string) key { return intakeItem.key(pathInKey(projectPath)) }

func integrationKey(projectPath, endpoint string) key {
	return integrationItem.key(pathInKey(projectPath), endpoint)
}

// intake is what the intake of alerts needs besides the integration. It is in the
// partition of the project's path, like the integrations, so that one request
// reads all of it, and whether the project is still the one they belong to.
type intake struct {
	integration.Settings
	environmentIDs   []int64
	environmentNames []string
	state            string // identifies the integrations
	revision         int64  // counts all changes; zero: nothing is stored
}

func intakeFields(in *intake) fields {
	return fields{
		{"project_id", &in.ProjectID}, {"fingerprinting", &in.Fingerprinting}, {"version", &in.Version},
		{"create_incident", &in.CreateIncident}, {"incident_template", &in.IncidentTemplate},
		{"leave_incident_open", (*negated)(&in.AutoCloseIncident)}, {"send_email", &in.SendEmail},
		{"retention_days", optionalNumber{&in.RetentionDays}}, {"watched", &in.Watched},
		{"environment_ids", &in.environmentIDs}, {"environment_names", &in.environmentNames},
		{"integrations", &in.state}, {"revision", &in.revision},
	}
}

// negated is a boolean that is stored where it is false, because true is the default.
type negated bool

func (n *negated) value() types.AttributeValue {
	return unless(bool(*n), &types.AttributeValueMemberBOOL{Value: true})
}

func (n *negated) set(value types.AttributeValue) error {
	stored, err := parseBool(value)
	*n = negated(!stored)
	return err
}

// optionalNumber is a number that may be missing, which is not the same as zero.
type optionalNumber struct{ to **int64 }

func (o optionalNumber) value() types.AttributeValue {
	if *o.to == nil {
		return nil
	}
	return number(**o.to)
}

func (o optionalNumber) set(value types.AttributeValue) error {
	n, err := parseNumber(value)
	*o.to = &n
	return err
}

// readIntake reads the item of a project. It ignores one that an earlier project
// with the same path left behind.
func readIntake(it item, projectID int64) (in intake, err error) {
	in.AutoCloseIncident = true // unless the item says otherwise
	if err := intakeFields(&in).read(it); err != nil {
		return intake{}, fmt.Errorf("read stored alert settings: %w", err)
	}
	if in.ProjectID != projectID {
		return intake{Settings: integration.DefaultSettings(projectID)}, nil
	}
	return in, nil
}

func (s *Store) intake(ctx context.Context, p project.Project) (intake, error) {
	it, err := s.get(ctx, intakeKey(p.FullPath))
	if err != nil {
		return intake{}, fmt.Errorf("get alert settings: %w", err)
	}
	return readIntake(it, p.ID)
}

// changeIntake changes the item of an existing project, together with other
// changes. It calls edit again when another caller was faster.
func (s *Store) changeIntake(ctx context.Context, p project.Project, edit func(*intake) error, others ...change) error {
	for {
		in, err := s.intake(ctx, p)
		if err != nil {
			return err
		}
		was := in.revision
		in.revision++
		if err := edit(&in); err != nil {
			return err
		}
		err = s.write(ctx, append([]change{requireProject(p.ID), replaceIntake(p, in, was).orElse(errStale)}, others...)...)
		if !errors.Is(err, errStale) {
			return err
		}
	}
}

// replaceIntake replaces the revision that was read.
func replaceIntake(p project.Project, in intake, was int64) change {
	c := create(intakeKey(p.FullPath), intakeFields(&in))
	if was == 0 {
		return c.when(isNew+" OR project_id <> :mine", item{":mine": number(p.ID)})
	}
	return c.when("project_id = :mine AND revision = :was", item{":mine": number(p.ID), ":was": number(was)})
}

// removeIntake removes the items of a deleted project. They are unreachable, since
// each names its project.
func (s *Store) removeIntake(ctx context.Context, p project.Project) error {
	all, err := s.Integrations(ctx, p)
	if err != nil {
		return err
	}
	for _, i := range all {
		name, chunks, err := s.sample(ctx, p, i)
		if err != nil {
			return err
		}
		if err := errors.Join(s.removeSample(ctx, name, chunks), s.removeOf(ctx, p, integrationKey(p.FullPath, i.Endpoint))); err != nil {
			return err
		}
	}
	return s.removeOf(ctx, p, intakeKey(p.FullPath))
}

// removeOf removes an item, unless a later project has replaced it.
func (s *Store) removeOf(ctx context.Context, p project.Project, k key) error {
	return s.writeIf(ctx, remove(k).when("project_id = :mine", item{":mine": number(p.ID)}))
}

// AlertSettings returns a project's rules for alerts.
func (s *Store) AlertSettings(ctx context.Context, p project.Project) (integration.Settings, error) {
	in, err := s.intake(ctx, p)
	return in.Settings, err
}

// PutAlertSettings stores a project's rules for alerts.
func (s *Store) PutAlertSettings(ctx context.Context, p project.Project, settings integration.Settings) (integration.Settings, error) {
	was := settings.Version
	settings.Version++
	return settings, s.changeIntake(ctx, p, func(in *intake) error {
		if in.Version != was {
			return integration.ErrSettingsChanged
		}
		in.Settings = settings
		return nil
	})
}

// Environments returns the environments of a project.
func (s *Store) Environments(ctx context.Context, p project.Project) ([]project.Environment, error) {
	in, err := s.intake(ctx, p)
	var all []project.Environment
	for n, id := range in.environmentIDs {
		all = append(all, project.Environment{ID: id, ProjectID: p.ID, Name: in.environmentNames[n]})
	}
	return all, err
}

// CreateEnvironment stores an environment.
func (s *Store) CreateEnvironment(ctx context.Context, p project.Project, e project.Environment) (project.Environment, error) {
	var err error
	if e.ID, err = s.next(ctx, idCounter.key("environments")); err != nil {
		return project.Environment{}, err
	}
	return e, s.changeIntake(ctx, p, func(in *intake) error {
		switch {
		case slices.Contains(in.environmentNames, e.Name):
			return fault.Field("name", fault.Taken)
		case len(in.environmentIDs) >= project.MaxEnvironments:
			return project.ErrTooManyEnvironments
		}
		in.environmentIDs = append(in.environmentIDs, e.ID)
		in.environmentNames = append(in.environmentNames, e.Name)
		return nil
	})
}

// DeleteEnvironment removes an environment.
func (s *Store) DeleteEnvironment(ctx context.Context, p project.Project, id int64) error {
	return s.changeIntake(ctx, p, func(in *intake) error {
		n := slices.Index(in.environmentIDs, id)
		if n < 0 {
			return project.ErrEnvironmentNotFound
		}
		in.environmentIDs = slices.Delete(in.environmentIDs, n, n+1)
		in.environmentNames = slices.Delete(in.environmentNames, n, n+1)
		return nil
	})
}
