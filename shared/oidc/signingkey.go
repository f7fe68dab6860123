package oidc

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"time"
)

// keyBits is the size of a key; RFC 7518 section 3.3 wants at least this.
const keyBits = 2048

// signingKey signs id_tokens with RS256 (RFC 7518 section 3.3).
type signingKey struct {
	private   *rsa.PrivateKey
	public    PublicKey
	signsFrom time.Time
}

func newSigningKey(signsFrom time.Time) signingKey {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		panic(err) // not reached: crypto/rand never fails
	}
	return signingKey{private, publish(private), signsFrom}
}

func (k signingKey) bytes() []byte { return x509.MarshalPKCS1PrivateKey(k.private) }

func parseSigningKey(bytes []byte, signsFrom time.Time) (signingKey, error) {
	private, err := x509.ParsePKCS1PrivateKey(bytes)
	if err != nil {
		return signingKey{}, err
	}
	return signingKey{private, publish(private), signsFrom}, nil
}

// sign returns the claims as a JSON Web Token in compact form (RFC 7519, RFC
// 7515 section 7.1).
func (k signingKey) sign(claims Claims) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	header := `{"alg":"RS256","kid":"` + k.public.ID + `","typ":"JWT"}`
	signed := encode([]byte(header)) + "." + encode(payload)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, k.private, crypto.SHA256, digest[:])
	return signed + "." + encode(signature), err
}

// PublicKey is the published half of a signing key (RFC 7517 section 4, RFC 7518
// section 6.3.1).
type PublicKey struct {
	Type      string `json:"kty"`
	ID        string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	Modulus   string `json:"n"`
	Exponent  string `json:"e"`
}

// publish names the key by its thumbprint (RFC 7638), which is the same in
// every process.
func publish(private *rsa.PrivateKey) PublicKey {
	n := encode(private.N.Bytes())
	e := encode(big.NewInt(int64(private.E)).Bytes())
	thumbprint := sha256.Sum256([]byte(`{"e":"` + e + `","kty":"RSA","n":"` + n + `"}`))
	return PublicKey{Type: "RSA", ID: encode(thumbprint[:]), Use: "sig", Algorithm: "RS256", Modulus: n, Exponent: e}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
