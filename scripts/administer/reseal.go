package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"gatehouse/shared/app"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// resealing encrypts everything that an instance keeps encrypted under the current
// key, so that the previous keys can be removed.
type resealing struct {
	app  *app.App
	done int
	lost int // encrypted under a key that is gone
}

// reseal does that and prints the result. It repeats until there is nothing left to
// do, because deletions meanwhile move the pages of a list.
func reseal(ctx context.Context, a *app.App, out io.Writer) error {
	for total := 0; ; {
		r := resealing{app: a}
		if err := r.all(ctx); err != nil {
			return fmt.Errorf("seal anew: %w", err)
		}
		if total += r.done; r.done == 0 {
			_, err := fmt.Fprintf(out, "%d sealed anew under the instance key in use, %d that no key opens.\n", total, r.lost)
			return err
		}
	}
}

func (r *resealing) all(ctx context.Context) error {
	users := func(wanted page.Request) (page.Of[user.User], error) { return r.app.Users.Users(ctx, wanted) }
	projects := func(wanted page.Request) (page.Of[project.Project], error) {
		return r.app.Projects.Projects(ctx, project.Selection{All: true}, wanted)
	}
	if err := r.signingKeys(ctx); err != nil {
		return err
	}
	if err := each(users, func(u user.User) error { return r.ofUser(ctx, u) }); err != nil {
		return err
	}
	if err := r.ownWebhooks(ctx); err != nil {
		return err
	}
	return each(projects, func(p project.Project) error { return r.ofProject(ctx, p) })
}

// signingKeys seals the keys of id_tokens.
func (r *resealing) signingKeys(ctx context.Context) error {
	done, err := r.app.OpenID().Reseal(ctx)
	return r.count(ctx, done, err, "keys of id_tokens", "id", 0)
}

// each goes through a list page by page, from one position to the next.
func each[T any](list func(page.Request) (page.Of[T], error), do func(T) error) error {
	for wanted := (page.Request{Number: 1, Size: page.MaxSize}); ; wanted.Number++ {
		found, err := list(wanted)
		if err != nil {
			return err
		}
		for _, one := range found.Items {
			if err := do(one); err != nil {
				return err
			}
		}
		if !found.More {
			return nil
		}
		wanted.After = found.Next
	}
}

// ofUser seals the seed of the user's authenticator app.
func (r *resealing) ofUser(ctx context.Context, u user.User) error {
	if !u.TwoFactorEnabled {
		return nil
	}
	done, err := r.app.TwoFactor.Reseal(ctx, u.ID)
	return r.count(ctx, done, err, "second factor", "user_id", u.ID)
}

// ofProject seals the keys of the project's integrations, the secrets of its webhooks, the
// token of its external tracker and the credentials of its mirror.
func (r *resealing) ofProject(ctx context.Context, p project.Project) error {
	done, err := r.app.Tracking.Reseal(ctx, p.ID)
	if err := r.count(ctx, done, err, "token of an external tracker", "project_id", p.ID); err != nil {
		return err
	}
	done, err = r.app.Mirrors.Reseal(ctx, p)
	if err := r.count(ctx, done, err, "credentials of a mirror", "project_id", p.ID); err != nil {
		return err
	}
	if err := r.webhooksOf(ctx, p); err != nil {
		return err
	}
	all, err := r.app.Integrations.Integrations(ctx, p)
	if err != nil {
		return err
	}
	for _, i := range all {
		done, err := r.app.Integrations.Reseal(ctx, p, i)
		if err := r.count(ctx, done, err, "key of an integration", "integration_id", i.ID); err != nil {
			return err
		}
	}
	return nil
}

// webhooksOf seals the secrets of the project's webhooks.
func (r *resealing) webhooksOf(ctx context.Context, p project.Project) error {
	webhooks := func(wanted page.Request) (page.Of[webhook.Stored], error) { return r.app.Webhooks.List(ctx, p, wanted) }
	return each(webhooks, func(s webhook.Stored) error {
		done, err := r.app.Webhooks.Reseal(ctx, s)
		return r.count(ctx, done, err, "secret of a webhook", "webhook_id", s.ID)
	})
}

// ownWebhooks seals the secrets of the webhooks that persons have of their own.
func (r *resealing) ownWebhooks(ctx context.Context) error {
	everybodys := func(wanted page.Request) (page.Of[webhook.Stored], error) {
		return r.app.Webhooks.Own().Everybodys(ctx, wanted)
	}
	return each(everybodys, func(s webhook.Stored) error {
		done, err := r.app.Webhooks.Reseal(ctx, s)
		return r.count(ctx, done, err, "secret of a webhook", "webhook_id", s.ID)
	})
}

// count counts the result for one thing. A lost thing does not stop the others.
func (r *resealing) count(ctx context.Context, done bool, err error, what, idName string, id int64) error {
	switch {
	case errors.Is(err, secret.ErrSealed):
		r.lost++
		slog.WarnContext(ctx, "no instance key opens it", "what", what, idName, id)
		return nil
	case done:
		r.done++
	}
	return err
}
