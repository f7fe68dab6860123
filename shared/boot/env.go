// Package boot starts Gatehouse from its environment. No other package reads
// the environment.
package boot

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/integration"
	"gatehouse/shared/mail"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
)

// Env is the configuration in the environment. functions/docs/configuration.md explains
// each variable.
type Env struct {
	BaseURL       string         // GATEHOUSE_BASE_URL
	GitURL        string         // GATEHOUSE_GIT_URL
	PasswordGrant bool           // GATEHOUSE_PASSWORD_GRANT
	OAuthSudo     bool           // GATEHOUSE_OAUTH_SUDO
	RefreshRetry  time.Duration  // GATEHOUSE_REFRESH_RETRY_SECONDS
	Attempts      throttle.Limit // GATEHOUSE_SIGN_IN_FAILURES, GATEHOUSE_SIGN_IN_WINDOW_SECONDS
	// GATEHOUSE_SEVERAL_ENDPOINTS, GATEHOUSE_PAYLOAD_MAPPING, GATEHOUSE_ALERT_GROUPING,
	// GATEHOUSE_ALERT_RETENTION_DAYS
	Features       integration.Features
	TopLevelGroups project.TopLevel // GATEHOUSE_TOP_LEVEL_GROUPS

	LogLevel slog.Level // GATEHOUSE_LOG_LEVEL
	Metrics  string     // GATEHOUSE_METRICS: their namespace; empty: none

	PrivateWebhooks bool          // GATEHOUSE_WEBHOOK_PRIVATE_ADDRESSES
	Mail            mail.Settings // GATEHOUSE_MAIL, GATEHOUSE_MAIL_FROM, GATEHOUSE_SMTP_URL

	// For the local server.
	Listen       string      // GATEHOUSE_LISTEN
	Data         string      // GATEHOUSE_DATA
	Store        string      // GATEHOUSE_STORE: sqlite or dynamodb
	RootPassword secret.Text // GATEHOUSE_ROOT_PASSWORD
	RootToken    secret.Text // GATEHOUSE_ROOT_TOKEN

	// For AWS.
	TablePrefix            string // GATEHOUSE_TABLE_PREFIX
	KeySecretARN           string // GATEHOUSE_KEY_SECRET_ARN
	Region                 string // AWS_REGION
	DynamoDBEndpoint       string // AWS_ENDPOINT_URL_DYNAMODB
	SecretsManagerEndpoint string // AWS_ENDPOINT_URL_SECRETS_MANAGER
	SESEndpoint            string // AWS_ENDPOINT_URL_SESV2
	Credentials            Credentials
}

// Credentials sign requests to AWS.
type Credentials struct {
	AccessKeyID  string // AWS_ACCESS_KEY_ID
	SecretKey    secret.Text
	SessionToken secret.Text
}

// ReadEnv reads the environment through getenv, which is os.Getenv except in tests.
// The error names the variable that is invalid.
func ReadEnv(getenv func(string) string) (Env, error) {
	r := reader{getenv: getenv}
	env := Env{
		BaseURL:       r.baseURL("GATEHOUSE_BASE_URL"),
		GitURL:        r.baseURL("GATEHOUSE_GIT_URL"),
		PasswordGrant: r.boolean("GATEHOUSE_PASSWORD_GRANT", true),
		RefreshRetry:  r.seconds("GATEHOUSE_REFRESH_RETRY_SECONDS", 0, 0, oauth.MaxRefreshRetry),
		OAuthSudo:     r.boolean("GATEHOUSE_OAUTH_SUDO", false),
		Attempts: throttle.Limit{
			Failures: r.number("GATEHOUSE_SIGN_IN_FAILURES", throttle.DefaultLimit.Failures, 0, 1000),
			Window:   r.seconds("GATEHOUSE_SIGN_IN_WINDOW_SECONDS", throttle.DefaultLimit.Window, time.Second, 24*time.Hour),
			Patience: time.Second,
		},
		Features: integration.Features{
			SeveralEndpoints: r.boolean("GATEHOUSE_SEVERAL_ENDPOINTS", true),
			Mapping:          r.boolean("GATEHOUSE_PAYLOAD_MAPPING", true),
			Grouping:         r.boolean("GATEHOUSE_ALERT_GROUPING", true),
			KeptDays:         r.number("GATEHOUSE_ALERT_RETENTION_DAYS", integration.AllFeatures.KeptDays, 0, integration.MaxRetention),
		},
		TopLevelGroups: project.TopLevel(r.oneOf("GATEHOUSE_TOP_LEVEL_GROUPS",
			string(project.TopLevelByEverybody), string(project.TopLevelByAdministrators))),

		LogLevel: r.level("GATEHOUSE_LOG_LEVEL"),
		Metrics:  getenv("GATEHOUSE_METRICS"),

		PrivateWebhooks: r.boolean("GATEHOUSE_WEBHOOK_PRIVATE_ADDRESSES", false),
		Mail:            r.mail("GATEHOUSE_MAIL", "GATEHOUSE_MAIL_FROM", "GATEHOUSE_SMTP_URL"),

		Listen:       r.text("GATEHOUSE_LISTEN", "127.0.0.1:3000"),
		Data:         r.text("GATEHOUSE_DATA", ".gatehouse"),
		Store:        r.oneOf("GATEHOUSE_STORE", "sqlite", "dynamodb"),
		RootPassword: secret.NewText(getenv("GATEHOUSE_ROOT_PASSWORD")),
		RootToken:    secret.NewText(getenv("GATEHOUSE_ROOT_TOKEN")),

		TablePrefix:            r.text("GATEHOUSE_TABLE_PREFIX", "gatehouse"),
		KeySecretARN:           getenv("GATEHOUSE_KEY_SECRET_ARN"),
		Region:                 r.text("AWS_REGION", "us-east-1"),
		DynamoDBEndpoint:       getenv("AWS_ENDPOINT_URL_DYNAMODB"),
		SecretsManagerEndpoint: getenv("AWS_ENDPOINT_URL_SECRETS_MANAGER"),
		SESEndpoint:            getenv("AWS_ENDPOINT_URL_SESV2"),
		Credentials: Credentials{
			AccessKeyID:  getenv("AWS_ACCESS_KEY_ID"),
			SecretKey:    secret.NewText(getenv("AWS_SECRET_ACCESS_KEY")),
			SessionToken: secret.NewText(getenv("AWS_SESSION_TOKEN")),
		},
	}
	return env, r.err
}

