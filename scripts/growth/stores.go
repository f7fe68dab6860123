package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/boot"
	"gatehouse/shared/fault"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/tables"
	"gatehouse/shared/storage/sqlite"
	"gatehouse/shared/user"
)

// kept is how long a filled store can be used again, before its sessions expire.
const kept = 5 * 24 * time.Hour

// stores opens stores of one kind and closes them in the end.
type stores struct {
	options
	meter     *meter         // of DynamoDB; nil on SQLite
	client    sdk.HTTPClient // of DynamoDB
	env       boot.Env
	directory string
	opened    []storage.Store
}

func newStores(o options) (*stores, error) {
	s := &stores{options: o}
	if !o.dynamoDB {
		return s, s.makeDirectory()
	}
	var err error
	if s.env, err = boot.ReadEnv(os.Getenv); err != nil {
		return nil, err
	}
	if s.env.DynamoDBEndpoint == "" {
		return nil, errors.New("AWS_ENDPOINT_URL_DYNAMODB names no emulator")
	}
	s.env.TablePrefix = cmp.Or(o.data, fmt.Sprintf("growth-%d", time.Now().UnixNano()))
	s.meter = &meter{client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * dynamoDBWorkers}}}
	s.meter.puts.client = &s.meter.client
	s.client = s.meter
	return s, nil
}

func (s *stores) makeDirectory() (err error) {
	if s.directory = s.data; s.data != "" {
		return os.MkdirAll(s.data, 0o700)
	}
	s.directory, err = os.MkdirTemp("", "gatehouse-growth-")
	return err
}

func (s *stores) close() {
	for _, store := range s.opened {
		store.Close()
	}
	if !s.dynamoDB && s.data == "" {
		os.RemoveAll(s.directory)
	}
}

// site returns a filled store with people who make calls.
func (s *stores) site(ctx context.Context, name string, size size, now time.Time) (*site, error) {
	name += "-" + size.digest()
	store, err := s.filled(ctx, name, size, now)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", name, err)
	}
	return newSite(ctx, store, size, now)
}

// filled opens the store with this name, and fills it unless an earlier run did.
func (s *stores) filled(ctx context.Context, name string, size size, now time.Time) (storage.Store, error) {
	store, err := s.open(ctx, name)
	if err != nil {
		return nil, err
	}
	marker, err := store.UserByLogin(ctx, markerName)
	switch {
	case err == nil && now.Sub(marker.CreatedAt) < kept:
		fmt.Fprintln(s.progress, name, "was filled before")
		return store, nil
	case fault.IgnoreNotFound(err) != nil:
		return nil, err
	}
	if store, err = s.emptied(ctx, name, store); err != nil {
		return nil, err
	}
	start := time.Now()
	f := filler{Store: store, size: size, workers: s.workers(), now: now, name: name, progress: s.progress}
	if err := f.fill(ctx); err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}
	fmt.Fprintln(s.progress, name, "filled in", time.Since(start).Round(time.Second))
	return store, nil
}

// The workers that fill a store. SQLite commits what they do together.
const (
	sqliteWorkers   = 256
	dynamoDBWorkers = 48
)

func (s *stores) workers() int {
	if s.dynamoDB {
		return dynamoDBWorkers
	}
	return sqliteWorkers
}

func (s *stores) open(ctx context.Context, name string) (store storage.Store, err error) {
	if s.dynamoDB {
		store, err = s.openDynamoDB(ctx, name)
	} else {
		store, err = sqlite.Open(s.file(name))
	}
	if err == nil {
		s.opened = append(s.opened, store)
	}
	return store, err
}

func (s *stores) file(name string) string { return filepath.Join(s.directory, name+".db") }

func (s *stores) openDynamoDB(ctx context.Context, name string) (storage.Store, error) {
	env := s.env
	env.TablePrefix += "-" + name
	o := boot.DynamoDB(env)
	o.HTTPClient = s.client
	return dynamodb.New(o), tables.Create(ctx, o, s.template)
}

// emptied returns the store without what an interrupted or old fill left in it.
func (s *stores) emptied(ctx context.Context, name string, store storage.Store) (storage.Store, error) {
	_, err := store.User(ctx, 1)
	switch {
	case fault.Is(err, fault.NotFound):
		return store, nil
	case err != nil:
		return nil, err
	case s.dynamoDB:
		return nil, fmt.Errorf("an earlier run left the tables %s-%s in part or long ago; choose another name for -data", s.env.TablePrefix, name)
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(s.file(name) + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return s.open(ctx, name)
}

// markerName is the user name of the last user who is added to a store.
const markerName = "filled"

// mark notes that the store is filled.
func (f *filler) mark(ctx context.Context) error {
	_, err := f.CreateUser(ctx, user.User{
		Username: markerName, Name: markerName, Email: markerName + "@example.com", State: user.Active, CreatedAt: f.now,
	})
	return err
}
