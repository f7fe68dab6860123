package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// workers is how many threads call the server at once.
const workers = 8

// worker is one of the threads.
type worker struct {
	*site
	number, made    int
	random          *rand.Rand
	access, refresh string // empty: none is known to be good
	keys            []int64
}

// deed is something that workers do, as often as its weight.
type deed struct {
	weight int
	do     func(*worker)
}

var deeds = []deed{
	{25, (*worker).repeatOwn}, {15, (*worker).repeatShared}, {10, (*worker).repeatFive}, {8, (*worker).open},
	{15, (*worker).useToken}, {5, (*worker).useDead}, {8, (*worker).rotate}, {4, (*worker).revoke},
	{3, (*worker).createKey}, {2, (*worker).deleteKey}, {4, (*worker).changeSetting}, {3, (*worker).createIncident},
}

// work does deeds until stopped. It pauses whenever somebody holds the turn.
func (s *site) work(seed uint64, turn *sync.RWMutex, stopped *atomic.Bool) {
	var all sync.WaitGroup
	for n := range workers {
		w := &worker{site: s, number: n, random: rand.New(rand.NewPCG(seed, uint64(n)))}
		all.Go(func() {
			for !stopped.Load() {
				turn.RLock()
				w.draw().do(w)
				turn.RUnlock()
			}
		})
	}
	all.Wait()
}

func (w *worker) draw() deed {
	sum := 0
	for _, d := range deeds {
		sum += d.weight
	}
	at := w.random.IntN(sum)
	for _, d := range deeds {
		if at -= d.weight; at < 0 {
			return d
		}
	}
	panic("not reached: the weights were summed up")
}

// unique returns a name that nothing else has.
func (w *worker) unique(what string) string {
	w.made++
	return fmt.Sprintf("%s %d-%d", what, w.number, w.made)
}

func plain(title string) string { return fmt.Sprintf(`{"title":%q,"fingerprint":%[1]q}`, title) }

func (w *worker) repeatOwn() {
	title := fmt.Sprintf("repeat %d", w.number)
	w.notify("alert, plain", w.plain, plain(title), title)
}

func (w *worker) repeatShared() { w.notify("alert, plain", w.plain, plain("shared"), "shared") }

func (w *worker) open() {
	title := w.unique("new")
	w.notify("alert, new", w.plain, plain(title), title)
}

const metricsHead = `{"version":"4","groupKey":"{}","status":"firing","receiver":"soak","groupLabels":{},"commonLabels":{},` +
	`"commonAnnotations":{},"externalURL":"http://alerts.example","truncatedAlerts":0,"alerts":[`

func (w *worker) repeatFive() {
	var titles, items []string
	for n := range 5 {
		title := fmt.Sprintf("metric %d-%d", w.number, n)
		titles = append(titles, title)
		items = append(items, fmt.Sprintf(`{"status":"firing","labels":{"alertname":%q},"annotations":{"title":%[1]q},"startsAt":"2026-11-21T10:00:00Z"}`, title))
	}
	w.notify("alert, metrics", w.metrics, metricsHead+strings.Join(items, ",")+`]}`, titles...)
}

// useToken asks about a token that is good, and gets one if there is none.
func (w *worker) useToken() {
	if w.access == "" {
		w.authorize()
		return
	}
	a := w.send("token info", "GET", "/oauth/token/info", "", "Authorization", "Bearer "+w.access)
	if a.outcome != uncertain {
		w.note(func() { w.checkToken(w.access, a.outcome == done) })
	}
}

// useDead asks about a token that was revoked.
func (w *worker) useDead() {
	var dead string
	w.note(func() {
		for dead = range w.dead {
			break
		}
	})
	if dead == "" {
		return
	}
	a := w.send("token info, revoked", "GET", "/oauth/token/info", "", "Authorization", "Bearer "+dead)
	if a.outcome != uncertain {
		w.note(func() { w.checkToken(dead, a.outcome == done) })
	}
}

