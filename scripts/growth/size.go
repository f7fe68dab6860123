package main

import (
	"fmt"
	"hash/fnv"
)

// size is how much a store holds.
type size struct {
	users, groups, projects, memberships int
	clients, grants, tokens, entries     int
	alerts, members                      int // of the busy project
	// What the person "many" has.
	projectsOfMany, groupsOfMany, grantsOfMany, tokensOfMany, sessionsOfMany int
}

// smallSize is a store in which every list still fills a page.
var smallSize = size{
	users: 200, groups: 200, projects: 20, memberships: 600,
	clients: 20, grants: 200, tokens: 200, entries: 1000,
	alerts: 100, members: 50,
	projectsOfMany: 20, groupsOfMany: 200, grantsOfMany: 100, tokensOfMany: 20, sessionsOfMany: 20,
}

// fullSize is a big organisation.
var fullSize = size{
	users: 100_000, groups: 10_000, projects: 20_000, memberships: 200_000,
	clients: 1000, grants: 100_000, tokens: 100_000, entries: 1_000_000,
	alerts: 200_000, members: 5000,
	projectsOfMany: 5000, groupsOfMany: 2500, grantsOfMany: 20_000, tokensOfMany: 1000, sessionsOfMany: 1000,
}

// wideSize is a store in which everybody sees more projects than a search looks at.
var wideSize = size{
	users: 1000, groups: 1000, projects: 8000, memberships: 2000,
	clients: 20, grants: 100, tokens: 100, entries: 100,
	alerts: 100, members: 50,
	projectsOfMany: 20, groupsOfMany: 200, grantsOfMany: 20, tokensOfMany: 20, sessionsOfMany: 20,
}

// pageSize is a store in which lists fill a page and no more.
var pageSize = size{
	users: 40, groups: 20, projects: 24, memberships: 80, clients: 4, grants: 20, tokens: 20, entries: 40, alerts: 40, members: 20,
	projectsOfMany: 20, groupsOfMany: 20, grantsOfMany: 20, tokensOfMany: 20, sessionsOfMany: 5,
}

func (s *size) fields() []*int {
	return []*int{
		&s.users, &s.groups, &s.projects, &s.memberships, &s.clients, &s.grants, &s.tokens, &s.entries, &s.alerts, &s.members,
		&s.projectsOfMany, &s.groupsOfMany, &s.grantsOfMany, &s.tokensOfMany, &s.sessionsOfMany,
	}
}

// scaled returns a multiple of the size, but in nothing less than smallSize.
func (s size) scaled(by float64) size {
	least := smallSize
	for i, field := range s.fields() {
		*field = max(int(float64(*field)*by), *least.fields()[i])
	}
	return s
}

// String lists what the store holds.
func (s size) String() string {
	return fmt.Sprintf("%d users, %d groups, %d projects, %d memberships, %d grants, %d tokens and %d audit entries; "+
		"one project with %d alerts and %d members; one person in %d projects and %d groups, with %d grants, %d tokens and %d sessions",
		s.users, s.groups, s.projects, s.memberships, s.grants, s.tokens, s.entries,
		s.alerts, s.members, s.projectsOfMany, s.groupsOfMany, s.grantsOfMany, s.tokensOfMany, s.sessionsOfMany)
}

// digest distinguishes sizes in names of stores.
func (s size) digest() string {
	h := fnv.New32a()
	fmt.Fprint(h, fillVersion, s.clients, s)
	return fmt.Sprintf("%08x", h.Sum32())
}
