package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/incident"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
)

// listForHome lists a project in the groups above it and its incidents that wait for
// somebody, and has the dispatcher count what is open in it.
func listForHome(ctx context.Context, s *dynamodb.Store, p project.Project, now time.Time) error {
	incidents := incident.Nouns()[0]
	err := each(func(wanted page.Request) (page.Of[record.Record], error) {
		return s.Records(ctx, incidents.Named(), p.Place(), nil, wanted)
	}, func(r record.Record) error {
		r, err := incidents.Complete(r)
		if err != nil || len(r.Lists) < 2 { // the other one is that of the project, which has it
			return err
		}
		return s.ListRecord(ctx, r)
	})
	if err != nil {
		return err
	}
	if err := s.ListForAttention(ctx, p); err != nil {
		return err
	}
	return s.PutMessages(ctx, []outbox.Message{alert.Recount(p.ID, "relisted", now)})
}

// relist brings what functions of an earlier release stored on DynamoDB into the
// lists of this one, and prints how much that was. A file is brought up to date
// when it is opened.
func relist(ctx context.Context, store storage.Store, now time.Time, out io.Writer) error {
	s, ok := store.(*dynamodb.Store)
	if !ok {
		return fmt.Errorf("only data on DynamoDB is listed anew; a local server does so when it starts")
	}
	listed, err := s.FillLists(ctx)
	if err != nil {
		return fmt.Errorf("list users, groups and projects: %w", err)
	}
	fmt.Fprintf(out, "%d users, groups and projects listed.\n", listed)
	if err := s.SummarizeAllGrants(ctx); err != nil {
		return err
	}
	if err := s.ForgetCounts(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "Authorized applications are listed, and long lists will be counted anew.")
	if err := s.ListAuditAnew(ctx, now); err != nil {
		return fmt.Errorf("list audit entries: %w", err)
	}
	fmt.Fprintln(out, "The audit entries of a year are listed.")
	alerts := 0
	err = each(func(wanted page.Request) (page.Of[project.Project], error) {
		return s.Projects(ctx, project.Selection{All: true}, wanted)
	}, func(p project.Project) error {
		n, err := s.ListAlerts(ctx, p.ID)
		alerts += n
		if err != nil {
			return err
		}
		return listForHome(ctx, s, p, now)
	})
	if err != nil {
		return fmt.Errorf("list alerts: %w", err)
	}
	_, err = fmt.Fprintf(out, "%d alerts listed.\n", alerts)
	return err
}
