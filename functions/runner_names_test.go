package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/storage/dynamodb"
)

// What is written to a runner under the older name is read under the present one, and
// the reverse, for each pair of values in the table.
func TestNamesOfRunnersAgree(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkNamesOfRunners(t, apptest.New(t)) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		checkNamesOfRunners(t, apptest.Over(t, dynamodb.New(emulated(t))))
	})
}

func checkNamesOfRunners(t *testing.T, a *apptest.App) {
	h, token := functions.Gateway(a.App), a.Token(a.Admin("boss"))
	check := func(wrote apptest.Answer, status int, path string, pair deprecation.Pair) {
		t.Helper()
		wrote.Want(t, status, nil)
		got := apptest.Call(t, h, http.MethodGet, path, token, nil).Object(t)
		if fmt.Sprint(got["active"]) != pair.Old || fmt.Sprint(got["paused"]) != pair.New {
			t.Errorf("%s has active %v and paused %v, want %s and %s", path, got["active"], got["paused"], pair.Old, pair.New)
		}
	}
	n := slices.IndexFunc(deprecation.Table, func(e deprecation.Entry) bool { return e.ID == "runner-active" })
	for _, pair := range deprecation.Table[n].Values {
		for name, value := range map[string]string{"active": pair.Old, "paused": pair.New} {
			params := map[string]any{name: json.RawMessage(value)}
			made := apptest.Call(t, h, http.MethodPost, "/api/v4/runners", token, params)
			path := fmt.Sprintf("/api/v4/runners/%d", made.ID(t))
			check(made, http.StatusCreated, path, pair)
			check(apptest.Call(t, h, http.MethodPut, path, token, params), http.StatusOK, path, pair)
		}
	}
}
