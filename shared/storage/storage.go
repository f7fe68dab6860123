// Package storage defines what a store of Gatehouse is. Each package of rules
// declares what it needs; a Store fulfils all of that, and storagetest checks it.
package storage

import (
	"context"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/attention"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
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
	attention.Store
	deprecation.Store
	record.Store
	outbox.Store

	// Ping returns nil when the store can be read.
	Ping(ctx context.Context) error
	// Close ends the store's own work, after all calls have returned.
	Close() error
}
