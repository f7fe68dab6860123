package sns

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"time"
)

// checkSignature checks that SNS signed the question with the certificate in a page of its
// own. That page came from the host of SNS, which proved its name against the roots that are
// trusted. It has the certificate without those above it, so there is no chain to follow; as
// in AWS's own libraries its name and its time are checked.
func (q Question) checkSignature(page []byte, t Topic, now time.Time) error {
	block, _ := pem.Decode(page)
	if block == nil {
		return refused("there is no certificate at SigningCertURL")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return refused("the certificate at SigningCertURL cannot be read")
	case now.Before(certificate.NotBefore), now.After(certificate.NotAfter):
		return refused("the certificate at SigningCertURL is not valid at this time")
	case !slices.ContainsFunc(t.signers(), func(name string) bool { return certificate.VerifyHostname(name) == nil }):
		return refused("the certificate at SigningCertURL is not one of SNS in the topic's region")
	}
	algorithm, ok := algorithms[q.SignatureVersion]
	if !ok {
		return refused("its SignatureVersion is not known")
	}
	if err := certificate.CheckSignature(algorithm, q.signed(), q.Signature); err != nil {
		return refused("its signature is wrong")
	}
	return nil
}

// algorithms are those of the versions of signatures.
var algorithms = map[string]x509.SignatureAlgorithm{"1": x509.SHA1WithRSA, "2": x509.SHA256WithRSA}

// signers are the names that certificates of SNS have, which differ between regions.
func (t Topic) signers() []string {
	_, domain, _ := strings.Cut(t.Host, t.Region)
	names := []string{"sns" + domain, "sns." + t.Region + domain, "sns-signing." + t.Region + domain, "sns-" + t.Region + domain}
	if strings.HasPrefix(t.Region, "us-gov-") {
		names = append(names, "sns-us-gov-west-1"+domain)
	}
	return names
}

// signed returns what is signed: names and values in the order of the names.
func (q Question) signed() []byte {
	return []byte(strings.Join([]string{
		"Message", q.Message, "MessageId", q.MessageID, "SubscribeURL", q.SubscribeURL, "Timestamp", q.Timestamp,
		"Token", q.Token, "TopicArn", q.TopicARN, "Type", q.Type, "",
	}, "\n"))
}
