package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/shared/secret"
)

// secretPrefix begins every secret. The base64 of 32 bytes follows.
const secretPrefix = "whsec_"

const secretSize = 32

// rotationTime is how long the former secret signs beside the new one.
const rotationTime = 24 * time.Hour

// newSecret returns a fresh secret.
func newSecret() secret.Text {
	return secret.NewText(secretPrefix + base64.StdEncoding.EncodeToString(secret.Random(secretSize)))
}

// vault seals secrets for the store. Their labels name the owner of the webhook.
type vault struct{ box secret.Box }

func (v vault) seal(text secret.Text, label string) string {
	return base64.StdEncoding.EncodeToString(v.box.Seal([]byte(text.Reveal()), label))
}

// open returns the key in a sealed secret. The error is secret.ErrSealed if the instance
// has lost the key that sealed it.
func (v vault) open(sealed string, label string) ([]byte, error) {
	decoded, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, fmt.Errorf("read a webhook's secret: %w", err)
	}
	text, _, err := v.box.Open(decoded, label)
	if err != nil {
		return nil, fmt.Errorf("open a webhook's secret: %w", err)
	}
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(string(text), secretPrefix))
}

// anew seals a secret again under the current key. It returns "" if that key sealed it.
func (v vault) anew(sealed string, label string) (string, error) {
	decoded, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", fmt.Errorf("read a webhook's secret: %w", err)
	}
	fresh, err := v.box.Anew(decoded, label)
	return base64.StdEncoding.EncodeToString(fresh), err
}

// signingKeys returns the keys that sign at a time, the newest first. A former secret that
// is lost is left out.
func (v vault) signingKeys(s Stored, now time.Time) ([][]byte, error) {
	key, err := v.open(s.Thing.Secret, labelOf(s))
	if err != nil {
		return nil, err
	}
	if s.Thing.Former == "" || !now.Before(s.Thing.FormerUntil) {
		return [][]byte{key}, nil
	}
	former, err := v.open(s.Thing.Former, labelOf(s))
	switch {
	case errors.Is(err, secret.ErrSealed):
		return [][]byte{key}, nil
	case err != nil:
		return nil, err
	}
	return [][]byte{key, former}, nil
}

// reseal seals the secrets of a webhook again under the current key, and reports whether
// that changed it. A former secret that signs no more or is lost is removed.
func (v vault) reseal(w *Webhook, label string, now time.Time) (changed bool, err error) {
	anew, err := v.anew(w.Secret, label)
	if err != nil {
		return false, err
	}
	if anew != "" {
		w.Secret, changed = anew, true
	}
	if w.Former == "" {
		return changed, nil
	}
	anew, err = v.anew(w.Former, label)
	switch {
	case errors.Is(err, secret.ErrSealed) || !now.Before(w.FormerUntil):
		w.Former, w.FormerUntil, changed = "", time.Time{}, true
	case err != nil:
		return false, err
	case anew != "":
		w.Former, changed = anew, true
	}
	return changed, nil
}

// signature returns the header webhook-signature: one signature for each key.
func signature(keys [][]byte, id, timestamp string, body []byte) string {
	var all []string
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " ")
}
