package paging

import (
	"context"
	"fmt"

	"gatehouse/shared/alert"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

// membersMail asks to tell those who look after a project of an alert.
type membersMail struct {
	ProjectID int64 `json:"project_id"`
	IID       int64 `json:"iid"`
	Event     event `json:"event"`
	After     int64 `json:"after,omitempty"` // the last member who was told
}

// toMembers returns the message that tells the Maintainers and Owners of an alert.
func (r *Rules) toMembers(m outbox.Message, s subject) outbox.Message {
	mails := membersMail{ProjectID: s.ProjectID, IID: s.IID, Event: opened}
	if m.Kind == alert.EventResolved {
		mails.Event = resolved
	}
	return message(m, 0, mails.lane(), kindMembers, r.Now(), mails)
}

func (d membersMail) lane() outbox.Lane {
	return outbox.Lane(fmt.Sprintf("members/%d/%d", d.ProjectID, d.IID))
}

// membersAtOnce is how many members are looked at for each message, besides an owner.
const membersAtOnce = outbox.MostFollowing - 2

// tellMembers returns notices to some of the members, and the message about the others.
func (r *Rules) tellMembers(ctx context.Context, m outbox.Message, d membersMail) ([]outbox.Message, error) {
	p, err := r.store.Project(ctx, d.ProjectID)
	if err != nil {
		return nil, goneIfNotFound(err)
	}
	wanted := page.Request{Number: 1, Size: membersAtOnce}
	if d.After != 0 {
		wanted.After = page.At(d.After)
	}
	members, err := r.store.Members(ctx, r.Now(), wanted, p.Places()...)
	if err != nil {
		return nil, err
	}
	var follow []outbox.Message
	if p.OwnerID != 0 && d.After == 0 { // of the namespace of a user, who is no member
		follow = append(follow, r.notice(m, membersAtOnce+1, p.OwnerID, notice{ProjectID: p.ID, IID: d.IID, Event: d.Event, Why: becauseMaintainer}))
	}
	for n, member := range members.Items {
		if member.Active(r.Now()) && member.Role >= project.Maintainer {
			follow = append(follow, r.notice(m, n, member.UserID, notice{ProjectID: p.ID, IID: d.IID, Event: d.Event, Why: becauseMaintainer}))
		}
	}
	if members.More {
		d.After = members.Items[len(members.Items)-1].UserID
		follow = append(follow, message(m, membersAtOnce, d.lane(), kindMembers, r.Now(), d))
	}
	return follow, nil
}
