package oauth

import (
	"encoding/base64"
	"testing"

	"gatehouse/shared/secret"
)

func testKeys(t testing.TB, current byte, previous ...byte) secret.Keys {
	t.Helper()
	key := func(b byte) []byte {
		k := make([]byte, secret.KeySize)
		k[0] = b
		return k
	}
	var older [][]byte
	for _, b := range previous {
		older = append(older, key(b))
	}
	keys, err := secret.NewKeys(key(current), older...)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func testGrant() Grant {
	return Grant{
		GrantID:    GrantID{UserID: 7, ClientID: 300, Random: [12]byte{1, 2, 3}},
		Nonce:      [16]byte{9},
		Generation: 4,
	}
}

func TestCredentialRoundTrip(t *testing.T) {
	codec, g := newCodec(testKeys(t, 1)), testGrant()
	for _, kind := range []Kind{CodeKind, AccessKind, RefreshKind} {
		c, ok := codec.Parse(kind, codec.Credential(kind, g))
		if !ok || c.Grant != g.GrantID || c.Generation != g.Generation || !codec.Proves(c, g) {
			t.Errorf("credential of kind %c came back as %+v, %t", kind, c, ok)
		}
	}
}

func TestCredentialOfAnotherKindIsNone(t *testing.T) {
	codec, g := newCodec(testKeys(t, 1)), testGrant()
	if _, ok := codec.Parse(AccessKind, codec.Credential(RefreshKind, g)); ok {
		t.Error("a refresh token passed for an access token")
	}
}

func TestChangedCredentialIsRefused(t *testing.T) {
	codec := newCodec(testKeys(t, 1))
	text := codec.Credential(AccessKind, testGrant()).Reveal()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		changed := append([]byte{}, raw...)
		changed[i] ^= 1
		if _, ok := codec.Parse(AccessKind, secret.NewText(base64.RawURLEncoding.EncodeToString(changed))); ok {
			t.Errorf("a token with byte %d changed is still sealed", i)
		}
	}
	for _, other := range []string{"", "x", text[:len(text)-1], text + "A", text + "=", text + "\n", text[:9] + "\r\n" + text[9:]} {
		if _, ok := codec.Parse(AccessKind, secret.NewText(other)); ok {
			t.Errorf("%q is taken for a token", other)
		}
	}
}

func TestShortTextWithTheRightSealIsRefused(t *testing.T) {
	codec := newCodec(testKeys(t, 1))
	for length := range 60 {
		body := append([]byte{byte(AccessKind)}, make([]byte, length)...)
		text := base64.RawURLEncoding.EncodeToString(append(body, seal(codec.seals[0], body)...))
		if _, ok := codec.Parse(AccessKind, secret.NewText(text)); ok && length < proofSize+len(GrantID{}.Random) {
			t.Errorf("%d bytes are taken for a token", length)
		}
	}
}

func TestCredentialNeedsTheGrantsNonce(t *testing.T) {
	codec, g := newCodec(testKeys(t, 1)), testGrant()
	c, _ := codec.Parse(AccessKind, codec.Credential(AccessKind, g))
	g.Nonce[0]++
	if codec.Proves(c, g) {
		t.Error("a token made without the grant's nonce is proven")
	}
}

func TestCredentialsOutliveAKeyRotation(t *testing.T) {
	g := testGrant()
	old := newCodec(testKeys(t, 1)).Credential(AccessKind, g)
	during, after := newCodec(testKeys(t, 2, 1)), newCodec(testKeys(t, 2))
	if c, ok := during.Parse(AccessKind, old); !ok || !during.Proves(c, g) {
		t.Error("a token of the previous key is refused during the rotation")
	}
	if _, ok := after.Parse(AccessKind, old); ok {
		t.Error("a token of a key that is gone is accepted")
	}
}

func FuzzParseCredential(f *testing.F) {
	codec := newCodec(testKeys(f, 1))
	f.Add(codec.Credential(AccessKind, testGrant()).Reveal())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := codec.Parse(AccessKind, secret.NewText(text))
		if !ok {
			return
		}
		g := testGrant()
		g.GrantID, g.Generation = c.Grant, c.Generation
		if again := codec.Credential(AccessKind, g).Reveal(); len(again) != len(text) {
			t.Errorf("%q was read as %+v, which is written as %q", text, c, again)
		}
	})
}