// WarnOfUnknown logs the variables of Gatehouse's name in the environment, which is that of
// os.Environ, that nothing reads: each is probably a slip.
func WarnOfUnknown(environ []string) {
	known := map[string]bool{}
	_, _ = ReadEnv(func(name string) string {
		known[name] = true
		return ""
	})
	for _, variable := range environ {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "GATEHOUSE_") && !known[name] {
			slog.Warn("variable not known, and ignored", "name", name)
		}
	}
}

// reader reads variables and keeps the first error.
type reader struct {
	getenv func(string) string
	err    error
}

func (r *reader) complain(name, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s is %q, want %s", name, r.getenv(name), want)
	}
}

func (r *reader) text(name, otherwise string) string {
	if value := r.getenv(name); value != "" {
		return value
	}
	return otherwise
}

// baseURL reads an address with only a scheme and a host: sessions and redirects are
// for whole hosts.
func (r *reader) baseURL(name string) string {
	value := strings.TrimSuffix(r.getenv(name), "/")
	if value == "" {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || value != u.Scheme+"://"+u.Host {
		r.complain(name, "an address such as https://gatehouse.example.com")
	}
	return value
}

func (r *reader) boolean(name string, otherwise bool) bool {
	value := r.getenv(name)
	if value == "" {
		return otherwise
	}
	b, err := strconv.ParseBool(value)
	if err != nil {
		r.complain(name, "true or false")
	}
	return b
}

func (r *reader) number(name string, otherwise, least, most int) int {
	n, err := strconv.Atoi(r.text(name, strconv.Itoa(otherwise)))
	if err != nil || n < least || n > most {
		r.complain(name, fmt.Sprintf("%d to %d", least, most))
	}
	return n
}

func (r *reader) seconds(name string, otherwise, least, most time.Duration) time.Duration {
	return time.Duration(r.number(name, int(otherwise.Seconds()), int(least.Seconds()), int(most.Seconds()))) * time.Second
}

func (r *reader) level(name string) slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(r.text(name, "info"))); err != nil {
		r.complain(name, "debug, info, warn or error")
	}
	return level
}

// oneOf returns the variable's value, or the first of the values if it is empty.
func (r *reader) oneOf(name string, values ...string) string {
	value := r.text(name, values[0])
	for _, v := range values {
		if v == value {
			return value
		}
	}
	r.complain(name, strings.Join(values, " or "))
	return ""
}

// mail reads how mails are sent: as the first variable says or, without it, by SMTP if
// there is a mail server.
func (r *reader) mail(way, from, server string) (s mail.Settings) {
	ways := []string{string(mail.ByKeeping), string(mail.BySMTP), string(mail.BySES)}
	if r.getenv(server) != "" {
		ways[0], ways[1] = ways[1], ways[0]
	}
	s.Way = mail.Way(r.oneOf(way, ways...))
	if s.From = mail.DefaultFrom(r.getenv("GATEHOUSE_BASE_URL")); r.getenv(from) != "" {
		var err error
		if s.From, err = mail.ParseAddress(r.getenv(from)); err != nil {
			r.complain(from, "an address such as gatehouse@example.com")
		}
	}
	if s.Way == mail.BySMTP {
		s.SMTP = r.smtp(server)
	}
	return s
}

// smtp reads the URL of a mail server. The complaint does not show it, because it has a
// password.
func (r *reader) smtp(name string) mail.SMTP {
	s, err := mail.ParseSMTP(r.getenv(name))
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return s
}

// ListenURL returns the default base URL of a server that listens on the address.
func ListenURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
