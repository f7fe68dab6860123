package tables_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/storage/dynamodb/tables"
)

func TestRead(t *testing.T) {
	definitions, err := tables.Read("../../../../template.yaml", "acme")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range definitions {
		names = append(names, string(d.TableName))
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"acme-alerts", "acme-applications", "acme-client-keys", "acme-directory", "acme-messages", "acme-tokens"}, names); diff != "" {
		t.Errorf("Read names other tables (-want +got):\n%s", diff)
	}
	want := tables.Definition{
		AttributeDefinitions: []tables.Attribute{{Name: "pk", Type: "S"}, {Name: "sk", Type: "S"}},
		KeySchema:            []tables.Element{{Name: "pk", Type: "HASH"}, {Name: "sk", Type: "RANGE"}},
		BillingMode:          "PAY_PER_REQUEST",
		TimeToLive:           tables.TimeToLive{Attribute: "ttl", Enabled: true},
	}
	messages := want
	messages.AttributeDefinitions = append(want.AttributeDefinitions[:2:2], tables.Attribute{Name: "due_in", Type: "S"}, tables.Attribute{Name: "look_at", Type: "N"})
	messages.Indexes = []tables.Index{{
		Name: "due", KeySchema: []tables.Element{{Name: "due_in", Type: "HASH"}, {Name: "look_at", Type: "RANGE"}},
		Projection: tables.Projection{Type: "KEYS_ONLY"},
	}}
	messages.Stream = tables.Stream{View: "KEYS_ONLY"}
	for _, d := range definitions {
		want := want
		if d.TableName == "acme-messages" {
			want = messages
		}
		d.TableName = ""
		if diff := cmp.Diff(want, d); diff != "" {
			t.Errorf("Read differs (-want +got):\n%s", diff)
		}
	}
}

func TestReadComplains(t *testing.T) {
	tests := map[string]string{
		"Resources: {Api: {Type: AWS::Serverless::HttpApi}}": "defines no tables",
		"Resources: [": "yaml",
		"Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {KeySchema: {Ref: Keys}}}}": "resource T",
	}
	for template, want := range tests {
		file := filepath.Join(t.TempDir(), "template.yaml")
		if err := os.WriteFile(file, []byte(template), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tables.Read(file, "acme"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read of %q = %v, want an error with %q", template, err, want)
		}
	}
}
