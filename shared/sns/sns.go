// Package sns answers the question that Amazon SNS asks before it sends anything to an
// address: whether the subscription of a topic is wanted. It says yes only for a topic that
// somebody named, and after it is certain that SNS itself asks.
package sns

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"time"

	"gatehouse/shared/fault"
)

// Question is a request to confirm a subscription, with the members that SNS signs.
type Question struct {
	Type             string
	MessageID        string `json:"MessageId"`
	Token            string
	TopicARN         string `json:"TopicArn"`
	Message          string
	SubscribeURL     string
	Timestamp        string
	SignatureVersion string
	Signature        []byte // base64 in the payload
	SigningCertURL   string
}

// confirmation is the type of a question.
const confirmation = "SubscriptionConfirmation"

// Read returns the question that a payload is, if it is one. Other payloads are not parsed.
func Read(body []byte) (q Question, ok bool) {
	if !bytes.Contains(body, []byte(confirmation)) {
		return Question{}, false
	}
	err := json.Unmarshal(body, &q)
	return q, err == nil && q.Type == confirmation
}

// Topic is a topic of SNS.
type Topic struct {
	ARN    string
	Region string
	Host   string // of SNS in that region
}

// topic matches an ARN. The region is a part of names of hosts.
var topic = regexp.MustCompile(`^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-[0-9]{1,2}):[0-9]{12}:[A-Za-z0-9_-]{1,256}$`)

// ParseTopic returns the topic with this ARN, if it is one that can send to an address.
func ParseTopic(arn string) (t Topic, ok bool) {
	parts := topic.FindStringSubmatch(arn)
	if parts == nil {
		return Topic{}, false
	}
	return Topic{ARN: arn, Region: parts[2], Host: "sns." + parts[2] + domain(parts[1])}, true
}

// domain returns the domain of a partition of AWS.
func domain(partition string) string {
	if partition == "aws-cn" {
		return ".amazonaws.com.cn"
	}
	return ".amazonaws.com"
}

// Getter gets pages of the public network.
type Getter interface {
	// Get asks for the page once, follows no redirect and returns the status and at most
	// this many bytes. The error is about an answer that there is not, or a longer one.
	Get(ctx context.Context, url string, most int64) (status int, body []byte, err error)
}

// Limits of the two requests that a question takes. SNS waits 15 seconds for its answer.
const (
	maxTime = 10 * time.Second // for both
	maxPage = 32 << 10
)

// Rules answer questions.
type Rules struct {
	web Getter
	now func() time.Time
}

// NewRules returns the rules over the public network.
func NewRules(web Getter, now func() time.Time) *Rules { return &Rules{web, now} }

// Confirm says yes to a question about the topic with this ARN. It is fault.Invalid for
// a question that is about another topic or not from SNS, and fault.Unavailable if SNS could
// not be reached, which should be tried again.
func (r *Rules) Confirm(ctx context.Context, q Question, arn string) error {
	t, ok := ParseTopic(arn)
	if !ok {
		return refused("the named topic is none")
	}
	if err := q.check(t); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	page, err := r.get(ctx, "the certificate that it is signed with", q.SigningCertURL)
	if err != nil {
		return err
	}
	if err := q.checkSignature(page, t, r.now()); err != nil {
		return err
	}
	_, err = r.get(ctx, "the answer to SNS", q.SubscribeURL)
	return err
}

// get gets a page of SNS.
func (r *Rules) get(ctx context.Context, what, address string) ([]byte, error) {
	status, page, err := r.web.Get(ctx, address, maxPage)
	switch {
	case err != nil:
		return nil, unreached(what + ": " + err.Error())
	case status >= 500:
		return nil, unreached(what + ": SNS failed")
	case status != 200:
		return nil, refused(what + " was refused by SNS")
	}
	return page, nil
}

// check returns why the question is not to be confirmed, whoever signed it.
func (q Question) check(t Topic) error {
	switch {
	case q.TopicARN != t.ARN:
		return refused("it is about another topic than the named one")
	case q.Token == "":
		return refused("it has no token")
	case !isCertificate(q.SigningCertURL, t):
		return refused("SigningCertURL is no address of SNS in the topic's region")
	case !confirms(q.SubscribeURL, q, t):
		return refused("SubscribeURL does not confirm the topic at SNS in its region")
	}
	return nil
}

// certificatePath matches where SNS keeps the certificates that it signs with.
var certificatePath = regexp.MustCompile(`^/SimpleNotificationService-[A-Za-z0-9_-]{1,128}\.pem$`)

func isCertificate(address string, t Topic) bool {
	u, ok := at(address, t)
	return ok && certificatePath.MatchString(u.Path) && u.RawQuery == "" && !u.ForceQuery
}

// confirms reports whether the address confirms the subscription of the topic and nothing
// else.
func confirms(address string, q Question, t Topic) bool {
	u, ok := at(address, t)
	if !ok || u.Path != "" && u.Path != "/" {
		return false
	}
	query, err := url.ParseQuery(u.RawQuery)
	is := func(name, value string) bool { return len(query[name]) == 1 && query[name][0] == value }
	return err == nil && len(query) == 3 && is("Action", "ConfirmSubscription") && is("TopicArn", t.ARN) && is("Token", q.Token)
}

// at returns the parts of an address if it is one of SNS in the region of the topic.
func at(address string, t Topic) (*url.URL, bool) {
	u, err := url.Parse(address)
	ok := err == nil && u.Scheme == "https" && u.Host == t.Host && u.User == nil && u.Opaque == "" && u.Fragment == "" && u.RawPath == ""
	return u, ok
}

const notConfirmed = "The subscription is not confirmed: "

func refused(why string) error { return fault.New(fault.Invalid, notConfirmed+why+".") }

func unreached(why string) error { return fault.New(fault.Unavailable, notConfirmed+why+".") }
