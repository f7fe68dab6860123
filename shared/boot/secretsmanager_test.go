package boot_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

var (
	instanceKey = strings.Repeat("k", 43)
	keyAnswer   = `{"ARN":"arn:example","SecretString":"` + instanceKey + `"}`
)

// secretsManager answers the first request with the first answer and so on,
// and every further one with the last. It returns the environment that leads to it
// and a count of the requests.
func secretsManager(t *testing.T, answers ...http.HandlerFunc) (boot.Env, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		answers[min(n, len(answers))-1](w, r)
	}))
	t.Cleanup(server.Close)
	return boot.Env{
		Region: "eu-west-1", SecretsManagerEndpoint: server.URL, KeySecretARN: "arn:example",
		Credentials: boot.Credentials{
			AccessKeyID: "AKIDEXAMPLE", SecretKey: secret.NewText("signing key"), SessionToken: secret.NewText("session token"),
		},
	}, &asked
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// hangUp breaks the connection off in the middle of an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, keyAnswer)
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func wantKeys(t *testing.T, keys secret.Keys, err error) {
	t.Helper()
	want, bad := secret.ParseKeys(instanceKey)
	if bad != nil {
		t.Fatal(bad)
	}
	if err != nil || len(keys.Derive("test")) != 1 || keys.Derive("test")[0].Sum() != want.Derive("test")[0].Sum() {
		t.Errorf("SecretKeys: %d keys, error %v, want the one of the secret", len(keys.Derive("test")), err)
	}
}

// signature signs the request again, as the service does to compare.
func signature(t *testing.T, r *http.Request, body []byte) string {
	t.Helper()
	again := httptest.NewRequest(r.Method, "http://"+r.Host+r.URL.Path, strings.NewReader(string(body)))
	for _, name := range []string{"Content-Type", "X-Amz-Target"} {
		again.Header.Set(name, r.Header.Get(name))
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("signed at %v, %v, want now", at, err)
	}
	digest := sha256.Sum256(body)
	c := aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "signing key", SessionToken: "session token"}
	if err := v4.NewSigner().SignHTTP(t.Context(), c, again, hex.EncodeToString(digest[:]), "secretsmanager", "eu-west-1", at); err != nil {
		t.Fatal(err)
	}
	return again.Header.Get("Authorization")
}

func TestSecretKeysAsksWithOneSignedRequest(t *testing.T) {
	env, asked := secretsManager(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("X-Amz-Target"), " ",
			r.Header.Get("X-Amz-Security-Token"), " ", string(body))
		want := `POST / application/x-amz-json-1.1 secretsmanager.GetSecretValue session token {"SecretId":"arn:example"}`
		if got != want {
			t.Errorf("request %s, want %s", got, want)
		}
		authorization := r.Header.Get("Authorization")
		if !strings.Contains(authorization, "/eu-west-1/secretsmanager/aws4_request") || authorization != signature(t, r, body) {
			t.Errorf("Authorization: %s, want %s", authorization, signature(t, r, body))
		}
		for _, name := range []string{"content-type", "host", "x-amz-date", "x-amz-security-token", "x-amz-target"} {
			if !strings.Contains(authorization, name) {
				t.Errorf("the signature does not cover %s", name)
			}
		}
		io.WriteString(w, keyAnswer)
	})
	keys, err := boot.SecretKeys(t.Context(), env)
	wantKeys(t, keys, err)
	if asked.Load() != 1 {
		t.Errorf("asked %d times, want once", asked.Load())
	}
}

func TestSecretKeysAsksAgainAfterWhatPasses(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"an error of the service":    answer(500, `{"__type":"InternalServiceError"}`),
		"a gateway without service":  answer(503, `<html>`),
		"too many requests":          answer(429, ``),
		"a service that slows down":  answer(400, `{"__type":"ThrottlingException","message":"Rate exceeded"}`),
		"a connection that is ended": hangUp,
	} {
		t.Run(name, func(t *testing.T) {
			env, asked := secretsManager(t, fault, fault, answer(200, keyAnswer))
			keys, err := boot.SecretKeys(t.Context(), env)
			wantKeys(t, keys, err)
			if asked.Load() != 3 {
				t.Errorf("asked %d times, want 3", asked.Load())
			}
		})
	}
}

