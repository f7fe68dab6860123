// Package dispatching makes the dispatcher that the environment configures. Only what
// handles messages imports it.
package dispatching

import (
	"encoding/hex"
	"math/rand/v2"
	"time"

	_ "time/tzdata" // for schedules, where the system has no time zones

	"gatehouse/shared/app"
	"gatehouse/shared/boot"
	"gatehouse/shared/boot/mailer"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/mail"
	"gatehouse/shared/paging"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
)

// LaneOf returns the lane that a partition of the table of messages is.
var LaneOf = dynamodb.LaneOf

// New returns the dispatcher of the app, which is over the store.
func New(env boot.Env, a *app.App, store storage.Store, keys secret.Keys) *dispatch.Dispatcher {
	return With(a, store, keys, mailer.New(env, a.Mails), env.Mail.From)
}

// With returns the dispatcher of an app that sends mails in another way, and is otherwise as
// these say.
func With(a *app.App, store storage.Store, keys secret.Keys, mails mail.Sender, from mail.Address, otherwise ...func(*paging.Config)) *dispatch.Dispatcher {
	c := paging.Config{
		BaseURL: a.BaseURL, Alerts: a.Alerts, Settings: a.Integrations, Incidents: a.Incidents, OnCall: a.OnCall, Attention: a.Attention,
		Webhooks: a.Webhooks, Notices: a.Notices, Members: a.Auth, Links: permit.NewLinks(a.BaseURL, keys), Recovery: a.Recovery, Mails: mails, KeepsMails: a.KeepsMails, From: from, Now: a.Now,
	}
	for _, change := range otherwise {
		change(&c)
	}
	rules := paging.NewRules(store, c)
	return dispatch.New(store, rules.Handlers(), dispatch.Source{
		Now: a.Now, Claim: func() string { return hex.EncodeToString(secret.Random(16)) }, Jitter: rand.Float64, After: time.After,
	}).Hurry(paging.Urgent...)
}
