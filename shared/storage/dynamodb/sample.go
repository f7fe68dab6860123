package dynamodb

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/packed"
)

// Sample returns the sample payload of an integration.
func (s *Store) Sample(ctx context.Context, p project.Project, i integration.Integration) ([]byte, error) {
	_, sample, err := s.EndpointWithSample(ctx, p, i)
	return sample, err
}

// EndpointWithSample returns an integration, what comes with it, and its sample payload, in
// two requests.
func (s *Store) EndpointWithSample(ctx context.Context, p project.Project, i integration.Integration) (integration.Endpoint, []byte, error) {
	settings, at := intakeKey(p.FullPath), integrationKey(p.FullPath, i.Endpoint)
	for before := ""; ; {
		found, err := s.getAll(ctx, []key{settings, at})
		if err != nil {
			return integration.Endpoint{}, nil, fmt.Errorf("get integration: %w", err)
		}
		e, err := sampledEndpoint(found[at], found[settings], p, i)
		if err != nil {
			return integration.Endpoint{}, nil, err
		}
		name, chunks, err := payloadIn(found[at])
		if err != nil || name == "" {
			return e, nil, err
		}
		parts, err := s.getAll(ctx, payloadKeys(name, chunks))
		if err != nil {
			return integration.Endpoint{}, nil, fmt.Errorf("get sample: %w", err)
		}
		if int64(len(parts)) < chunks && name != before { // another replaced it, and removes this one
			before = name
			continue
		}
		whole, err := joinedChunks(parts, payloadKeys(name, chunks))
		if err != nil {
			return integration.Endpoint{}, nil, err
		}
		sample, err := packed.Unpack(whole)
		return e, sample, err
	}
}

// sampledEndpoint returns the endpoint of items, if it is still the integration.
func sampledEndpoint(it, settings item, p project.Project, i integration.Integration) (integration.Endpoint, error) {
	stored, err := integrations.read(it)
	if err == nil && (stored.ID != i.ID || stored.ProjectID != p.ID) {
		err = integrations.notFound
	}
	if err != nil {
		return integration.Endpoint{}, err
	}
	in, err := readIntake(settings, p.ID)
	return integration.Endpoint{Integration: stored, Settings: in.Settings, Environments: in.environmentNames}, err
}

// sample returns where the sample of an integration is; the name is empty if it
// has none.
func (s *Store) sample(ctx context.Context, p project.Project, i integration.Integration) (name string, chunks int64, err error) {
	it, err := s.get(ctx, integrationKey(p.FullPath, i.Endpoint))
	if err != nil {
		return "", 0, fmt.Errorf("get integration: %w", err)
	}
	stored, err := integrations.read(it)
	switch {
	case err != nil:
		return "", 0, err
	case stored.ID != i.ID || stored.ProjectID != p.ID:
		return "", 0, integrations.notFound
	}
	return payloadIn(it)
}

// PutSample stores a sample payload. At any time the integration refers to either
// the new one or the old one.
func (s *Store) PutSample(ctx context.Context, p project.Project, i integration.Integration, sample []byte) error {
	old, oldChunks, err := s.sample(ctx, p, i)
	if err != nil {
		return err
	}
	var next payload
	if sample != nil {
		next = newPayload(sample)
	}
	if err := s.putPayload(ctx, next); err != nil {
		return fmt.Errorf("store sample: %w", err)
	}
	err = s.write(ctx, set(integrationKey(p.FullPath, i.Endpoint), next.fields()).keepNonce().
		when("id = :id", item{":id": number(i.ID)}).orElse(integrations.notFound))
	if errors.Is(err, integrations.notFound) {
		return errors.Join(err, s.removePayload(ctx, next))
	}
	if err != nil {
		return err
	}
	return s.removeSample(ctx, old, oldChunks)
}

// removeSample removes a sample that nothing refers to any more.
func (s *Store) removeSample(ctx context.Context, name string, chunks int64) error {
	return s.removePayload(ctx, payload{name, make([][]byte, chunks)})
}