func TestSecretKeysGivesUp(t *testing.T) {
	denied := `{"__type":"com.amazon#AccessDeniedException","Message":"not authorized to perform secretsmanager:GetSecretValue"}`
	tests := map[string]struct {
		answer http.HandlerFunc
		asked  int32
		want   string
	}{
		"an access denied stays":       {answer(400, denied), 1, "400 AccessDeniedException not authorized"},
		"a secret that is not there":   {answer(400, `{"__type":"ResourceNotFoundException","message":"can't find"}`), 1, "ResourceNotFoundException"},
		"a redirect is no answer":      {answer(302, ""), 1, "302"},
		"a service that is down":       {answer(503, ""), 4, "503"},
		"a binary secret":              {answer(200, `{"SecretBinary":"`+instanceKey+`"}`), 1, "arn:example holds no text"},
		"an empty secret":              {answer(200, `{"SecretString":""}`), 1, "arn:example holds no text"},
		"a secret of white space":      {answer(200, `{"SecretString":" \n"}`), 1, "no instance key"},
		"a secret that is no key":      {answer(200, `{"SecretString":"`+instanceKey+`%"}`), 1, "not base64"},
		"a number for a secret":        {answer(200, `{"SecretString":1234567}`), 1, "holds no text"},
		"an answer that is not JSON":   {answer(200, instanceKey), 1, "holds no text"},
		"an answer that is cut short":  {answer(200, keyAnswer[:len(keyAnswer)-2]), 1, "holds no text"},
		"always a broken-off answer":   {hangUp, 4, "unexpected EOF"},
		"an answer that has no end":    {answer(200, keyAnswer[:30]+strings.Repeat("k", 2<<20)), 1, "holds no text"},
		"an error with words it knows": {answer(403, `{"__type":"ThrottledButNotReally"}`), 1, "403 ThrottledButNotReally"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			env, asked := secretsManager(t, test.answer)
			_, err := boot.SecretKeys(t.Context(), env)
			if err == nil || !strings.Contains(err.Error(), test.want) || asked.Load() != test.asked {
				t.Fatalf("asked %d times, error %v, want %d and %q", asked.Load(), err, test.asked, test.want)
			}
			for _, hidden := range []string{instanceKey[:8], "1234567", "signing key", "session token"} {
				if strings.Contains(err.Error(), hidden) {
					t.Errorf("the error shows %s: %v", hidden, err)
				}
			}
		})
	}
}

func TestSecretKeysStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	env, asked := secretsManager(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		cancel()
	})
	if _, err := boot.SecretKeys(ctx, env); err == nil || asked.Load() != 1 {
		t.Errorf("asked %d times, error %v, want one attempt and an error", asked.Load(), err)
	}
}

// The error of a request that was never sent tells where it was to go.
func TestSecretKeysAsksTheEndpointOfTheRegion(t *testing.T) {
	for region, want := range map[string]string{
		"eu-west-1":      "https://secretsmanager.eu-west-1.amazonaws.com/",
		"us-gov-west-1":  "https://secretsmanager.us-gov-west-1.amazonaws.com/",
		"cn-north-1":     "https://secretsmanager.cn-north-1.amazonaws.com.cn/",
		"eusc-de-east-1": "https://secretsmanager.eusc-de-east-1.amazonaws.eu/",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nothing is sent
		_, err := boot.SecretKeys(ctx, boot.Env{Region: region})
		if err == nil || !strings.Contains(err.Error(), `"`+want+`"`) {
			t.Errorf("%s: error %v, want one about %s", region, err, want)
		}
	}
}
