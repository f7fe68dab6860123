package monitorapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// policyBody is an escalation policy on the wire.
type policyBody struct {
	Rules  []policyRuleBody `json:"rules"`
	Repeat int              `json:"repeat"`
}

type policyRuleBody struct {
	ElapsedMinutes int           `json:"elapsed_minutes"`
	UntilStatus    oncall.Status `json:"until_status"`
	ScheduleID     *int64        `json:"schedule_id"`
	UserID         *int64        `json:"user_id"`
}

func newPolicyBody(p oncall.Policy) policyBody {
	return policyBody{each(p.Rules, newPolicyRuleBody), p.Repeat}
}

func newPolicyRuleBody(r oncall.Rule) policyRuleBody {
	return policyRuleBody{r.ElapsedMinutes, r.Until, orNull(r.ScheduleID), orNull(r.UserID)}
}

func (a *api) showPolicy(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	policy, err := a.app.OnCall.Policy(r.Context(), p)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, newPolicyBody(policy))
}

func (a *api) setPolicy(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	params.Require("rules")
	policy := oncall.Policy{Rules: each(params.OptionalObjects("rules"), readPolicyRule), Repeat: int(orZero(params.OptionalInt("repeat")))}
	if err := params.Err(); err != nil {
		return err
	}
	policy, err := a.app.OnCall.SetPolicy(r.Context(), who(c), p, policy)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusOK, newPolicyBody(policy))
}

func readPolicyRule(params *web.Values) oncall.Rule {
	return oncall.Rule{
		ElapsedMinutes: int(params.Int("elapsed_minutes")), Until: web.RequiredChoice(params, "until_status", oncall.Statuses),
		ScheduleID: orZero(params.OptionalInt("schedule_id")), UserID: orZero(params.OptionalInt("user_id")),
	}
}
