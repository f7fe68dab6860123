package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"gatehouse/shared/fault"
)

func TestKindsSurviveWrapping(t *testing.T) {
	taken := fault.Field("path", "has already been taken")
	tests := []struct {
		err     error
		kind    fault.Kind
		message string
	}{
		{fault.New(fault.NotFound, "no such project"), fault.NotFound, "no such project"},
		{fmt.Errorf("read: %w", fault.New(fault.Conflict, "changed")), fault.Conflict, "changed"},
		{errors.Join(errors.New("disk"), fault.New(fault.Forbidden, "no")), fault.Forbidden, "no"},
		{taken, fault.Invalid, ""},
		{fmt.Errorf("create: %w", taken), fault.Invalid, ""},
	}
	for _, test := range tests {
		for _, kind := range []fault.Kind{fault.Invalid, fault.Forbidden, fault.NotFound, fault.Conflict} {
			if got := fault.Is(test.err, kind); got != (kind == test.kind) {
				t.Errorf("Is(%v, %s) = %v", test.err, kind, got)
			}
		}
		if got := fault.Message(test.err); got != test.message {
			t.Errorf("Message(%v) = %q, want %q", test.err, got, test.message)
		}
	}
}

func TestUnclassifiedErrorsSayNothing(t *testing.T) {
	for _, err := range []error{nil, errors.New("disk full at /var")} {
		if fault.Is(err, fault.Invalid) || fault.Message(err) != "" {
			t.Errorf("%v has a kind or a message", err)
		}
	}
}

func TestFieldsCollectComplaints(t *testing.T) {
	fields := fault.Fields{}
	fields.Add("name", "")
	if err := fields.Err(); err != nil {
		t.Errorf("Err() of no complaint = %v, want nil", err)
	}
	fields.Add("path", "is a reserved name")
	fields.Add("name", "can't be blank")
	fields.Add("name", "is odd")
	err := fields.Err()
	if want := "name can't be blank, is odd; path is a reserved name"; err == nil || err.Error() != want {
		t.Errorf("Err() = %v, want %s", err, want)
	}
}

// TestAnErrorOfSeveralKindsHasOne joins every pair of kinds in both orders.
func TestAnErrorOfSeveralKindsHasOne(t *testing.T) {
	order := []fault.Kind{
		fault.Unavailable, fault.TooMany, fault.Unauthorized, fault.Forbidden, fault.NotFound,
		fault.Conflict, fault.TooLarge, fault.Unsupported, fault.Unprocessable, fault.Invalid,
	}
	for i, first := range order {
		if got := fault.KindOf(fmt.Errorf("wrapped: %w", fault.New(first, ""))); got != first {
			t.Errorf("KindOf(%s) = %s", first, got)
		}
		for _, second := range order[i:] {
			for _, err := range []error{
				errors.Join(fault.New(first, "a"), fault.New(second, "b")),
				errors.Join(fault.New(second, "b"), errors.New("disk"), fault.New(first, "a")),
			} {
				if got := fault.KindOf(err); got != first {
					t.Errorf("KindOf(%s and %s) = %s, want %s", first, second, got, first)
				}
			}
		}
	}
	for _, err := range []error{nil, errors.New("disk full at /var")} {
		if got := fault.KindOf(err); got != "" {
			t.Errorf("KindOf(%v) = %s, want none", err, got)
		}
	}
}
