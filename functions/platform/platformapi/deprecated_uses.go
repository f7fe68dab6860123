package platformapi

import (
	"context"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/web"
)

// useBody is how often a caller used something deprecated on a day.
type useBody struct {
	Row           string   `json:"row"`
	Day           web.Date `json:"day"`
	ApplicationID *string  `json:"application_id"`
	TokenID       *int64   `json:"token_id"`
	UserID        int64    `json:"user_id"`
	Uses          int64    `json:"uses"`
	LastUsedAt    web.Time `json:"last_used_at"`
}

func newUseBody(u deprecation.Use) useBody {
	body := useBody{
		Row: u.Entry, Day: web.Date(u.Day), ApplicationID: textOrNull(u.ApplicationID), UserID: u.UserID,
		Uses: u.Uses, LastUsedAt: web.Time(u.LastUsedAt),
	}
	if u.TokenID != 0 {
		body.TokenID = &u.TokenID
	}
	return body
}

// listDeprecatedUses lists all uses for an administrator, and those by an
// application for its owner.
func (a *api) listDeprecatedUses(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	req, application := params.Page(), params.OptionalString("application_id")
	if application == nil {
		if err := c.CheckAdmin(); err != nil {
			return err
		}
	}
	f := deprecation.Filter{
		Entry: web.Choice(params, "row", deprecation.IDs), From: params.OptionalDate("from"), To: params.OptionalDate("to"),
	}
	if err := params.Err(); err != nil {
		return err
	}
	uses, err := a.deprecatedUses(r.Context(), c, application, f, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, uses, newUseBody)
}

func (a *api) deprecatedUses(ctx context.Context, c auth.Caller, application *string, f deprecation.Filter, req page.Request) (page.Of[deprecation.Use], error) {
	if application != nil {
		client, err := a.ownApplication(ctx, c, *application)
		if err != nil {
			return page.Of[deprecation.Use]{}, web.NotFound("Application", err)
		}
		f.Client = client.ID
	}
	return a.app.Deprecations.Uses(ctx, f, req)
}

// ownApplication returns the application if the caller registered it or is an
// administrator.
func (a *api) ownApplication(ctx context.Context, c auth.Caller, applicationID string) (oauth.Client, error) {
	client, err := a.app.OAuth.Client(ctx, applicationID)
	if err == nil && !c.User.Admin && client.OwnerID != c.User.ID {
		err = fault.New(fault.NotFound, "another user's application")
	}
	return client, err
}
