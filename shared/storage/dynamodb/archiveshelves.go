package dynamodb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/reservation"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// all returns where the things of each kind are, by its name.
func (a *archived) all() map[string]shelf {
	s := a.Store
	return map[string]shelf{
		archive.Numbers.Name():       {a.dumpNumbers, putting(s, putNumber)},
		archive.SigningKeys.Name():   {a.dumpSigningKeys, putting(s, putSigningKeys)},
		archive.Users.Name():         perKey(s, users, userList.key(), func(u user.User) int64 { return u.ID }, at(userItem), a.loadUsers),
		archive.Namespaces.Name():    perKey(s, groups, userList.key(), func(g project.Group) int64 { return g.OwnerID }, a.namespaceOf, putting(s, putNamespace)),
		archive.Groups.Name():        perKey(s, groups, groupList.key(), func(g project.Group) int64 { return g.ID }, at(groupItem), a.loadGroups),
		archive.Projects.Name():      perKey(s, projects, projectList.key(), func(p project.Project) int64 { return p.ID }, at(projectItem), creating(s, 0, createProject)),
		archive.Members.Name():       {a.dumpMembers, putting(s, putMember)},
		archive.ReservedPaths.Name(): {a.dumpReserved, a.loadReserved},
		archive.SecondFactors.Name(): perKey(s, secondFactors, userList.key(), func(f twofactor.Factor) int64 { return f.UserID }, at(factorItem), putting(s, putFactor)),
		archive.AccessTokens.Name():  perKey(s, accessTokens, tokenList.key(), func(t accesstoken.Token) int64 { return t.ID }, a.tokenWithID, putting(s, putToken)),
		archive.Clients.Name():       perKey(s, clients, clientList.key(), func(c oauth.Client) int64 { return c.ID }, a.clientWithID, putting(s, putClient)),
		archive.Grants.Name():        perUser(s, func(g oauth.Grant) int64 { return g.UserID }, a.grantsOf, putGrant),
		archive.Authorizations.Name(): perUser(s, func(of oauth.Summary) int64 { return of.UserID }, func(ctx context.Context, id int64, _ time.Time) ([]oauth.Summary, error) {
			return summaries.all(ctx, s, summaryItem.key(id))
		}, func(of oauth.Summary) []change {
			return []change{replace(summaryItem.key(of.UserID, of.ClientID), summaryFields(&of)), replace(personOf(of), nil)}
		}),
		archive.Tracking.Name():       perKey(s, trackings, projectList.key(), func(t errortracking.Settings) int64 { return t.ProjectID }, at(trackingItem), putting(s, putTracking)),
		archive.ClientKeys.Name():     perProject(s, func(k errortracking.ClientKey) int64 { return k.ProjectID }, a.clientKeysOfProject, putting(s, putClientKey)),
		archive.AlertSettings.Name():  perProject(s, func(t integration.Settings) int64 { return t.ProjectID }, a.alertSettingsOf, a.loadAlertSettings),
		archive.Environments.Name():   perProject(s, func(e project.Environment) int64 { return e.ProjectID }, a.environmentsOf, a.loadEnvironments),
		archive.Integrations.Name():   perProject(s, func(i archive.Integration) int64 { return i.ProjectID }, a.integrationsOf, a.loadIntegrations),
		archive.AlertDays.Name():      perProject(s, func(d archive.AlertDay) int64 { return d.ProjectID }, a.daysOf, putting(s, putDay)),
		archive.Alerts.Name():         {a.dumpAlerts, a.loadAlerts},
		archive.Records.Name():        {a.dumpRecords, putting(s, putRecord)},
		archive.Messages.Name():       {a.dumpMessages, putting(s, putMessage)},
		archive.DeadMessages.Name():   {a.dumpDeadMessages, putting(s, putDead)},
		archive.DeprecatedUses.Name(): {a.dumpUses, putting(s, putUse)},
		archive.AuditEntries.Name():   {a.dumpEntries, putting(s, putEntryInLists)},
	}
}

// at returns the function that finds the item of a shape by an id alone.
func at(of shape) func(context.Context, int64) (key, error) {
	return func(_ context.Context, id int64) (key, error) { return of.key(id), nil }
}

