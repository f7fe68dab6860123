package sns_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/sns"
)

const (
	arn  = "arn:aws:sns:eu-central-1:111122223333:alarms"
	host = "sns.eu-central-1.amazonaws.com"
)

var now = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

var signingKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// issue returns a certificate for the names, signed by another one or by itself.
func issue(t *testing.T, names []string, by *x509.Certificate, from, to time.Time) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: names, NotBefore: from, NotAfter: to,
		IsCA: by == nil, BasicConstraintsValid: true,
	}
	if by == nil {
		by = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by, &signingKey().PublicKey, signingKey())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func page(c *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
}

// amazon is a server that is SNS, whose certificate an authority of the test signed. Every
// name leads to it.
type amazon struct {
	sns.Getter
	pem       string // what it signs with
	status    int    // of its answer to a confirmation
	confirmed []string
}

func newAmazon(t *testing.T) *amazon {
	t.Helper()
	a := &amazon{status: 200, pem: page(issue(t, []string{"sns.amazonaws.com"}, nil, now.AddDate(0, -1, 0), now.AddDate(0, 1, 0)))}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".pem") {
			io.WriteString(w, a.pem)
			return
		}
		a.confirmed = append(a.confirmed, r.Host+r.URL.String())
		w.WriteHeader(a.status)
	}))
	authority := issue(t, nil, nil, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	own := issue(t, []string{host}, authority, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{own.Raw}, PrivateKey: signingKey()}}}
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	a.Getter = getter{&http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
		},
	}}}
	return a
}

type getter struct{ client *http.Client }

func (g getter) Get(ctx context.Context, url string, most int64) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := g.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, most))
	return answer.StatusCode, body, err
}

// question is one that SNS asks, before it is signed.
func question() map[string]string {
	return map[string]string{
		"Type": "SubscriptionConfirmation", "MessageId": "1", "Token": "2336", "TopicArn": arn,
		"Message":      "You have chosen to subscribe to the topic.\nTo confirm it, visit the SubscribeURL.",
		"SubscribeURL": "https://" + host + "/?Action=ConfirmSubscription&TopicArn=" + arn + "&Token=2336",
		"Timestamp":    "2026-11-22T09:00:00.000Z", "SignatureVersion": "1",
		"SigningCertURL": "https://" + host + "/SimpleNotificationService-01d088a6f77103d0fe307c0069e40ed6.pem",
	}
}

// sign returns the question as it is sent.
func sign(t *testing.T, q map[string]string) []byte {
	t.Helper()
	var text strings.Builder
	for _, name := range []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"} {
		text.WriteString(name + "\n" + q[name] + "\n")
	}
	digest := sha256.Sum256([]byte(text.String()))
	algorithm, sum := crypto.SHA256, digest[:]
	if q["SignatureVersion"] == "1" {
		digest := sha1.Sum([]byte(text.String()))
		algorithm, sum = crypto.SHA1, digest[:]
	}
	signature, err := rsa.SignPKCS1v15(nil, signingKey(), algorithm, sum)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"Signature": signature}
	for name, value := range q {
		all[name] = value
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// confirm reads and confirms what SNS sends.
func (a *amazon) confirm(t *testing.T, body []byte) error {
	t.Helper()
	q, ok := sns.Read(body)
	if !ok {
		t.Fatalf("%s is no question", body)
	}
	return sns.NewRules(a, func() time.Time { return now }).Confirm(t.Context(), q, arn)
}

func TestConfirm(t *testing.T) {
	for _, version := range []string{"1", "2"} {
		a := newAmazon(t)
		q := question()
		q["SignatureVersion"] = version
		if err := a.confirm(t, sign(t, q)); err != nil {
			t.Errorf("a question with signature %s: %v", version, err)
		}
		want := host + "/?Action=ConfirmSubscription&TopicArn=" + arn + "&Token=2336"
		if len(a.confirmed) != 1 || a.confirmed[0] != want {
			t.Errorf("SNS gets %q, want %q once", a.confirmed, want)
		}
	}
}

func TestRefused(t *testing.T) {
	const subscribe = "https://" + host + "/?Action=ConfirmSubscription&TopicArn=" + arn + "&Token=2336"
	const other, elsewhere = "arn:aws:sns:eu-central-1:111122223333:other", "sns.eu-west-1.amazonaws.com"
	certificate := question()["SigningCertURL"]
	tests := []struct{ member, value, why string }{
		{"TopicArn", other, "another topic"},
		{"Token", "", "no token"},
		{"Token", "1", "SubscribeURL"},
		{"SignatureVersion", "3", "SignatureVersion"},
		{"SignatureVersion", "", "SignatureVersion"},
		{"SigningCertURL", strings.Replace(certificate, "https", "http", 1), "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, host, elsewhere, 1), "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, host, host+".evil.example", 1), "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, host, host+":8443", 1), "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, host, "evil.example/"+host, 1), "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, host, "sns.eu-central-1@evil.example", 1), "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, host, host+"/..", 1), "SigningCertURL"},
		{"SigningCertURL", "https://" + host + "/evil.pem", "SigningCertURL"},
		{"SigningCertURL", certificate + "?x", "SigningCertURL"},
		{"SigningCertURL", certificate + "#x", "SigningCertURL"},
		{"SigningCertURL", strings.Replace(certificate, "-01", "-%2e%2e", 1), "SigningCertURL"},
		{"SigningCertURL", "://", "SigningCertURL"},
		{"SubscribeURL", strings.Replace(subscribe, "https", "http", 1), "SubscribeURL"},
		{"SubscribeURL", strings.Replace(subscribe, host, elsewhere, 1), "SubscribeURL"},
		{"SubscribeURL", strings.Replace(subscribe, host, host+":80", 1), "SubscribeURL"},
		{"SubscribeURL", strings.Replace(subscribe, host, "x:y@"+host, 1), "SubscribeURL"},
		{"SubscribeURL", strings.Replace(subscribe, "/?", "/x?", 1), "SubscribeURL"},
		{"SubscribeURL", strings.Replace(subscribe, "ConfirmSubscription", "DeleteTopic", 1), "SubscribeURL"},
		{"SubscribeURL", strings.Replace(subscribe, arn, other, 1), "SubscribeURL"},
		{"SubscribeURL", subscribe + "&Action=DeleteTopic", "SubscribeURL"},
		{"SubscribeURL", subscribe + "&AuthenticateOnUnsubscribe=true", "SubscribeURL"},
		{"SubscribeURL", subscribe + ";%zz", "SubscribeURL"},
	}
	for _, test := range tests {
		a := newAmazon(t)
		q := question()
		q[test.member] = test.value
		a.wantRefused(t, test.member+" "+test.value, sign(t, q), test.why)
	}
}

