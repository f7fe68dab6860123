package functions_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
)

// What is written by the old name of the setting, in either form, is read by the new
// one in both forms, and the other way round.
func TestNamesOfReauthenticationAgree(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { agreeOnReauthentication(t, apptest.New(t)) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		agreeOnReauthentication(t, apptest.Over(t, dynamodb.New(emulated(t))))
	})
}

func agreeOnReauthentication(t *testing.T, a *apptest.App) {
	ada := a.User("ada")
	p := a.Project("web", a.Namespace(ada), project.Private)
	below, token, h := fmt.Sprintf("/api/v4/projects/%d", p.ID), a.Token(ada), functions.Gateway(a.App)
	entry, _ := deprecation.Find("require-password-to-approve")
	for _, pair := range entry.Values {
		for name, value := range map[string]string{"require_password_to_approve": pair.Old, "require_reauthentication_to_approve": pair.New} {
			for path, method := range map[string]string{"/approvals": "POST", "/merge_request_approval_setting": "PUT"} {
				body := map[string]json.RawMessage{name: json.RawMessage(value)}
				apptest.Call(t, h, method, below+path, token, body)
				for _, read := range []string{"/approvals", "/merge_request_approval_setting"} {
					got := apptest.Call(t, h, "GET", below+read, token, nil).Object(t)
					if read != "/approvals" {
						got = map[string]any{
							"require_password_to_approve":         got["require_password_to_approve"].(map[string]any)["value"],
							"require_reauthentication_to_approve": got["require_reauthentication_to_approve"].(map[string]any)["value"],
						}
					}
					old, next := fmt.Sprint(got["require_password_to_approve"]), fmt.Sprint(got["require_reauthentication_to_approve"])
					if old != pair.Old || next != pair.New {
						t.Errorf("after %s %s with %s: %s, GET %s has %s and %s, want %s and %s", method, path, name, value, read, old, next, pair.Old, pair.New)
					}
				}
			}
		}
	}
}
