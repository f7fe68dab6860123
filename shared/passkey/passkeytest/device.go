// Package passkeytest is a device that makes and uses a passkey, for tests.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"
)

// Device has one key. What a test changes, the next answer has.
type Device struct {
	Origin       string // of the page
	Party        string // for whom the browser asks; empty: the one in the question
	Unverified   bool   // it asks nobody for a fingerprint, face or PIN
	Absent       bool   // nobody touches it
	Syncable     bool
	Count        uint32 // of the next signature, if it counts
	Counts       bool
	Challenge    string // that is answered; empty: the one in the question
	Handle       []byte // of the user
	Kind         string // of the answer; empty: the right one
	BadSignature bool

	t   testing.TB
	key *ecdsa.PrivateKey
	id  []byte
}

// New returns a device for pages of the origin.
func New(t testing.TB, origin string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	return &Device{Origin: origin, t: t, key: key, id: id}
}

type binaryText []byte

func (b binaryText) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

func (b *binaryText) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.DecodeString(string(text))
	return err
}

// question is what the browser is asked.
type question struct {
	Challenge string
	RPID      string `json:"rpId"`
	RP        struct{ ID string }
	User      struct{ ID binaryText }
}

func (d *Device) read(options string) (q question) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(options), &q); err != nil {
		d.t.Fatalf("the options %s: %v", options, err)
	}
	if q.RPID == "" {
		q.RPID = q.RP.ID
	}
	if d.Party != "" {
		q.RPID = d.Party
	}
	if d.Challenge != "" {
		q.Challenge = d.Challenge
	}
	return q
}

// Create answers what asks for a new key.
func (d *Device) Create(options string) string {
	d.t.Helper()
	q := d.read(options)
	d.Handle = q.User.ID
	data := binary.BigEndian.AppendUint16(append(d.data(q, 0x40), make([]byte, 16)...), uint16(len(d.id)))
	data = append(append(data, d.id...), d.publicKey()...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return d.answer(map[string]any{
		"clientDataJSON": binaryText(d.client(q, "webauthn.create")), "attestationObject": binaryText(append(object, data...)),
		"transports": []string{"internal"},
	})
}

// Use answers what asks to sign in.
func (d *Device) Use(options string) string {
	d.t.Helper()
	q := d.read(options)
	data, client := d.data(q, 0), d.client(q, "webauthn.get")
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	if d.BadSignature {
		signed[0]++
	}
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, signed[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{
		"clientDataJSON": binaryText(client), "authenticatorData": binaryText(data), "signature": binaryText(signature), "userHandle": binaryText(d.Handle),
	})
}

// data is the authenticator data (WebAuthn section 6.1), without a key.
func (d *Device) data(q question, flags byte) []byte {
	for flag, set := range map[byte]bool{1: !d.Absent, 4: !d.Unverified, 8: d.Syncable, 16: d.Syncable} {
		if set {
			flags |= flag
		}
	}
	if d.Counts {
		d.Count++
	}
	party := sha256.Sum256([]byte(q.RPID))
	return binary.BigEndian.AppendUint32(append(party[:], flags), d.Count)
}

// publicKey is the key in COSE (RFC 9053 section 7.1.1).
func (d *Device) publicKey() []byte {
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	cose := append([]byte("\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"), point[1:33]...)
	return append(append(cose, "\x22\x58\x20"...), point[33:]...)
}

func (d *Device) client(q question, kind string) []byte {
	if d.Kind != "" {
		kind = d.Kind
	}
	return d.encode(map[string]any{"type": kind, "challenge": q.Challenge, "origin": d.Origin, "crossOrigin": false})
}

func (d *Device) answer(response map[string]any) string {
	return string(d.encode(map[string]any{
		"id": binaryText(d.id), "rawId": binaryText(d.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	}))
}

func (d *Device) encode(thing any) []byte {
	encoded, err := json.Marshal(thing)
	if err != nil {
		d.t.Fatal(err)
	}
	return encoded
}
