package ses_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/mail"
	"gatehouse/shared/mail/ses"
)

var message = mail.Message{
	From: mail.Address{Name: "Gatehouse", Email: "gatehouse@example.com"}, To: mail.Address{Email: "ada@example.com"},
	At: time.UnixMicro(0), Subject: "Disk full", Text: "It is.\n", ID: "1@example.com",
}

// client sends to a service that answers so.
func client(t *testing.T, answer http.HandlerFunc) *ses.Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "hidden"}, nil
	})
	return ses.New(ses.Options{Region: "us-east-1", Endpoint: server.URL, Credentials: keys})
}

func TestSend(t *testing.T) {
	var got struct {
		FromEmailAddress string
		Destination      struct{ ToAddresses []string }
		Content          struct{ Raw struct{ Data []byte } }
	}
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &got); err != nil || r.URL.Path != "/v2/email/outbound-emails" || !strings.Contains(r.Header.Get("Authorization"), "/us-east-1/ses/") {
			t.Errorf("the service gets %s %s with %s, %v", r.URL, body, r.Header.Get("Authorization"), err)
		}
		io.WriteString(w, `{"MessageId":"1"}`)
	})
	if err := c.Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	encoded, err := message.Encode()
	if err != nil || !bytes.Equal(got.Content.Raw.Data, encoded) || got.FromEmailAddress != message.From.String() ||
		len(got.Destination.ToAddresses) != 1 || got.Destination.ToAddresses[0] != "ada@example.com" {
		t.Errorf("the service gets %+v, %v", got, err)
	}
}

func TestFailures(t *testing.T) {
	tests := map[string]struct {
		status    int
		permanent bool
	}{
		"MessageRejected": {400, true}, "BadRequestException": {400, true}, "MailFromDomainNotVerifiedException": {400, false},
		"SendingPausedException": {400, false}, "AccountSuspendedException": {400, false}, "LimitExceededException": {400, false},
		"NotFoundException": {404, false}, "AccessDeniedException": {403, false},
	}
	for code, test := range tests {
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-ErrorType", code)
			w.WriteHeader(test.status)
			io.WriteString(w, `{"message":"because"}`)
		})
		err := c.Send(t.Context(), message)
		if err == nil || mail.Permanent(err) != test.permanent || !strings.Contains(err.Error(), code+": because") {
			t.Errorf("%s: Send = %v, permanent %t, want %t", code, err, mail.Permanent(err), test.permanent)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	c := client(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if err := c.Send(t.Context(), message); err == nil || mail.Permanent(err) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("Send = %v, want a failure for later", err)
	}
	bad := message
	bad.To.Email = "nobody"
	if err := c.Send(t.Context(), bad); !mail.Permanent(err) {
		t.Errorf("Send to nobody = %v, want a permanent failure", err)
	}
}
