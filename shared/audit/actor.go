package audit

// Actor is who does something.
type Actor struct {
	ID     int64 // who it really is
	UserID int64 // in whose name: another user's when an administrator acts as that user
}

// Setup is the actor of what the instance does before it has users, such as
// making its first administrator. The trail leaves that out.
var Setup = Actor{ID: -1}

// ByUser returns the actor for a user who acts in their own name.
func ByUser(id int64) Actor { return Actor{ID: id, UserID: id} }

// Event returns an event that belongs to the account in whose name the actor
// acts.
func (a Actor) Event(name Name, d Details) Event {
	return Event{Name: name, ActorID: a.ID, UserID: a.UserID, Details: d}
}
