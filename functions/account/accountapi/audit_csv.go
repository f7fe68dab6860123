package accountapi

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/user"
)

const adminAuditCSVPath = adminAuditPath + ".csv"

// A file has this many entries at most, which are read in this many portions, and fewer if
// they are long: a function answers with 6 MB at most.
const (
	csvEntries  = 5000
	csvPortions = 10
	csvBytes    = 4 << 20
)

var csvColumns = []string{
	"time", "event", "title", "outcome", "reason", "actor", "actor_id", "account", "account_id", "project_id", "address", "user_agent",
	"request_id", "id", "details",
}

// everybodysAuditCSV answers with what everybodysAudit shows on all pages, as a file of RFC 4180
// in UTF-8. If that is too much, the last line and the header Link lead to the next file.
func (a *api) everybodysAuditCSV(w http.ResponseWriter, r *http.Request, u user.User) error {
	f, err := a.concerned(r.Context(), r.URL.Query())
	if err != nil {
		return err
	}
	search, f := readAuditSearch(r.URL.Query(), f)
	var file bytes.Buffer
	next, err := a.writeAuditCSV(r.Context(), &file, u, f)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="audit-`+a.app.Now().UTC().Format(time.DateOnly)+`.csv"`)
	if next != "" {
		way := a.app.BaseURL + search.address(adminAuditCSVPath, next)
		w.Header().Set("Link", "<"+way+`>; rel="next"`)
		writeCSV(&file, append([]string{"More entries: " + way}, make([]string, len(csvColumns)-1)...))
	}
	_, err = w.Write(file.Bytes())
	return err
}

// writeAuditCSV writes entries until the file is full, and returns where the next one begins;
// empty: there are no more entries.
func (a *api) writeAuditCSV(ctx context.Context, file *bytes.Buffer, reader user.User, f audit.Filter) (next string, err error) {
	writeCSV(file, csvColumns)
	f.Size = csvEntries / csvPortions
	for range csvPortions {
		found, err := a.app.Trail.Entries(ctx, f)
		if err != nil {
			return "", err
		}
		rows, err := a.auditRows(ctx, reader, true, found.Entries)
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			writeCSV(file, row.csv())
		}
		if f.Before = found.Next; f.Before == "" || file.Len() > csvBytes {
			break
		}
	}
	return f.Before, nil
}

// writeCSV adds a line with these fields. A buffer takes whatever is written.
func writeCSV(file *bytes.Buffer, fields []string) {
	safe := make([]string, len(fields))
	for i, field := range fields {
		safe[i] = withoutFormula(field)
	}
	w := csv.NewWriter(file)
	w.UseCRLF = true
	_ = w.Write(safe)
	w.Flush()
}

// withoutFormula puts an apostrophe before what a spreadsheet would take for a formula:
// strangers choose names and user agents.
func withoutFormula(field string) string {
	if field != "" && strings.ContainsRune("=+-@\t\r", rune(field[0])) {
		return "'" + field
	}
	return field
}

func (row auditRow) csv() []string {
	details, _ := json.Marshal(row.Entry.Event.Details) // a map of texts always has JSON
	return []string{
		row.At.UTC().Format(time.RFC3339Nano), string(row.Name), row.Title, string(row.Outcome), row.Reason,
		strings.TrimPrefix(row.By, "@"), idText(row.ActorID), strings.TrimPrefix(row.Account, "@"), idText(row.UserID), idText(row.ProjectID),
		row.Browser.Address, row.Browser.UserAgent, row.RequestID, row.ID, string(details),
	}
}

// idText is the number as text; empty if there is none.
func idText(id int64) string {
	if id <= 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}
