package record

// Noun is how the things of a kind are kept, whatever their type. Every Of is one.
type Noun interface {
	// Named returns the kind. It stands for all that differ from it in a number at the end.
	Named() Kind
	// Complete returns the record with what follows from its data: words, lists and hint.
	Complete(Record) (Record, error)
}

// Named returns the kind.
func (o Of[T]) Named() Kind { return o.Kind }

// Complete returns the record with its words, lists and hint.
func (o Of[T]) Complete(r Record) (Record, error) {
	stored, err := o.decode(r)
	return stored.Record, err
}