// wantRefused checks that a question is refused, says why and tells SNS nothing.
func (a *amazon) wantRefused(t *testing.T, name string, body []byte, why string) {
	t.Helper()
	err := a.confirm(t, body)
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), why) || len(a.confirmed) > 0 {
		t.Errorf("%s: %v with %q to SNS, want a refusal about %q", name, err, a.confirmed, why)
	}
}

func TestSignaturesThatAreWrong(t *testing.T) {
	a := newAmazon(t)
	for _, member := range []string{"Message", "MessageId", "Timestamp"} { // the others would be refused anyway
		body := map[string]string{}
		if err := json.Unmarshal(sign(t, question()), &body); err != nil {
			t.Fatal(err)
		}
		body[member] += "0"
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		a.wantRefused(t, "another "+member, text, "signature")
	}
	version2 := strings.Replace(string(sign(t, question())), `"SignatureVersion":"1"`, `"SignatureVersion":"2"`, 1)
	a.wantRefused(t, "the version of another signature", []byte(version2), "signature")
}

func TestCertificatesThatAreWrong(t *testing.T) {
	early, late := now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0)
	for name, pem := range map[string]string{
		"nothing":                 "",
		"no certificate":          "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"one for another name":    page(issue(t, []string{"example.com"}, nil, early, late)),
		"one for another region":  page(issue(t, []string{"sns.eu-west-1.amazonaws.com"}, nil, early, late)),
		"one for another service": page(issue(t, []string{"s3.eu-central-1.amazonaws.com"}, nil, early, late)),
		"one that has ended":      page(issue(t, []string{"sns.amazonaws.com"}, nil, early, now.Add(-time.Second))),
		"one of the future":       page(issue(t, []string{"sns.amazonaws.com"}, nil, now.Add(time.Second), late)),
	} {
		a := newAmazon(t)
		a.pem = pem
		a.wantRefused(t, name, sign(t, question()), "certificate at SigningCertURL")
	}
	for _, name := range []string{"sns.eu-central-1.amazonaws.com", "sns-signing.eu-central-1.amazonaws.com"} {
		a := newAmazon(t)
		a.pem = page(issue(t, []string{name}, nil, early, late))
		if err := a.confirm(t, sign(t, question())); err != nil {
			t.Errorf("a certificate for %s: %v", name, err)
		}
	}
}

