// Package storage says what a store of Gatehouse is. Each package of rules
// declares what it needs; a Store keeps all those promises, and storagetest
// holds every store to them.
package storage

import (
	"context"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/project"
	"gatehouse/shared/session"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// Store keeps everything that Gatehouse knows.
type Store interface {
	user.Store
	accesstoken.Store
	session.Store
	throttle.Store
	twofactor.Store
	project.Store
	oauth.Store
	oidc.Store
	audit.Store
	errortracking.Store
	integration.Store
	alert.Store

	// Ping answers nil when the store can be read.
	Ping(ctx context.Context) error
	// Close ends the store's own work once all calls have returned.
	Close() error
}
