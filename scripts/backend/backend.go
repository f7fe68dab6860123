// Package backend opens the store and the instance keys that the environment names.
package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/tables"
	"gatehouse/shared/storage/sqlite"
)

// Backend is a store with its instance keys.
type Backend struct {
	Store storage.Store
	Keys  secret.Keys
	// DispatchEvery is the pause between two looks for messages that are due. A look at
	// DynamoDB takes a request for each part of an index.
	DispatchEvery time.Duration
}

// sweepEvery is how often an embedded store deletes expired data. DynamoDB does that
// itself.
const sweepEvery = time.Hour

// Open opens them. On an emulator of DynamoDB it creates the tables of the template. It
// refuses data of which only a part is imported.
func Open(ctx context.Context, env boot.Env, template string) (*Backend, error) {
	b, err := OpenToImport(ctx, env, template)
	if err != nil {
		return nil, err
	}
	if err := refuseUnfinished(ctx, b.Store); err != nil {
		return nil, errors.Join(err, b.Store.Close())
	}
	return b, nil
}

// OpenToImport opens them as Open does, also while an import has not ended.
func OpenToImport(ctx context.Context, env boot.Env, template string) (*Backend, error) {
	var b Backend
	var err error
	if env.Store == "dynamodb" {
		b.Store, err = openDynamoDB(ctx, env, template)
		b.DispatchEvery = 2 * time.Second
	} else {
		b.Store, err = openSQLite(env)
		b.DispatchEvery = 500 * time.Millisecond
	}
	if err != nil {
		return nil, err
	}
	if b.Keys, err = keys(ctx, env); err != nil {
		return nil, errors.Join(err, b.Store.Close())
	}
	return &b, nil
}

func openSQLite(env boot.Env) (storage.Store, error) {
	if err := dataDir(env); err != nil {
		return nil, err
	}
	report, end := showProgress(os.Stderr)
	defer end()
	store, err := sqlite.OpenReporting(filepath.Join(env.Data, "gatehouse.db"), report)
	if err != nil {
		return nil, fmt.Errorf("open the data in %s: %w", env.Data, err)
	}
	return store, nil
}

// openDynamoDB creates the tables on an emulator. In a deployment the template creates
// them.
func openDynamoDB(ctx context.Context, env boot.Env, template string) (storage.Store, error) {
	options := boot.DynamoDB(env)
	if env.DynamoDBEndpoint != "" {
		if err := tables.Create(ctx, options, template); err != nil {
			return nil, fmt.Errorf("create the tables on %s: %w", env.DynamoDBEndpoint, err)
		}
	}
	return dynamodb.New(options), nil
}

func keys(ctx context.Context, env boot.Env) (secret.Keys, error) {
	if env.KeySecretARN != "" {
		return boot.SecretKeys(ctx, env)
	}
	if err := dataDir(env); err != nil {
		return secret.Keys{}, err
	}
	return boot.KeyFile(env.Data)
}

func dataDir(env boot.Env) error {
	err := os.MkdirAll(env.Data, 0o700)
	if err == nil {
		err = writable(env.Data)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be written; make it writable, or choose another directory with GATEHOUSE_DATA", env.Data)
	}
	if err != nil {
		return fmt.Errorf("data directory (GATEHOUSE_DATA): %w", err)
	}
	return nil
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, "writable.*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Sweep deletes expired data now and then, where the store does not do so itself.
func (b *Backend) Sweep(ctx context.Context) {
	sweeper, ok := b.Store.(interface {
		Sweep(context.Context, time.Time) error
	})
	if !ok {
		return
	}
	for tick := time.NewTicker(sweepEvery); ; {
		if err := sweeper.Sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "expired data not swept", "error", err)
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

// Close closes the store.
func (b *Backend) Close() {
	if err := b.Store.Close(); err != nil {
		slog.Error("store not closed cleanly", "error", err)
	}
}
