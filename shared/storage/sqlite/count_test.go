package sqlite

import (
	"testing"

	"gatehouse/shared/page"
)

func TestLongListIsNotCounted(t *testing.T) {
	s := openInternal(t)
	tests := []struct{ total, want int }{ // in this order: the list only grows
		{page.CountLimit, page.CountLimit}, {page.CountLimit + 1, -1},
	}
	for _, test := range tests {
		total, want := test.total, test.want
		err := s.writer.do(t.Context(), func(tx *transaction) error { return fillClients(tx, total) })
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Clients(t.Context(), page.First)
		if err != nil || got.Total != want || !got.More || len(got.Items) != page.DefaultSize {
			t.Errorf("Clients of %d = %d items of %d, more: %t, %v; want total %d",
				total, len(got.Items), got.Total, got.More, err, want)
		}
	}
}

// fillClients brings the number of clients to n.
func fillClients(tx *transaction, n int) error {
	return tx.exec(`
		WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
		INSERT OR REPLACE INTO clients SELECT n, n, zeroblob(32), '', '[]', '', 0, 0, 0, 0, 0, 0, 1, 0, 0 FROM number`, n)
}
