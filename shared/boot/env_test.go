package boot_test

import (
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/boot"
	"gatehouse/shared/mail"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestReadEnvDefaults(t *testing.T) {
	got, err := boot.ReadEnv(env())
	if err != nil {
		t.Fatal(err)
	}
	if got.Listen != "127.0.0.1:3000" || got.Data != ".gatehouse" || got.Store != "sqlite" || got.BaseURL != "" ||
		!got.PasswordGrant || got.RefreshRetry != 0 || got.Attempts != (throttle.Limit{Failures: 10, Window: 10 * time.Minute, Patience: time.Second}) || got.LogLevel != slog.LevelInfo || got.TablePrefix != "gatehouse" {
		t.Errorf("defaults: %+v", got)
	}
}

func TestReadEnv(t *testing.T) {
	got, err := boot.ReadEnv(env(
		"GATEHOUSE_BASE_URL", "https://id.example/", "GATEHOUSE_GIT_URL", "https://git.example/", "GATEHOUSE_PASSWORD_GRANT", "false",
		"GATEHOUSE_REFRESH_RETRY_SECONDS", "30", "GATEHOUSE_LOG_LEVEL", "warn", "GATEHOUSE_STORE", "dynamodb",
		"GATEHOUSE_ROOT_TOKEN", "a token", "GATEHOUSE_SIGN_IN_FAILURES", "0", "GATEHOUSE_SIGN_IN_WINDOW_SECONDS", "60",
	))
	if err != nil {
		t.Fatal(err)
	}
	if got.BaseURL != "https://id.example" || got.GitURL != "https://git.example" || got.PasswordGrant || got.RefreshRetry != 30*time.Second ||
		got.LogLevel != slog.LevelWarn || got.Store != "dynamodb" || got.RootToken.Reveal() != "a token" ||
		got.Attempts != (throttle.Limit{Failures: 0, Window: time.Minute, Patience: time.Second}) {
		t.Errorf("read: %+v", got)
	}
}

func TestReadEnvNamesWhatItCannotUnderstand(t *testing.T) {
	for name, values := range map[string][]string{
		"GATEHOUSE_BASE_URL": {
			"gatehouse", "https://", "https:gatehouse", "ftp://gatehouse", "https://gatehouse/path", "https://gatehouse?x",
			"https://user@gatehouse", "https://gate house",
		},
		"GATEHOUSE_GIT_URL":                {"git.example", "https://git.example/path"},
		"GATEHOUSE_PASSWORD_GRANT":         {"perhaps"},
		"GATEHOUSE_OAUTH_SUDO":             {"sudo"},
		"GATEHOUSE_REFRESH_RETRY_SECONDS":  {"31", "-1", "x"},
		"GATEHOUSE_SIGN_IN_FAILURES":       {"-1", "1001", "many"},
		"GATEHOUSE_SIGN_IN_WINDOW_SECONDS": {"0", "86401", "10m"},
		"GATEHOUSE_ALERT_RETENTION_DAYS":   {"-1", "3651", "a year", "1.5"},
		"GATEHOUSE_TOP_LEVEL_GROUPS":       {"nobody", "Administrators", "true"},
		"GATEHOUSE_LOG_LEVEL":              {"loud"},
		"GATEHOUSE_STORE":                  {"postgres"},

		"GATEHOUSE_WEBHOOK_PRIVATE_ADDRESSES": {"perhaps"},
		"GATEHOUSE_MAIL":                      {"pigeon"},
		"GATEHOUSE_MAIL_FROM":                 {"gatehouse", "a@example.com, b@example.com"},
		"GATEHOUSE_SMTP_URL":                  {"mail.example.com", "smtp://ada@mail.example.com", "http://mail.example.com"},
	} {
		for _, value := range values {
			if _, err := boot.ReadEnv(env(name, value)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%s: error %v, want one that names the variable", name, value, err)
			}
		}
	}
}

func TestListenURL(t *testing.T) {
	tests := map[string]string{
		"127.0.0.1:3000": "http://127.0.0.1:3000",
		"[::1]:3000":     "http://[::1]:3000",
		"0.0.0.0:80":     "http://localhost:80",
		"[::]:80":        "http://localhost:80",
	}
	for address, want := range tests {
		tcp, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := boot.ListenURL(tcp); got != want {
			t.Errorf("ListenURL(%s) = %s, want %s", address, got, want)
		}
	}
}

func TestReadEnvOfMails(t *testing.T) {
	server := mail.SMTP{Host: "mail.example", Port: "587", User: "ada", Password: secret.NewText("hidden")}
	tests := []struct {
		env  []string
		want mail.Settings
	}{
		{nil, mail.Settings{Way: mail.ByKeeping, From: mail.Address{Name: "Gatehouse", Email: "gatehouse@localhost"}}},
		{
			[]string{"GATEHOUSE_SMTP_URL", "smtp://ada:hidden@mail.example", "GATEHOUSE_BASE_URL", "https://id.example"},
			mail.Settings{Way: mail.BySMTP, From: mail.Address{Name: "Gatehouse", Email: "gatehouse@id.example"}, SMTP: server},
		},
		{
			[]string{"GATEHOUSE_SMTP_URL", "smtp://ada:hidden@mail.example", "GATEHOUSE_MAIL", "keep", "GATEHOUSE_MAIL_FROM", "web@example.com"},
			mail.Settings{Way: mail.ByKeeping, From: mail.Address{Email: "web@example.com"}},
		},
		{
			[]string{"GATEHOUSE_MAIL", "ses", "GATEHOUSE_MAIL_FROM", "Web team <web@example.com>"},
			mail.Settings{Way: mail.BySES, From: mail.Address{Name: "Web team", Email: "web@example.com"}},
		},
	}
	for _, test := range tests {
		got, err := boot.ReadEnv(env(test.env...))
		if err != nil || got.Mail != test.want {
			t.Errorf("%v: %+v, %v, want %+v", test.env, got.Mail, err, test.want)
		}
	}
	for _, url := range []string{"", "smtp://ada:hid/den@mail.example"} {
		_, err := boot.ReadEnv(env("GATEHOUSE_MAIL", "smtp", "GATEHOUSE_SMTP_URL", url))
		if err == nil || !strings.Contains(err.Error(), "GATEHOUSE_SMTP_URL") || strings.Contains(err.Error(), "hid") {
			t.Errorf("SMTP with the URL %s: %v, want an error without the password", url, err)
		}
	}
}

func TestReadEnvOfWebhooks(t *testing.T) {
	for value, want := range map[string]bool{"": false, "true": true} {
		if got, err := boot.ReadEnv(env("GATEHOUSE_WEBHOOK_PRIVATE_ADDRESSES", value)); err != nil || got.PrivateWebhooks != want {
			t.Errorf("private addresses with %q: %t, %v", value, got.PrivateWebhooks, err)
		}
	}
}

// The template sets the endpoints to nothing, because `sam local` passes on no other
// variables.
func TestAnEmptyEndpointIsThatOfAWS(t *testing.T) {
	for value, want := range map[string]string{"": "", "http://127.0.0.1:8000": "http://127.0.0.1:8000"} {
		t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", value)
		got, err := boot.ReadEnv(os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		if endpoint := aws.ToString(boot.DynamoDB(got).Client().Options().BaseEndpoint); endpoint != want {
			t.Errorf("AWS_ENDPOINT_URL_DYNAMODB=%q leads to %q, want %q", value, endpoint, want)
		}
	}
}

func TestReadEnvOfOAuthSudo(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "true": true} {
		if got, err := boot.ReadEnv(env("GATEHOUSE_OAUTH_SUDO", value)); err != nil || got.OAuthSudo != want {
			t.Errorf("sudo for applications with %q: %t, %v", value, got.OAuthSudo, err)
		}
	}
}

func TestReadEnvOfTopLevelGroups(t *testing.T) {
	for value, want := range map[string]project.TopLevel{
		"": project.TopLevelByEverybody, "everybody": project.TopLevelByEverybody, "administrators": project.TopLevelByAdministrators,
	} {
		if got, err := boot.ReadEnv(env("GATEHOUSE_TOP_LEVEL_GROUPS", value)); err != nil || got.TopLevelGroups != want {
			t.Errorf("top-level groups with %q: %q, %v, want %q", value, got.TopLevelGroups, err, want)
		}
	}
}

func TestReadEnvOfRetention(t *testing.T) {
	for value, want := range map[string]int{"": 400, "0": 0, "1": 1, "3650": 3650} {
		if got, err := boot.ReadEnv(env("GATEHOUSE_ALERT_RETENTION_DAYS", value)); err != nil || got.Features.KeptDays != want {
			t.Errorf("retention with %q: %d days, %v, want %d", value, got.Features.KeptDays, err, want)
		}
	}
}

func TestUnknownVariablesAreToldOf(t *testing.T) {
	var text strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	boot.WarnOfUnknown([]string{"GATEHOUSE_LISTEN=127.0.0.1:0", "GATEHOUSE_LISTN=the-value", "PATH=/bin", "GATEHOUSE_MAIL_FROM=", "AWS_PROFILE=x"})
	if got := text.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "name=GATEHOUSE_LISTN") || strings.Contains(got, "the-value") {
		t.Errorf("the log says %q, want one line about GATEHOUSE_LISTN alone", got)
	}
}
