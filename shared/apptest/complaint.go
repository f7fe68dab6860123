package apptest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
)

// Complaints returns what the error says of fields: nil, if it says nothing of them.
func Complaints(err error) fault.Fields {
	var fields fault.Fields
	errors.As(err, &fields)
	return fields
}

// WantComplaints checks what the error of a call says of fields.
func WantComplaints(t *testing.T, call string, err error, want fault.Fields) {
	t.Helper()
	if diff := cmp.Diff(want, Complaints(err)); diff != "" {
		t.Errorf("%s = %v, the complaints differ (-want +got):\n%s", call, err, diff)
	}
}
