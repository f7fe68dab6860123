package paging

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gatehouse/shared/outbox"
)

// bundle is what a person is to be told, as a message carries it.
type bundle struct {
	UserID int64   `json:"user_id"`
	Groups []group `json:"groups"`
	// More counts the alerts and incidents besides that nobody looks at again.
	More int `json:"more,omitempty"`
}

// group are notices that differ in the number of the alert or incident alone.
type group struct {
	notice
	IIDs         []int64 `json:"iids,omitempty"`
	IncidentIIDs []int64 `json:"incident_iids,omitempty"`
}

// newBundle returns the bundle of some notices to a person.
func newBundle(userID int64, all []notice) bundle {
	b := bundle{UserID: userID}
	places := map[notice]int{}
	for _, n := range all {
		kind := n
		kind.UserID, kind.IID, kind.IncidentIID = 0, 0, 0
		at, known := places[kind]
		if !known {
			at = len(b.Groups)
			places[kind], b.Groups = at, append(b.Groups, group{notice: kind})
		}
		if n.IncidentIID != 0 {
			b.Groups[at].IncidentIIDs = append(b.Groups[at].IncidentIIDs, n.IncidentIID)
		} else {
			b.Groups[at].IIDs = append(b.Groups[at].IIDs, n.IID)
		}
	}
	return b
}

// notices returns what is in the bundle.
func (b bundle) notices() (all []notice) {
	for _, g := range b.Groups {
		one := g.notice
		one.UserID = b.UserID
		for _, one.IID = range g.IIDs {
			all = append(all, one)
		}
		one.IID = 0
		for _, one.IncidentIID = range g.IncidentIIDs {
			all = append(all, one)
		}
	}
	return all
}

// MarshalJSON writes a single notice as such, so that it says what it is about to whoever
// looks at messages.
func (b bundle) MarshalJSON() ([]byte, error) {
	if all := b.notices(); len(all) == 1 && b.More == 0 {
		return json.Marshal(all[0])
	}
	type plain bundle
	return json.Marshal(plain(b))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *bundle) UnmarshalJSON(data []byte) error {
	type plain bundle
	if err := json.Unmarshal(data, (*plain)(b)); err != nil || b.Groups != nil || b.More > 0 {
		return err
	}
	var single notice
	err := json.Unmarshal(data, &single)
	*b = newBundle(single.UserID, []notice{single})
	return err
}

// unbundle returns the notices of some messages, each once, and the sum of what there is
// more. What cannot be read holds up nobody.
func unbundle(messages []outbox.Message) (all []notice, more int) {
	for _, m := range messages {
		var b bundle
		if err := json.Unmarshal(m.Data, &b); err == nil {
			all, more = append(all, b.notices()...), more+b.More
		}
	}
	return distinct(all), more
}

// mostBundled is how many notices a message carries.
const mostBundled = 1000

// held are the notices that have to wait until a time.
type held map[time.Time][]notice

// sameWait is how much longer a notice may wait, so that several wait together.
const sameWait = 10 * time.Second

// add has a notice wait until a time.
func (h held) add(until time.Time, n notice) {
	if rounded := until.Truncate(sameWait); rounded.Before(until) {
		until = rounded.Add(sameWait)
	}
	until = until.UTC()
	h[until] = append(h[until], n)
}

// mostWaits is how many times notices of one telling can wait for. Those that would wait for
// later ones come at the last of them, and then wait again.
const mostWaits = 40

// held returns the messages by which held notices come again.
func (r *Rules) held(from outbox.Message, userID int64, waiting held) (messages []outbox.Message) {
	times := slices.SortedFunc(maps.Keys(waiting), time.Time.Compare)
	for i, until := range times[:min(len(times), mostWaits)] {
		all := slices.Clone(waiting[until])
		if i == mostWaits-1 {
			for _, later := range times[mostWaits:] {
				all = append(all, waiting[later]...)
			}
		}
		for n := range all {
			all[n].Waited = true
		}
		for some := range slices.Chunk(all, mostBundled) {
			messages = append(messages, message(from, len(messages), noticeLane(userID), kindNotice, until, newBundle(userID, some)))
		}
	}
	return messages
}

// boundedMessages returns the first messages, at least one, with no more notices than can be held at
// once. The others stay in their lane.
func boundedMessages(all []outbox.Message) []outbox.Message {
	n := 0
	for i, m := range all {
		var b bundle
		if err := json.Unmarshal(m.Data, &b); err == nil {
			n += len(b.notices())
		}
		if i > 0 && n > mostNotices {
			return all[:i]
		}
	}
	return all
}
