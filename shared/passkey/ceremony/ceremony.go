// Package ceremony asks browsers for passkeys and checks what they answer (WebAuthn Level
// 3, sections 7.1 and 7.2). It is the only package that links the library for that.
package ceremony

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"gatehouse/shared/passkey"
	"gatehouse/shared/user"
)

// Party is the site that passkeys are for (WebAuthn: relying party).
type Party struct{ library *webauthn.WebAuthn }

// New returns the party at the address where browsers reach the instance. Passkeys are bound
// to its host name. It returns nil when browsers have no passkeys for the address: they need
// https, except on localhost, and a host name instead of an IP address.
func New(baseURL string) *Party {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil
	}
	host := base.Hostname()
	_, notAnIP := netip.ParseAddr(host)
	if notAnIP == nil || base.Scheme != "https" && host != "localhost" {
		return nil
	}
	library, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Gatehouse", RPOrigins: []string{base.Scheme + "://" + base.Host},
		// The maker of the device does not matter, so nobody is asked to prove it.
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		// Password managers answer what nobody asked for, and nothing here reads that.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil // the host name is none of the web
	}
	return &Party{library}
}

// algorithms are those that every device has one of.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// ToCreate returns what a browser needs to make a key for the user, who has these already.
func (p *Party) ToCreate(q passkey.Question, u user.User, has []passkey.Passkey) ([]byte, error) {
	asked, _, err := p.library.BeginRegistration(account{User: u}, func(options *protocol.PublicKeyCredentialCreationOptions) error {
		options.Challenge, options.Parameters = q.Challenge, algorithms
		options.Timeout = int(passkey.Lifetime.Milliseconds())
		for _, one := range has {
			options.CredentialExcludeList = append(options.CredentialExcludeList, credential(one.Key).Descriptor())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return json.Marshal(asked.Response)
}

// ToUse returns what a browser needs to sign in with a key that its user chooses.
func (p *Party) ToUse(q passkey.Question) ([]byte, error) {
	asked, _, err := p.library.BeginDiscoverableLogin(webauthn.WithChallenge(q.Challenge), func(options *protocol.PublicKeyCredentialRequestOptions) error {
		options.Timeout = int(passkey.Lifetime.Milliseconds())
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ask for the use of a passkey: %w", err)
	}
	return json.Marshal(asked.Response)
}

// account is a user as the library sees one.
type account struct {
	user.User
	has []webauthn.Credential
}

// WebAuthnID is the number of the user, which is never used again.
func (a account) WebAuthnID() []byte { return handle(a.ID) }

// WebAuthnName tells the accounts of one person apart.
func (a account) WebAuthnName() string { return a.Username }

// WebAuthnDisplayName is what devices show.
func (a account) WebAuthnDisplayName() string { return a.Name }

// WebAuthnCredentials are the keys.
func (a account) WebAuthnCredentials() []webauthn.Credential { return a.has }

func handle(userID int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(userID)) }

func credential(k passkey.Key) *webauthn.Credential {
	return &webauthn.Credential{
		ID: k.ID, PublicKey: k.PublicKey, AttestationFormat: string(protocol.AttestationFormatNone),
		Flags:         webauthn.CredentialFlags{BackupEligible: k.Syncable},
		Authenticator: webauthn.Authenticator{SignCount: k.Count},
	}
}

func keyOf(c *webauthn.Credential) passkey.Key {
	return passkey.Key{ID: c.ID, PublicKey: c.PublicKey, Count: c.Authenticator.SignCount, Syncable: c.Flags.BackupEligible}
}

// session is what the library keeps of a question.
func session(challenge []byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge:        base64.RawURLEncoding.EncodeToString(challenge),
		UserVerification: protocol.VerificationRequired, CredParams: algorithms,
	}
}

// Creation reads a browser's answer to ToCreate. The error is passkey.ErrRefused.
func (p *Party) Creation(answer string) (passkey.Creation, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return nil, errors.Join(passkey.ErrRefused, err)
	}
	return creation{p, parsed}, nil
}

type creation struct {
	party  *Party
	parsed *protocol.ParsedCredentialCreationData
}

// Check checks the answer.
func (c creation) Check(challenge []byte, u user.User) (passkey.Key, error) {
	asked := session(challenge)
	asked.UserID = handle(u.ID)
	made, err := c.party.library.CreateCredential(account{User: u}, asked, c.parsed)
	if err != nil {
		return passkey.Key{}, errors.Join(passkey.ErrRefused, err)
	}
	return keyOf(made), nil
}

// Assertion reads a browser's answer to ToUse. The error is passkey.ErrRefused.
func (p *Party) Assertion(answer string) (passkey.Assertion, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return nil, errors.Join(passkey.ErrRefused, err)
	}
	return assertion{p, parsed}, nil
}

type assertion struct {
	party  *Party
	parsed *protocol.ParsedCredentialAssertionData
}

// UserID is the user whom the key names.
func (a assertion) UserID() int64 {
	named := a.parsed.Response.UserHandle
	if len(named) != 8 {
		return 0
	}
	return max(int64(binary.BigEndian.Uint64(named)), 0)
}

// KeyID identifies the key.
func (a assertion) KeyID() []byte { return a.parsed.RawID }

// Check checks the answer.
func (a assertion) Check(challenge []byte, k passkey.Key) (next passkey.Key, copied bool, err error) {
	named := account{User: user.User{ID: a.UserID()}, has: []webauthn.Credential{*credential(k)}}
	find := func(_, _ []byte) (webauthn.User, error) { return named, nil }
	_, used, err := a.party.library.ValidatePasskeyLogin(find, session(challenge), a.parsed)
	if err != nil {
		return passkey.Key{}, false, errors.Join(passkey.ErrRefused, err)
	}
	return keyOf(used), used.Authenticator.CloneWarning, nil
}
