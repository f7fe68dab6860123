// Package storagetest checks what storage.Store promises: each sentence of those
// contracts is a subtest here, races included. A new noun has a file with its
// promises, and a line in subjects.
package storagetest

import (
	"testing"
	"time"

	"gatehouse/shared/storage"
)

// promise is one thing that a store promises, and its test.
type promise struct {
	name string
	test func(t *testing.T, s storage.Store)
}

var subjects = []struct {
	name     string
	promises []promise
}{
	{"lists", lists},
	{"directory", directory},
	{"users", users},
	{"access tokens", accessTokens},
	{"sessions", sessions},
	{"attempts", attempts},
	{"second factors", secondFactors},
	{"groups", groups},
	{"reserved paths", reservedPaths},
	{"quotas", quotas},
	{"projects", projects},
	{"members", members},
	{"clients", clients},
	{"grants", grants},
	{"signing keys", signingKeys},
	{"alerts", alerts},
	{"expiring alerts", alertExpiry},
	{"alerts that are assigned", assignedAlerts},
	{"summaries of projects", summaries},
	{"events of alerts", alertEvents},
	{"audit entries", auditEntries},
	{"error tracking", errorTracking},
	{"integrations", integrationPromises},
	{"alert settings", alertSettings},
	{"environments", environments},
	{"deprecated uses", deprecatedUses},
	{"records", records},
	{"lists of records", recordLists},
	{"messages", messages},
	{"incidents", incidents},
}

// Run tests the store that open returns. It opens one for each subject and expects it
// empty; open closes it again through t.Cleanup. Subjects run beside each other.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	for _, subject := range subjects {
		t.Run(subject.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			if err := s.Ping(t.Context()); err != nil {
				t.Fatalf("Ping() = %v, want an answer", err)
			}
			for _, p := range subject.promises {
				t.Run(p.name, func(t *testing.T) { p.test(t, s) })
			}
		})
	}
}

// now is the time of everything in the suite. It is the present, because a store
// may remove what has ended by the real clock, and it has microseconds, which a
// store must keep.
var now = time.Now().UTC().Truncate(time.Second).Add(123456 * time.Microsecond)
