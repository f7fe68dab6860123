package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/integration"
)

// A changed mapping counts at once, whatever was kept of the former one, and many large
// mappings push each other out.
func TestMappingsAreRead(t *testing.T) {
	captureLog(t) // the store knows the health of one integration alone
	s := newStore()
	r := s.rules(t, integration.AllFeatures)
	title := func(mapped string) string {
		t.Helper()
		s.endpoint.Mapping = []byte(mapped)
		if _, err := r.Test(t.Context(), web, s.endpoint.Integration, []byte(`{"one":"first","two":"second"}`)); err != nil {
			t.Fatal(err)
		}
		return s.recorded[0][0].Title
	}
	long := strings.Repeat(" ", 20<<10) // as it is stored it has none, but that does not matter here
	for n := range 120 {                // 2.4 MiB
		s.endpoint.ID = int64(n%59 + 1)
		name, want := "one", "first"
		if n%2 == 1 {
			name, want = "two", "second"
		}
		mapped := fmt.Sprintf(`{"title":{"sources":[{"path":[%q]}]}}%s`, name, long)
		for range 2 {
			if got := title(mapped); got != want {
				t.Fatalf("with the mapping %d the title is %q, want %q", n, got, want)
			}
		}
	}
	s.endpoint.Mapping = []byte("[]")
	if touched, err := r.Test(t.Context(), web, s.endpoint.Integration, []byte(`{}`)); err == nil {
		t.Errorf("a mapping that cannot be read gave %v", touched)
	}
}