// The host proves its name against the roots, and what fails may be tried again.
func TestSNSThatCannotBeReached(t *testing.T) {
	a := newAmazon(t)
	a.status = 500
	if err := a.confirm(t, sign(t, question())); !fault.Is(err, fault.Unavailable) || len(a.confirmed) != 1 {
		t.Errorf("where SNS fails: %v after %d requests, want fault.Unavailable after one", err, len(a.confirmed))
	}
	a.status = 403
	if err := a.confirm(t, sign(t, question())); !fault.Is(err, fault.Invalid) {
		t.Errorf("where SNS refuses: %v, want fault.Invalid", err)
	}
	a = newAmazon(t)
	a.Getter.(getter).client.Transport.(*http.Transport).TLSClientConfig.RootCAs = x509.NewCertPool()
	if err := a.confirm(t, sign(t, question())); !fault.Is(err, fault.Unavailable) || len(a.confirmed) > 0 {
		t.Errorf("from a host that nobody vouches for: %v, want fault.Unavailable", err)
	}
	if err := sns.NewRules(a, time.Now).Confirm(t.Context(), sns.Question{}, "x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a topic that is none: %v, want fault.Invalid", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	q, _ := sns.Read(sign(t, question()))
	if err := sns.NewRules(newAmazon(t), func() time.Time { return now }).Confirm(ended, q, arn); !fault.Is(err, fault.Unavailable) {
		t.Errorf("of a caller who is gone: %v, want fault.Unavailable", err)
	}
}

func TestParseTopic(t *testing.T) {
	for arn, host := range map[string]string{
		arn: host,
		"arn:aws-cn:sns:cn-north-1:111122223333:A_b-1":               "sns.cn-north-1.amazonaws.com.cn",
		"arn:aws-us-gov:sns:us-gov-east-1:111122223333:a":            "sns.us-gov-east-1.amazonaws.com",
		"arn:aws:sns:ap-southeast-2:111122223333:x.fifo":             "",
		"arn:aws:sqs:eu-central-1:111122223333:alarms":               "",
		"arn:aws:sns:eu-central-1.evil.example/:111122223333:alarms": "",
		"arn:aws:sns::111122223333:alarms":                           "",
		"arn:aws:sns:eu-central-1:1:alarms":                          "",
		"arn:aws:sns:eu-central-1:111122223333:alarms\n":             "",
		"": "",
	} {
		if got, ok := sns.ParseTopic(arn); got.Host != host || ok != (host != "") {
			t.Errorf("ParseTopic(%q) = %+v, %t, want the host %q", arn, got, ok, host)
		}
	}
}

func TestRead(t *testing.T) {
	for body, want := range map[string]bool{
		`{"Type":"SubscriptionConfirmation"}`:                                 true,
		`{"Type":"Notification","Message":"SubscriptionConfirmation"}`:        false,
		`{"Type":"UnsubscribeConfirmation"}`:                                  false,
		`{"Type":"SubscriptionConfirmation","Token":1}`:                       false,
		`{"Type":"SubscriptionConfirmation","Signature":"not base64 at all"}`: false,
		`["SubscriptionConfirmation"]`:                                        false,
		`SubscriptionConfirmation`:                                            false,
		``:                                                                    false,
	} {
		if _, ok := sns.Read([]byte(body)); ok != want {
			t.Errorf("Read(%s) = %t, want %t", body, ok, want)
		}
	}
}

// FuzzConfirm has questions of any content. None makes a request to anybody but SNS in the
// topic's region, or confirms anything without a signature.
func FuzzConfirm(f *testing.F) {
	text, err := json.Marshal(question())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"Type":"SubscriptionConfirmation"}`))
	f.Add([]byte(strings.Replace(string(text), host, "sns.eu-central-1.amazonaws.com:443", 1)))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, ok := sns.Read(body)
		if !ok {
			return
		}
		asked := asking{t, page(issueOnce())}
		if err := sns.NewRules(asked, func() time.Time { return now }).Confirm(t.Context(), q, arn); err == nil {
			t.Errorf("%s is confirmed", body)
		}
	})
}

var issueOnce = sync.OnceValue(func() *x509.Certificate {
	return issue(new(testing.T), []string{"sns.amazonaws.com"}, nil, now.AddDate(0, -1, 0), now.AddDate(0, 1, 0))
})

// asking gives away the certificate alone.
type asking struct {
	t   *testing.T
	pem string
}

func (a asking) Get(_ context.Context, address string, _ int64) (int, []byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host != host || !strings.HasSuffix(u.Path, ".pem") {
		a.t.Errorf("a request goes to %s", address)
		return 0, nil, errors.New("refused")
	}
	return 200, []byte(a.pem), nil
}
