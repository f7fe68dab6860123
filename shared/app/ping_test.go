package app_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse/shared/app"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

// hanging is a store that never answers.
type hanging struct{ storage.Store }

func (hanging) Ping(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestPingHasThreeSeconds(t *testing.T) {
	keys, err := secret.NewKeys(make([]byte, secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		a := app.New(hanging{}, app.Config{Keys: keys, Now: time.Now})
		began := time.Now()
		err := a.Ping(t.Context())
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 3*time.Second {
			t.Errorf("Ping = %v after %s, want no answer after 3s", err, took)
		}
	})
}
