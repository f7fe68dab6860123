package dynamodb

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// maxChunk keeps an item below the 400 KB that DynamoDB takes.
const maxChunk = 350 << 10

// sampleFields tell where an integration's sample is: in so many chunks under
// a name of their own, which a later sample does not share. So a sample is
// replaced at once, by the change of the integration's item.
func sampleFields(name *string, chunks *int64) fields {
	return fields{{"sample", name}, {"sample_chunks", chunks}}
}

// Sample returns the sample payload of an integration.
func (s *Store) Sample(ctx context.Context, p project.Project, i integration.Integration) ([]byte, error) {
	for {
		name, chunks, err := s.sample(ctx, p, i)
		if err != nil || name == "" {
			return nil, err
		}
		found, err := s.getAll(ctx, sampleKeys(name, chunks))
		if err != nil {
			return nil, fmt.Errorf("get sample: %w", err)
		}
		if len(found) < int(chunks) {
			continue // another was put in its place
		}
		var sample []byte
		for _, k := range sampleKeys(name, chunks) {
			var chunk []byte
			if err := (fields{{"chunk", &chunk}}).read(found[k]); err != nil {
				return nil, err
			}
			sample = append(sample, chunk...)
		}
		return sample, nil
	}
}

// sample returns where the sample of an integration is.
func (s *Store) sample(ctx context.Context, p project.Project, i integration.Integration) (name string, chunks int64, err error) {
	it, err := s.get(ctx, integrationKey(p.FullPath, i.Endpoint))
	if err != nil {
		return "", 0, fmt.Errorf("get integration: %w", err)
	}
	stored, err := integrations.read(it)
	if err == nil && (stored.ID != i.ID || stored.ProjectID != p.ID) {
		return "", 0, integrations.missing()
	}
	return name, chunks, sampleFields(&name, &chunks).read(it)
}

// PutSample keeps a sample payload.
func (s *Store) PutSample(ctx context.Context, p project.Project, i integration.Integration, sample []byte) error {
	old, oldChunks, err := s.sample(ctx, p, i)
	if err != nil {
		return err
	}
	var name string
	parts := slices.Collect(slices.Chunk(sample, maxChunk))
	chunks := int64(len(parts))
	if chunks > 0 {
		name = hex.EncodeToString(secret.Random(16))
	}
	for n, k := range sampleKeys(name, chunks) {
		if err := s.write(ctx, create(k, fields{{"chunk", &parts[n]}})); err != nil {
			return fmt.Errorf("store sample: %w", err)
		}
	}
	err = s.write(ctx, set(integrationKey(p.FullPath, i.Endpoint), sampleFields(&name, &chunks)).unsigned().
		when("id = :id", item{":id": number(i.ID)}))
	if _, gone := refused(err, 0); gone {
		old, oldChunks, err = name, chunks, integrations.missing()
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return errors.Join(err, s.forgetSample(ctx, old, oldChunks))
}

// forgetSample removes chunks that nothing refers to any more.
func (s *Store) forgetSample(ctx context.Context, name string, chunks int64) error {
	for _, k := range sampleKeys(name, chunks) {
		if err := s.write(ctx, forget(k)); err != nil {
			return err
		}
	}
	return nil
}
