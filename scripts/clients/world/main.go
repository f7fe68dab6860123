// Command world makes people, groups and projects on a server and prints, as JSON, what
// clients have to find there. Clients in several languages read it, so that one table
// holds for all of them (see lists.go).
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's token.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"golang.org/x/oauth2"

	"gatehouse/scripts/clients/people"
	"gatehouse/scripts/rest"
)

func main() {
	rest.Main("world", func(ctx context.Context, admin rest.Client) error {
		w := world{
			admin:  people.Administrator{Client: admin},
			suffix: fmt.Sprintf("-%d", time.Now().UnixNano()),
			ids:    map[string]int64{},
		}
		answer, err := w.make(ctx)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(answer)
	})
}

func (w world) make(ctx context.Context) (people.World, error) {
	if err := w.fill(ctx); err != nil {
		return people.World{}, err
	}
	var server struct{ Version string }
	if err := w.admin.API(ctx, http.MethodGet, "/version", nil, &server); err != nil {
		return people.World{}, err
	}
	token, err := w.token(ctx)
	ada := people.Member{
		ID: w.ids["ada"], Username: w.named("ada"), Email: email(w.named("ada")),
		Groups: w.all("bakery", "bakery/oven", "kitchen"),
		NotIn:  w.all("market", "harbour"),
		Levels: map[string]int{
			w.named("bakery/oven/doors"): owner, // by a group above
			w.named("kitchen/stove"):     developer,
			w.named("harbour/crane"):     reporter,
			w.named("market/stall"):      0,
		},
	}
	return people.World{Member: ada, Token: token, Lists: w.lists(), Version: server.Version}, err
}

// token has Ada allow an application to read the API, and returns its access token.
func (w world) token(ctx context.Context) (string, error) {
	ada := &people.Person{Name: w.named("ada")}
	if err := ada.OpenBrowser(); err != nil {
		return "", err
	}
	config, err := w.admin.Register(ctx, "world", "read_api")
	if err != nil {
		return "", err
	}
	config.Scopes = []string{"read_api"}
	config.Endpoint = oauth2.Endpoint{AuthURL: w.admin.Base + "/oauth/authorize", TokenURL: w.admin.Base + "/oauth/token"}
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back, err := ada.Authorize(ctx, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), state)
	if err != nil {
		return "", err
	}
	token, err := config.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return "", err
	}
	return token.AccessToken, nil
}
