package backend

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/shared/storage"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite"
)

// ErrUnfinished means that the data is incomplete: an import has not ended.
var ErrUnfinished = errors.New("an import into this store has not ended; run scripts/admin import with its file again")

// refuseUnfinished returns ErrUnfinished while an import has not ended. A server would take
// the part that is there for all: it makes an administrator where it finds none, and a new
// password for one without tokens.
func refuseUnfinished(ctx context.Context, s storage.Store) error {
	var unfinished func(context.Context) (archive.Progress, error)
	switch s := s.(type) {
	case *sqlite.Store:
		unfinished = sqlite.Archive(s).Unfinished
	case *dynamodb.Store:
		unfinished = dynamodb.Archive(s, nil).Unfinished
	default:
		return nil // no other has imports
	}
	p, err := unfinished(ctx)
	if err != nil {
		return fmt.Errorf("look for an import: %w", err)
	}
	if p != (archive.Progress{}) {
		return ErrUnfinished
	}
	return nil
}
