package consoleapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// keyList is the data of the list of client keys.
type keyList struct {
	Rows   []keyRow
	Paging site.Paging
	// Setup is the code with which an application reports errors, with the
	// newest key on the page.
	Setup string
}

type keyRow struct {
	errortracking.ClientKey
	DSN, Address string
}

func (a *api) newKeyList(v visit, wanted page.Request, found page.Of[errortracking.ClientKey]) keyList {
	list := keyList{Paging: site.NewPaging(v.Address()+trackingSection, wanted, found), Setup: a.setup(v, found.Items)}
	for _, k := range found.Items {
		list.Rows = append(list.Rows, keyRow{k, k.DSN(a.app.BaseURL), v.Address() + keysPath + "/" + strconv.FormatInt(k.ID, 10)})
	}
	return list
}

// keysPath is the end of the address at which client keys are made.
const keysPath = trackingSection + "/client_keys"

// setup returns keyList.Setup, with a placeholder if there is no key.
func (a *api) setup(v visit, keys []errortracking.ClientKey) string {
	key := errortracking.ClientKey{ProjectID: v.Project.ID, PublicKey: "<client key>"}
	if len(keys) > 0 {
		key = keys[0]
	}
	return "init({\n  dsn: \"" + key.DSN(a.app.BaseURL) + "\",\n  environment: \"production\",\n});"
}

func (a *api) createKey(w http.ResponseWriter, r *http.Request, v visit) error {
	_, err := a.app.Tracking.CreateKey(r.Context(), v.actor(), v.Project)
	return a.site.Done(w, r, err, "key-created", v.Address()+trackingSection)
}

func (a *api) deleteKey(w http.ResponseWriter, r *http.Request, v visit) error {
	id, err := web.PathID(r, "key")
	if err != nil {
		return err
	}
	_, err = a.app.Tracking.DeleteKey(r.Context(), v.actor(), v.Project, id)
	return a.site.Done(w, r, err, "key-deleted", v.Address()+trackingSection)
}
