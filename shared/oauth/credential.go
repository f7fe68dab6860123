package oauth

import (
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"

	"gatehouse/shared/secret"
)

// Kind distinguishes codes, access tokens and refresh tokens.
type Kind byte

// The kinds of credential.
const (
	CodeKind    Kind = 'c'
	AccessKind  Kind = 'a'
	RefreshKind Kind = 'r'
)

// Sizes, in bytes, of the parts of a credential.
const (
	proofSize = 24
	sealSize  = 8
)

// Credential is a parsed code or token. As a string it is unpadded base64url of
//
//	kind, user id, client number, random, generation, proof, seal
//
// The seal authenticates everything before it, so that a forged string is
// rejected without a read of the store. The proof also covers the grant's nonce,
// which only the store has: the instance key alone does not make a credential.
// No credential is stored, so none can be stolen from the store.
type Credential struct {
	Kind       Kind
	Grant      GrantID
	Generation int64
	proof      []byte
}

// codec makes and reads credentials.
type codec struct{ proofs, seals secret.MACs }

func newCodec(keys secret.Keys) codec {
	return codec{proofs: keys.Derive("grant credential proof"), seals: keys.Derive("grant credential seal")}
}

// Credential returns the grant's code or token of its current generation.
func (c codec) Credential(kind Kind, g Grant) secret.Text {
	head := header(kind, g.GrantID, g.Generation)
	body := append(head, proof(c.proofs[0], head, g)...)
	return secret.NewText(base64.RawURLEncoding.EncodeToString(append(body, seal(c.seals[0], body)...)))
}

// Parse reads a credential. For a string that was not made under these keys it
// returns the zero Credential and false.
func (c codec) Parse(kind Kind, text secret.Text) (Credential, bool) {
	encoding := base64.RawURLEncoding.Strict()
	raw, err := encoding.DecodeString(text.Reveal())
	if encoding.EncodedLen(len(raw)) != len(text.Reveal()) { // the decoder overlooks line breaks
		return Credential{}, false
	}
	if err != nil || len(raw) < 1+proofSize+sealSize || Kind(raw[0]) != kind || !c.sealed(raw) {
		return Credential{}, false
	}
	head := raw[:len(raw)-sealSize-proofSize]
	credential := Credential{Kind: kind, proof: raw[len(head) : len(head)+proofSize]}
	r := bytes.NewReader(head[1:])
	for _, field := range []*int64{&credential.Grant.UserID, &credential.Grant.ClientID} {
		if *field, err = binary.ReadVarint(r); err != nil {
			return Credential{}, false
		}
	}
	if n, _ := r.Read(credential.Grant.Random[:]); n != len(credential.Grant.Random) {
		return Credential{}, false
	}
	credential.Generation, err = binary.ReadVarint(r)
	return credential, err == nil && r.Len() == 0
}

// Proves reports whether the grant gave the credential, in any generation.
func (c codec) Proves(credential Credential, g Grant) bool {
	head := header(credential.Kind, credential.Grant, credential.Generation)
	for _, mac := range c.proofs {
		if subtle.ConstantTimeCompare(proof(mac, head, g), credential.proof) == 1 {
			return credential.Grant == g.GrantID
		}
	}
	return false
}

func (c codec) sealed(raw []byte) bool {
	body, tail := raw[:len(raw)-sealSize], raw[len(raw)-sealSize:]
	for _, mac := range c.seals {
		if subtle.ConstantTimeCompare(seal(mac, body), tail) == 1 {
			return true
		}
	}
	return false
}

func header(kind Kind, id GrantID, generation int64) []byte {
	head := make([]byte, 0, 64)
	head = append(head, byte(kind))
	head = binary.AppendVarint(head, id.UserID)
	head = binary.AppendVarint(head, id.ClientID)
	head = append(head, id.Random[:]...)
	return binary.AppendVarint(head, generation)
}

func proof(mac secret.MAC, head []byte, g Grant) []byte {
	sum := mac.Sum(head, g.Nonce[:])
	return sum[:proofSize]
}

func seal(mac secret.MAC, body []byte) []byte {
	sum := mac.Sum(body)
	return sum[:sealSize]
}