func (w *worker) authorize() {
	query := url.Values{"client_id": {w.clientID}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s"}}
	a := w.send("authorize", "GET", "/oauth/authorize?"+query.Encode(), "", "Cookie", w.cookie)
	back, err := url.Parse(a.header.Get("Location"))
	if a.outcome != done || err != nil || back.Query().Get("code") == "" {
		time.Sleep(20 * time.Millisecond) // the server may be starting
		return
	}
	w.take("code", url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {callback}})
}

// rotate refreshes the worker's tokens.
func (w *worker) rotate() {
	if w.refresh != "" {
		w.take("refresh", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {w.refresh}})
	}
}

// take gets tokens in place of those that the worker had.
func (w *worker) take(kind string, form url.Values) {
	form.Set("client_id", w.clientID)
	form.Set("client_secret", w.secret)
	w.note(func() { delete(w.good, w.access) })
	a := w.form(kind, "/oauth/token", form)
	var pair struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if a.outcome == done {
		_ = json.Unmarshal(a.body, &pair) // without tokens the worker asks for others
	}
	w.access, w.refresh = pair.Access, pair.Refresh
	w.note(func() {
		if a.outcome == refused {
			w.violation("%s was refused: %d %s", kind, a.status, a.body)
		}
		if w.access != "" {
			w.good[w.access] = true
		}
	})
}

// revoke ends the worker's tokens.
func (w *worker) revoke() {
	if w.access == "" {
		return
	}
	token := w.access
	w.access, w.refresh = "", ""
	w.note(func() { delete(w.good, token) })
	a := w.form("revoke", "/oauth/revoke", url.Values{"token": {token}, "client_id": {w.clientID}, "client_secret": {w.secret}})
	if a.outcome == done {
		w.note(func() { w.dead[token] = true })
	}
}

func (w *worker) keysPath() string {
	return fmt.Sprintf("/projects/%d/error_tracking/client_keys", w.own[w.number])
}

func (w *worker) createKey() {
	var key struct{ ID int64 }
	a := w.api("client key, create", "POST", w.keysPath(), nil)
	if a.outcome != done || json.Unmarshal(a.body, &key) != nil {
		return
	}
	w.keys = append(w.keys, key.ID)
	w.note(func() {
		if _, used := w.ledger.keys[key.ID]; used {
			w.violation("client key %d was made twice", key.ID)
		}
		w.ledger.keys[key.ID] = true
	})
}

func (w *worker) deleteKey() {
	if len(w.keys) == 0 {
		return
	}
	id := w.keys[0]
	w.keys = w.keys[1:]
	w.note(func() { delete(w.ledger.keys, id) }) // until it is known
	a := w.api("client key, delete", "DELETE", fmt.Sprintf("%s/%d", w.keysPath(), id), nil)
	if a.outcome == done {
		w.note(func() { w.ledger.keys[id] = false })
	}
}

func (w *worker) changeSetting() {
	active := w.random.IntN(2) == 0
	w.note(func() {
		was, known := w.settings[w.number]
		if known && was.last == was.maybe {
			w.settings[w.number] = setting{was.last, active}
		} else {
			delete(w.settings, w.number) // it can be that of any of several calls
		}
	})
	a := w.api("setting", "PATCH", fmt.Sprintf("/projects/%d/error_tracking/settings", w.own[w.number]), map[string]any{"active": active})
	if a.outcome == done {
		w.note(func() { w.settings[w.number] = setting{active, active} })
	}
}

func (w *worker) createIncident() {
	title := w.unique("incident")
	var made found
	a := w.api("incident", "POST", fmt.Sprintf("/projects/%d/monitor/incidents", w.project), map[string]any{"title": title})
	w.note(func() {
		if a.outcome != refused {
			counted(w.site.ledger.made, title, a.outcome == done)
		}
		if a.outcome == done && json.Unmarshal(a.body, &made) == nil {
			w.numbered(w.incident, "incident", made.IID, title)
		}
	})
}