// numberKeys are the counters of the instance, but for those of records.
var numberKeys = map[string]key{
	archive.OfUsers: userIDs, archive.OfNamespaces: groupIDs, archive.OfProjects: projectIDs,
	archive.OfAccessTokens: tokenCounter.key(), archive.OfClients: clientCounter.key(),
	archive.OfIntegrations: idCounter.key("integrations"), archive.OfEnvironments: idCounter.key("environments"),
	archive.OfDeadMessages: idCounter.key("dead_messages"),
}

// numberKey returns where a counter is.
func numberKey(n archive.Number) key {
	k, ofRecords := n.Records()
	switch {
	case n.Of == archive.OfAlerts:
		return alertCounter.key(n.Place.ID)
	case ofRecords && n.Place == record.Instance:
		return idCounter.key(string(k))
	case ofRecords:
		return recordNumber.key(recordsIn(n.Place), string(k))
	}
	return numberKeys[n.Of]
}

func putNumber(n archive.Number) []change {
	fs := fields{{"last_id", &n.Last}}
	if n.Of == archive.OfAlerts {
		fs = append(fs, field{listedName, &n.Last}) // as all that are loaded are listed
	}
	return []change{replace(numberKey(n), fs)}
}

func (a *archived) dumpNumbers(ctx context.Context, _ any, _ time.Time, yield func(any) error) error {
	if err := a.dumpNumbersAt(ctx, record.Instance, yield); err != nil {
		return err
	}
	return a.eachPlace(ctx, project.Place{}, func(at project.Place) error { return a.dumpNumbersAt(ctx, at, yield) })
}

// dumpNumbersAt calls yield with the counters of a place.
func (a *archived) dumpNumbersAt(ctx context.Context, at project.Place, yield func(any) error) error {
	var names []string
	for _, k := range a.kinds {
		names = append(names, archive.OfRecords(k))
	}
	switch at.Kind {
	case record.Instance.Kind:
		for name := range numberKeys {
			names = append(names, name)
		}
	case project.InProject:
		names = append(names, archive.OfAlerts)
	}
	slices.Sort(names)
	numbers := make([]archive.Number, len(names))
	byKey := map[table]map[key]*archive.Number{}
	for n, name := range names {
		numbers[n] = archive.Number{Place: at, Of: name}
		k := numberKey(numbers[n])
		if byKey[k.table] == nil {
			byKey[k.table] = map[key]*archive.Number{}
		}
		byKey[k.table][k] = &numbers[n]
	}
	for _, of := range byKey {
		var keys []key
		for k := range of {
			keys = append(keys, k)
		}
		found, err := a.getAll(ctx, keys)
		if err != nil {
			return err
		}
		for k, it := range found {
			if err := (fields{{"last_id", &of[k].Last}}).read(it); err != nil {
				return err
			}
		}
	}
	for _, n := range numbers {
		if n.Last == 0 {
			continue
		}
		if err := yield(n); err != nil {
			return err
		}
	}
	return nil
}

