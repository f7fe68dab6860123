package monitorapi

import (
	"testing"

	"gatehouse/shared/outbox"
	"gatehouse/shared/undelivered"
)

// Webhooks of persons are numbered by themselves, so that their ids say nothing in a project.
func TestUndeliveredMessageNamesWebhooksOfTheProject(t *testing.T) {
	for kind, want := range map[outbox.Kind]bool{"webhook.delivery": true, "notice.webhook": false} {
		m := undelivered.Message{About: undelivered.About{WebhookID: 3, UserID: 7}}
		m.Kind = kind
		if got := newUndeliveredBody(m); (got.WebhookID != nil) != want || got.UserID == nil {
			t.Errorf("%s: webhook_id is %v", kind, got.WebhookID)
		}
	}
}
