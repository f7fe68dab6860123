package boot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"gatehouse/shared/secret"
)

// All attempts to ask Secrets Manager, with the waits between them, fit into the 10
// seconds that Lambda gives a function to start.
const (
	secretAttempts = 4
	secretPatience = 2 * time.Second        // for one answer
	secretPause    = 100 * time.Millisecond // before the second attempt; doubled for each after it
	secretLimit    = 1 << 20                // bytes of an answer: a secret has at most 64 KiB
)

// SecretKeys returns the instance keys from Secrets Manager. One signed request is
// enough, so the SDK's package for the service, a quarter of a megabyte in every
// function, is not linked.
func SecretKeys(ctx context.Context, env Env) (secret.Keys, error) {
	text, err := readSecret(ctx, env)
	if err != nil {
		return secret.Keys{}, fmt.Errorf("read the instance key: %w", err)
	}
	keys, err := secret.ParseKeys(text.Reveal())
	if err != nil {
		return secret.Keys{}, fmt.Errorf("%s: %w", env.KeySecretARN, err)
	}
	return keys, nil
}

// readSecret asks for the secret until it gets an answer that another attempt would
// not change.
func readSecret(ctx context.Context, env Env) (secret.Text, error) {
	client := awshttp.NewBuildableClient().WithTimeout(secretPatience)
	for attempt, pause := 1, secretPause; ; attempt, pause = attempt+1, 2*pause {
		text, err := askForSecret(ctx, client, env)
		if err == nil || attempt == secretAttempts || !worthAnotherAttempt(err) {
			return text, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return secret.Text{}, errors.Join(err, ctx.Err())
		}
	}
}

// askForSecret makes one attempt. Its errors do not contain the secret.
func askForSecret(ctx context.Context, client *awshttp.BuildableClient, env Env) (secret.Text, error) {
	r, err := secretRequest(ctx, env)
	if err != nil {
		return secret.Text{}, err
	}
	w, err := client.Do(r)
	if err != nil {
		return secret.Text{}, transportError{err}
	}
	defer w.Body.Close()
	body, err := io.ReadAll(io.LimitReader(w.Body, secretLimit))
	if err != nil {
		return secret.Text{}, transportError{err}
	}
	if w.StatusCode != http.StatusOK {
		return secret.Text{}, newServiceError(w.StatusCode, body)
	}
	var answer struct{ SecretString string }
	if json.Unmarshal(body, &answer) != nil || answer.SecretString == "" {
		return secret.Text{}, fmt.Errorf("%s holds no text", env.KeySecretARN)
	}
	return secret.NewText(answer.SecretString), nil
}

// secretRequest returns the signed request (AWS JSON 1.1, Signature Version 4).
func secretRequest(ctx context.Context, env Env) (*http.Request, error) {
	body, err := json.Marshal(map[string]string{"SecretId": env.KeySecretARN})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, env.secretsManagerURL(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "secretsmanager.GetSecretValue")
	credentials, err := env.Provider().Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(body)
	return r, v4.NewSigner().SignHTTP(ctx, credentials, r, hex.EncodeToString(digest[:]), "secretsmanager", env.Region, time.Now())
}

// secretsManagerURL returns the endpoint in the environment, or that of the region.
func (env Env) secretsManagerURL() string {
	if env.SecretsManagerEndpoint != "" {
		return strings.TrimSuffix(env.SecretsManagerEndpoint, "/") + "/"
	}
	return "https://secretsmanager." + env.Region + "." + domainOf(env.Region) + "/"
}

// domainOf returns the domain of the region's partition. Isolated partitions have
// others, so the environment must name the endpoint there.
func domainOf(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "amazonaws.com.cn"
	case strings.HasPrefix(region, "eusc-"):
		return "amazonaws.eu"
	default:
		return "amazonaws.com"
	}
}

// transportError is an attempt without a complete answer.
type transportError struct{ error }

func (e transportError) Unwrap() error { return e.error }

// serviceError is an answer without a secret.
type serviceError struct {
	status  int
	kind    string // such as AccessDeniedException
	message string
}

func newServiceError(status int, body []byte) serviceError {
	var answer struct {
		Kind    string `json:"__type"`
		Message string `json:"message"` // or Message: names are matched without regard to case
	}
	_ = json.Unmarshal(body, &answer) // a proxy's answer has only its status
	return serviceError{status, answer.Kind[strings.LastIndexByte(answer.Kind, '#')+1:], answer.Message}
}

func (e serviceError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("Secrets Manager answered %d %s %s", e.status, e.kind, e.message))
}

// worthAnotherAttempt reports whether the error may be gone at the next attempt. The
// service throttles its callers with a 400 as well.
func worthAnotherAttempt(err error) bool {
	var e serviceError
	if errors.As(err, &e) {
		return e.status >= 500 || e.status == http.StatusTooManyRequests || strings.HasPrefix(e.kind, "Throttling")
	}
	var t transportError
	return errors.As(err, &t)
}
