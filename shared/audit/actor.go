package audit

// Actor is who does something to a thing that is nobody's own, such as what
// belongs to a project. It is in the trail of the account that did it.
type Actor struct {
	ID     int64 // who it really is
	UserID int64 // in whose name, which is another's where administrators act as others
}

// ByUser returns the actor for a user who acts in their own name.
func ByUser(id int64) Actor { return Actor{ID: id, UserID: id} }

// Event returns an event of the actor's.
func (a Actor) Event(name Name, d Details) Event {
	return Event{Name: name, ActorID: a.ID, UserID: a.UserID, Details: d}
}
