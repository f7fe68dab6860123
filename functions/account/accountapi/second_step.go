package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/signin"
	"gatehouse/shared/site"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// secondStepPath is where a sign-in waits for its second factor.
const secondStepPath = "/users/two_factor"

// secondStepBody is what the page shows that asks for the second factor.
type secondStepBody struct {
	ReturnTo string
	Recovery bool // it asks for a recovery code
	Refused  bool
	Wait     string // until the next attempt, after too many
	Client   string // the application that is waiting, if one is
}

// Address is where the page is that asks for a code, or for a recovery code.
func (b secondStepBody) Address(recovery bool) string {
	query := url.Values{"return_to": {b.ReturnTo}}
	if recovery {
		query.Set("recovery", "1")
	}
	return secondStepPath + "?" + query.Encode()
}

// Again is where to begin anew, with another password.
func (b secondStepBody) Again() string {
	return "/users/sign_in?" + url.Values{"again": {"1"}, "return_to": {b.ReturnTo}}.Encode()
}

// showSecondStep asks for the second factor, where a sign-in waits for it.
func (a *api) showSecondStep(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	body := secondStepBody{ReturnTo: site.LocalPath(query.Get("return_to")), Recovery: query.Has("recovery")}
	if _, err := a.app.TwoFactor.Pending(a.site.Pending(r)); err != nil {
		return a.signInOver(w, r, body.ReturnTo)
	}
	return a.renderSecondStep(w, r, http.StatusOK, body)
}

// signInOver sends back to the password what took too long.
func (a *api) signInOver(w http.ResponseWriter, r *http.Request, returnTo string) error {
	a.site.EndPending(w)
	a.site.Notify(w, "sign-in-over")
	return site.ToSignIn(w, r, returnTo)
}

// secondStep takes the second factor and completes the sign-in.
func (a *api) secondStep(w http.ResponseWriter, r *http.Request) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := secondStepBody{ReturnTo: site.LocalPath(form.Get("return_to")), Recovery: form.Checked("recovery")}
	pending, err := a.app.TwoFactor.Pending(a.site.Pending(r))
	if err != nil {
		return a.signInOver(w, r, body.ReturnTo)
	}
	answer, ok := twofactor.ParseAnswer(form.Get("code"))
	if !ok {
		body.Refused = true
		return a.renderSecondStep(w, r, http.StatusUnprocessableEntity, body)
	}
	u, attempt, err := a.complete(r, pending, answer)
	var throttled *throttle.Refused
	switch {
	case errors.As(err, &throttled):
		a.app.Trail.Record(r.Context(), audit.Event{Name: signin.EventThrottled, UserID: pending.UserID, Outcome: audit.Refused})
		body.Wait = minutes(throttled.Wait)
		web.RetryAfter(w, throttled)
		return a.renderSecondStep(w, r, http.StatusTooManyRequests, body)
	case errors.Is(err, twofactor.ErrWrongCode):
		a.app.Trail.Record(r.Context(), audit.Event{
			Name: signin.EventFailed, UserID: pending.UserID, Outcome: audit.Refused, Details: audit.Details{"after": "the right password"},
		})
		body.Refused = true
		return a.renderSecondStep(w, r, http.StatusUnprocessableEntity, body)
	case errors.Is(err, twofactor.ErrOver):
		if err := a.app.Attempts.Withdraw(r.Context(), attempt); err != nil {
			return err
		}
		return a.signInOver(w, r, body.ReturnTo)
	case err != nil:
		return err
	}
	a.site.EndPending(w)
	var used []audit.Event
	if answer.Recovery() {
		used = append(used, u.Event(twofactor.EventRecoveryCodeUsed, u.ID))
		a.site.Notify(w, "recovery-used")
	}
	return a.finishSignIn(w, r, u, attempt, body.ReturnTo, used...)
}

// complete uses up the answer, whose attempt was counted before it was looked
// at.
func (a *api) complete(r *http.Request, p twofactor.Pending, answer twofactor.Answer) (u user.User, attempt throttle.Attempt, err error) {
	guess := throttle.Guess{
		Kind: throttle.SecondFactor, Account: strconv.FormatInt(p.UserID, 10), Address: web.ClientAddress(r),
	}
	u, err = a.app.TwoFactor.Complete(r.Context(), p, answer, func(ctx context.Context) (err error) {
		attempt, err = a.app.Attempts.Begin(ctx, guess)
		return err
	})
	return u, attempt, err
}

func (a *api) renderSecondStep(w http.ResponseWriter, r *http.Request, status int, body secondStepBody) error {
	page := site.Page{Template: "second_step", Title: "Sign in", Status: status, Focused: true}
	body.Client, page.Targets = a.waiting(r.Context(), body.ReturnTo)
	page.Body = body
	return a.site.Render(w, r, page)
}