// eachPlace calls do with all groups and then all projects, from a place on; the zero
// Place: with all.
func (a *archived) eachPlace(ctx context.Context, first project.Place, do func(project.Place) error) error {
	for _, part := range []struct {
		kind project.Kind
		list key
	}{{project.InGroup, groupList.key()}, {project.InProject, projectList.key()}} {
		from := int64(0)
		switch {
		case first.Kind > part.kind:
			continue
		case first.Kind == part.kind:
			from = first.ID
		}
		err := a.idsFrom(ctx, part.list, from, func(ids []int64) error {
			for _, id := range ids {
				if err := do(project.Place{Kind: part.kind, ID: id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dumpedAll calls yield with all of the things.
func dumpedAll[A any](things []A, err error, yield func(any) error) error {
	if err != nil {
		return err
	}
	for _, thing := range things {
		if err := yield(thing); err != nil {
			return err
		}
	}
	return nil
}

func (a *archived) dumpSigningKeys(ctx context.Context, _ any, _ time.Time, yield func(any) error) error {
	found, err := signingKeys.ifThere(ctx, a.Store, signingKeysItem.key())
	return dumpedAll(found, err, yield)
}

func putSigningKeys(k oidc.SealedKeys) []change {
	return []change{replace(signingKeysItem.key(), sealedFields(&k))}
}

func (a *archived) loadUsers(ctx context.Context, things []any) error {
	if err := a.write(ctx, replace(listsMark.key(), nil)); err != nil {
		return err
	}
	return creating(a.Store, 0, createUser)(ctx, things)
}

func createUser(u user.User) []change {
	yes := true
	return slices.Concat([]change{
		create(userItem.key(u.ID), append(userFields(&u), field{isListed, &yes})),
		create(pathKey(u.Username), fields{{"user_id", &u.ID}, {"group_id", &u.NamespaceID}}),
		create(emailKey(u.Email), fields{{"user_id", &u.ID}}),
		create(userList.key(u.ID), users.entry(&u)),
	}, counts{countUsers: 1}.ofInstance(u.ID))
}

func (a *archived) namespaceOf(ctx context.Context, userID int64) (key, error) {
	u, err := users.get(ctx, a.Store, userItem.key(userID))
	return groupItem.key(u.NamespaceID), err
}

func putNamespace(g project.Group) []change {
	return []change{replace(groupItem.key(g.ID), emptyGroupFields(&g))}
}

// loadGroups loads groups before those below them.
func (a *archived) loadGroups(ctx context.Context, things []any) error {
	byDepth := map[int][]any{}
	deepest := 0
	for _, thing := range things {
		depth := len(thing.(project.Group).Ancestors)
		byDepth[depth] = append(byDepth[depth], thing)
		deepest = max(deepest, depth)
	}
	for depth := range deepest + 1 {
		if err := creating(a.Store, 0, createGroup)(ctx, byDepth[depth]); err != nil {
			return err
		}
	}
	return nil
}

func createGroup(g project.Group) []change {
	next := listingOfGroup(g)
	n := recount(listing{}, next)
	stored := create(groupItem.key(g.ID), append(emptyGroupFields(&g), next.mark()...))
	for name, value := range n.item() {
		stored.item[name] = value
	}
	return slices.Concat(
		[]change{stored, create(pathKey(g.FullPath), fields{{"group_id", &g.ID}}), create(groupList.key(g.ID), groups.entry(&g))},
		n.ofGroups(g.Ancestors, 1), n.ofInstance(g.ID), relist(listing{}, next),
	)
}

func createProject(p project.Project) []change {
	next := listingOfProject(p)
	n := recount(listing{}, next)
	return slices.Concat(
		[]change{
			create(projectItem.key(p.ID), append(projectFields(&p), next.mark()...)),
			create(pathKey(p.FullPath), fields{{"project_id", &p.ID}}),
			create(projectList.key(p.ID), projects.entry(&p)),
		},
		n.ofGroups(p.Lineage, 1), n.ofInstance(p.ID), relist(listing{}, next), attendAll(p),
	)
}

func (a *archived) dumpMembers(ctx context.Context, after any, _ time.Time, yield func(any) error) error {
	first := project.Place{}
	if after != nil {
		first = after.(project.Member).Place
	}
	return a.eachPlace(ctx, first, func(at project.Place) error {
		found, err := members.all(ctx, a.Store, membersOf(at))
		return dumpedAll(found, err, yield)
	})
}

func putMember(m project.Member) []change {
	ofPlace, ofUser := memberKeys(m)
	return []change{replace(ofPlace, memberFields(&m)), replace(ofUser, memberFields(&m))}
}

// dumpReserved calls yield with the paths in the list that are reserved still.
func (a *archived) dumpReserved(ctx context.Context, _ any, now time.Time, yield func(any) error) error {
	var listed []reservation.Reservation
	err := a.query(ctx, reservedList.key(), forward, func(it item) (bool, error) {
		var r reservation.Reservation
		err := reservations.entry(&r).read(it)
		listed = append(listed, r)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("list reserved paths: %w", err)
	}
	found, err := reservations.complete(ctx, a.Store, listed)
	return dumpedAll(slices.DeleteFunc(found, func(r reservation.Reservation) bool { return !r.Lasts(now) }), err, yield)
}

// loadReserved stores reservations of paths that nothing has taken.
func (a *archived) loadReserved(ctx context.Context, things []any) error {
	return inParallel(ctx, things, func(ctx context.Context, thing any) error {
		r := thing.(reservation.Reservation)
		claim := create(pathKey(r.Path), reservationFields(&r).until(r.Until))
		return a.create(ctx, 0, []change{claim, listReserved(r)})
	})
}

func putFactor(f twofactor.Factor) []change {
	return []change{replace(factorItem.key(f.UserID), factorFields(&f))}
}

func (a *archived) tokenWithID(ctx context.Context, id int64) (key, error) {
	t, err := accessTokens.listed(ctx, a.Store, tokenList.key(), id)
	return tokenKey(t.Digest), err
}

func putToken(t accesstoken.Token) []change {
	return []change{
		replace(tokenKey(t.Digest), tokenFields(&t)), replace(tokenList.key(t.ID), accessTokens.entry(&t)),
		replace(tokensOfUser.key(t.UserID).entry(t.ID), accessTokens.entry(&t)),
	}
}

func (a *archived) clientWithID(ctx context.Context, id int64) (key, error) {
	c, err := clients.listed(ctx, a.Store, clientList.key(), id)
	return clientItem.key(c.ClientID), err
}

func putClient(c oauth.Client) []change {
	return []change{
		replace(clientItem.key(c.ClientID), clientFields(&c)), replace(clientList.key(c.ID), clients.entry(&c)),
		replace(clientsOfOwner.key(c.OwnerID).entry(c.ID), clients.entry(&c)),
	}
}

func (a *archived) grantsOf(ctx context.Context, userID int64, now time.Time) ([]oauth.Grant, error) {
	found, err := grants.all(ctx, a.Store, key{grantItem.table, grantItem.key(userID).pk, "GRANT#"})
	return slices.DeleteFunc(found, func(g oauth.Grant) bool { return !g.EndsAt().Add(grantGrace).After(now) }), err
}

func putGrant(g oauth.Grant) []change {
	return []change{replace(grantKey(g.GrantID), grantFields(&g).until(g.EndsAt().Add(grantGrace)))}
}

func putTracking(t errortracking.Settings) []change {
	return []change{replace(trackingItem.key(t.ProjectID), trackingFields(&t))}
}

func (a *archived) clientKeysOfProject(ctx context.Context, projectID int64, _ time.Time) ([]errortracking.ClientKey, error) {
	var entries []errortracking.ClientKey
	err := a.query(ctx, clientKeyList.key(projectID), forward, func(it item) (bool, error) {
		var k errortracking.ClientKey
		err := clientKeyEntryFields(&k).read(it)
		entries = append(entries, k)
		return true, err
	})
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	return clientKeyKind.complete(ctx, a.Store, entries)
}

func putClientKey(k errortracking.ClientKey) []change {
	return []change{replace(clientKeyItem.key(k.ID), clientKeyFields(&k)), replace(clientKeyEntry(k), clientKeyEntryFields(&k))}
}

// dumpMessages calls yield with the messages of all lanes, which the index tells.
func (a *archived) dumpMessages(ctx context.Context, after any, _ time.Time, yield func(any) error) error {
	lanes, err := a.lanes(ctx)
	if err != nil {
		return err
	}
	for _, l := range lanes {
		if after != nil && l < after.(outbox.Message).Lane {
			continue
		}
		found, err := messageKind.all(ctx, a.Store, laneItem(l).key(string(l)))
		for n := range found {
			found[n] = archive.Pending(found[n])
		}
		if err := dumpedAll(found, err, yield); err != nil {
			return err
		}
	}
	return nil
}

func (a *archived) lanes(ctx context.Context) (lanes []outbox.Lane, err error) {
	seen := map[outbox.Lane]bool{}
	for _, g := range []outbox.Group{outbox.Slow, outbox.Prompt} {
		for n := range messageDues {
			input := a.dueQuery(duePartition(g, n), time.UnixMicro(math.MaxInt64))
			for {
				out, err := a.client.Query(ctx, input)
				if err != nil {
					return nil, fmt.Errorf("find messages: %w", err)
				}
				for _, it := range out.Items {
					k, err := keyOf(it)
					if err != nil {
						return nil, err
					}
					if l, ok := LaneOf(k.pk); ok && !seen[l] {
						lanes, seen[l] = append(lanes, l), true
					}
				}
				if input.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
					break
				}
			}
		}
	}
	slices.Sort(lanes)
	return lanes, nil
}

func putMessage(m outbox.Message) []change {
	due := dueOf(m.Lane)
	return []change{replace(messageKey(m), append(messageFields(&m), field{"due_in", &due}, field{"look_at", &m.DueAt}))}
}

func (a *archived) dumpDeadMessages(ctx context.Context, after any, now time.Time, yield func(any) error) error {
	read := func(ctx context.Context, projectID int64) ([]outbox.Dead, error) {
		found, err := deadKind.all(ctx, a.Store, deadItem.key(projectID))
		return slices.DeleteFunc(found, func(d outbox.Dead) bool { return !d.Kept(now) }), err
	}
	first := firstOf(after, func(d outbox.Dead) int64 { return d.ProjectID })
	if first == 0 {
		ofAdministrators, err := read(ctx, 0)
		if err := dumpedAll(ofAdministrators, err, yield); err != nil {
			return err
		}
	}
	return dumped(ctx, a.Store, projectList.key(), first, read, yield)
}

func putDead(d outbox.Dead) []change {
	return []change{replace(deadItem.key(d.ProjectID, d.Number), deadFields(&d).until(d.DiedAt.Add(outbox.DeadFor)))}
}

func (a *archived) dumpUses(ctx context.Context, after any, now time.Time, yield func(any) error) error {
	for _, id := range slices.Sorted(slices.Values(deprecation.IDs)) {
		if after != nil && id < after.(deprecation.Use).Entry {
			continue
		}
		if err := a.usesSince(ctx, id, now, yield); err != nil {
			return err
		}
	}
	return nil
}

func (a *archived) usesSince(ctx context.Context, id string, now time.Time, yield func(any) error) error {
	var entries []deprecation.Use
	err := a.since(ctx, usesOfEntry.key(id), dayOf(deprecation.OldestKept(now)), func(it item) (bool, error) {
		var u deprecation.Use
		err := deprecatedUseEntry(&u).read(it)
		entries = append(entries, u)
		return true, err
	})
	if err != nil || len(entries) == 0 {
		return err
	}
	found, err := deprecatedUses.complete(ctx, a.Store, entries)
	return dumpedAll(found, err, yield)
}

func putUse(u deprecation.Use) []change {
	return []change{
		replace(deprecatedUses.key(u), deprecatedUseFields(&u).until(u.ExpiresAt())),
		replace(usesOfEntry.key(u.Entry, dayOf(u.Day), u.Number()), deprecatedUseEntry(&u).until(u.ExpiresAt())),
	}
}

// dumpEntries calls yield with the audit entries of each month.
func (a *archived) dumpEntries(ctx context.Context, after any, now time.Time, yield func(any) error) error {
	oldest := audit.OldestKept(now)
	if after != nil {
		oldest = max(oldest, after.(audit.Entry).ID)
	}
	from := audit.TimeOf(oldest).UTC()
	ahead := now.Add(24 * time.Hour) // the clock of a function may be
	for month := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC); month.Before(ahead); month = month.AddDate(0, 1, 0) {
		list := auditOfMonth.key(monthOf(month))
		err := a.run(ctx, &sdk.QueryInput{
			TableName: a.table(list), ScanIndexForward: aws.Bool(forward), KeyConditionExpression: aws.String("pk = :pk AND sk >= :first"),
			ExpressionAttributeValues: item{":pk": text(list.pk), ":first": text(list.sk + oldest)},
		}, func(it item) (bool, error) {
			e, err := readEntry(it)
			if err == nil {
				err = yield(e)
			}
			return true, err
		})
		if err != nil {
			return fmt.Errorf("list audit entries: %w", err)
		}
	}
	return nil
}

func putEntryInLists(e audit.Entry) (changes []change) {
	details := e.Details.Pairs()
	entry := entryFields(&e, &details).until(e.ExpiresAt())
	for _, k := range listsOf(e) {
		changes = append(changes, replace(k, entry))
	}
	return changes
}

// dumpRecords calls yield with the records of each place.
func (a *archived) dumpRecords(ctx context.Context, after any, now time.Time, yield func(any) error) error {
	first := record.Instance
	if after != nil {
		first = after.(record.Record).Place
	}
	if first == record.Instance {
		if err := a.recordsAt(ctx, record.Instance, now, yield); err != nil {
			return err
		}
	}
	return a.eachPlace(ctx, first, func(at project.Place) error { return a.recordsAt(ctx, at, now, yield) })
}

func (a *archived) recordsAt(ctx context.Context, at project.Place, now time.Time, yield func(any) error) error {
	found, err := records.all(ctx, a.Store, key{recordItem.table, recordItem.key(recordsIn(at)).pk, "RECORD#"})
	found = slices.DeleteFunc(found, func(r record.Record) bool { return r.Expired(now) })
	slices.SortFunc(found, func(a, b record.Record) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), cmp.Compare(a.Number, b.Number))
	})
	return dumpedAll(found, err, yield)
}

func putRecord(r record.Record) []change {
	changes := []change{replace(recordKey(r), append(newRecord(r), listsOfRecord(r)))}
	for name, word := range r.Words {
		changes = append(changes, replace(wordKey(r.Kind, r.Place, name, word), fields{{"number", &r.Number}, expiryOf(r)}))
	}
	for _, in := range r.Lists {
		changes = append(changes, replace(listKey(r.Kind, in).entry(r.ID), append(listedRecords.entry(&r), expiryOf(r))))
	}
	return changes
}

// ofProjects calls load with the things of each project, one project after the other.
func ofProjects[A any](ctx context.Context, s *Store, things []any, id func(A) int64, load func(project.Project, A) error) error {
	var p project.Project
	for _, thing := range things {
		one := thing.(A)
		if p.ID != id(one) {
			var err error
			if p, err = s.Project(ctx, id(one)); err != nil {
				return err
			}
		}
		if err := load(p, one); err != nil {
			return err
		}
	}
	return nil
}

func (a *archived) alertSettingsOf(ctx context.Context, projectID int64, _ time.Time) ([]integration.Settings, error) {
	p, err := a.Project(ctx, projectID)
	if err != nil {
		return nil, err
	}
	settings, err := a.AlertSettings(ctx, p)
	if err != nil || settings.Version == 0 {
		return nil, err
	}
	return []integration.Settings{settings}, nil
}

func (a *archived) loadAlertSettings(ctx context.Context, things []any) error {
	return ofProjects(ctx, a.Store, things, func(t integration.Settings) int64 { return t.ProjectID }, func(p project.Project, t integration.Settings) error {
		return a.changeIntake(ctx, p, func(in *intake) error {
			in.Settings = t
			return nil
		})
	})
}

func (a *archived) environmentsOf(ctx context.Context, projectID int64, _ time.Time) ([]project.Environment, error) {
	p, err := a.Project(ctx, projectID)
	if err != nil {
		return nil, err
	}
	return a.Environments(ctx, p)
}

func (a *archived) loadEnvironments(ctx context.Context, things []any) error {
	return ofProjects(ctx, a.Store, things, func(e project.Environment) int64 { return e.ProjectID }, func(p project.Project, e project.Environment) error {
		return a.changeIntake(ctx, p, func(in *intake) error {
			if !slices.Contains(in.environmentIDs, e.ID) {
				in.environmentIDs = append(in.environmentIDs, e.ID)
				in.environmentNames = append(in.environmentNames, e.Name)
			}
			return nil
		})
	})
}

func (a *archived) integrationsOf(ctx context.Context, projectID int64, _ time.Time) (found []archive.Integration, err error) {
	p, err := a.Project(ctx, projectID)
	if err != nil {
		return nil, err
	}
	all, err := a.Store.Integrations(ctx, p)
	for _, i := range all {
		sample, sampleErr := a.Sample(ctx, p, i)
		err = errors.Join(err, sampleErr)
		found = append(found, archive.Integration{Integration: i, Sample: sample})
	}
	return found, err
}

func (a *archived) loadIntegrations(ctx context.Context, things []any) error {
	return ofProjects(ctx, a.Store, things, func(i archive.Integration) int64 { return i.ProjectID }, func(p project.Project, i archive.Integration) error {
		var sample payload
		if i.Sample != nil {
			sample = newPayload(i.Sample)
			sample.name = fmt.Sprintf("sample-%d", i.ID)
		}
		changes := sample.changes(func(k key, chunk []byte) change { return replace(k, fields{{"chunk", &chunk}}) })
		err := a.putAll(ctx, append(changes, replace(integrationKey(p.FullPath, i.Endpoint), append(integrationFields(&i.Integration), sample.fields()...))))
		if err != nil {
			return err
		}
		return a.changeIntake(ctx, p, func(in *intake) error {
			state := stateOf([]integration.Integration{i.Integration})
			if !slices.Contains(strings.Fields(in.state), state) {
				in.state = strings.TrimSpace(in.state + " " + state)
			}
			return nil
		})
	})
}
