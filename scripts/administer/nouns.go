package main

import (
	"fmt"
	"slices"
	"strings"

	"gatehouse/shared/approval"
	"gatehouse/shared/geo"
	"gatehouse/shared/incident"
	"gatehouse/shared/instance"
	"gatehouse/shared/license"
	"gatehouse/shared/mail"
	"gatehouse/shared/mergerequest"
	"gatehouse/shared/mirror"
	"gatehouse/shared/notice"
	"gatehouse/shared/oncall"
	"gatehouse/shared/paging"
	"gatehouse/shared/passkey"
	"gatehouse/shared/record"
	"gatehouse/shared/runner"
	"gatehouse/shared/webhook"
)

// nouns are all kinds of records.
func nouns() []record.Noun {
	return slices.Concat(
		approval.Nouns(), geo.Nouns(), incident.Nouns(), instance.Nouns(), license.Nouns(), mail.Nouns(), mergerequest.Nouns(),
		mirror.Nouns(), notice.Nouns(), oncall.Nouns(), paging.Nouns(), passkey.Nouns(), runner.Nouns(), webhook.Nouns(),
	)
}

// recordKinds returns the kinds of those.
func recordKinds() (kinds []record.Kind) {
	for _, n := range nouns() {
		kinds = append(kinds, n.Named())
	}
	return kinds
}

// family is what a kind has in common with those that differ in a number at the end.
func family(k record.Kind) string {
	name, _, _ := strings.Cut(string(k), "-")
	return name
}

// nounOf returns the noun of a kind.
func nounOf(all []record.Noun, k record.Kind) (record.Noun, error) {
	for _, n := range all {
		if family(n.Named()) == family(k) {
			return n, nil
		}
	}
	return nil, fmt.Errorf("there are no records of the kind %q in this release", k)
}
