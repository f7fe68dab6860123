// Command client-go asks for lists of people, groups and projects with the library of that
// name, as applications do that look up who somebody is and what they may do.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's token, and
// GATEHOUSE_WORLD the file with what scripts/clients/world made.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
	"golang.org/x/oauth2"
)

// world is what was made for every client.
type world struct {
	Person struct {
		ID     int64
		Groups []string
		Levels map[string]gitlab.AccessLevelValue
	}
	Token   string
	Lists   []list
	Version string
}

// list is what a list with a filter has to show.
type list struct {
	By, Of  string
	Filter  json.RawMessage
	Want    []string
	Refused string
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("client-go: ")
	did, err := run()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("client-go:", did)
}

func run() (did string, err error) {
	var w world
	told, err := os.ReadFile(os.Getenv("GATEHOUSE_WORLD"))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(told, &w); err != nil {
		return "", err
	}
	base := gitlab.WithBaseURL(os.Getenv("GATEHOUSE_URL"))
	administrator, err := gitlab.NewClient(os.Getenv("GATEHOUSE_ROOT_TOKEN"), base, gitlab.WithoutRetries())
	if err != nil {
		return "", err
	}
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: w.Token})
	ada, err := gitlab.NewAuthSourceClient(gitlab.OAuthTokenSource{TokenSource: token}, base, gitlab.WithoutRetries())
	if err != nil {
		return "", err
	}
	clients := map[string]*gitlab.Client{"ada": ada, "administrator": administrator}
	for _, list := range w.Lists {
		if err := list.check(clients[list.By]); err != nil {
			return "", fmt.Errorf("%s with %s: %w", list.Of, list.Filter, err)
		}
	}
	return fmt.Sprintf("%d lists with filters, the person and their groups", len(w.Lists)), w.whoAmI(ada)
}

// whoAmI checks which server this is, that the token is the person's, and that they see
// their groups.
func (w world) whoAmI(git *gitlab.Client) error {
	server, _, err := git.Version.GetVersion()
	if err != nil {
		return err
	}
	if server.Version != w.Version {
		return fmt.Errorf("the server has the version %s, want %s", server.Version, w.Version)
	}
	me, _, err := git.Users.CurrentUser()
	if err != nil {
		return err
	}
	if me.ID != w.Person.ID {
		return fmt.Errorf("the token is that of %s", me.Username)
	}
	for _, path := range w.Person.Groups {
		group, _, err := git.Groups.GetGroup(path, nil)
		if err != nil {
			return err
		}
		if group.FullPath != path {
			return fmt.Errorf("asked for the group %s, got %s", path, group.FullPath)
		}
	}
	for path, level := range w.Person.Levels {
		member, answer, err := git.ProjectMembers.GetInheritedProjectMember(path, me.ID)
		switch {
		case level == gitlab.NoPermissions && answer != nil && answer.StatusCode == http.StatusNotFound:
		case err != nil:
			return err
		case member.AccessLevel != level:
			return fmt.Errorf("the level in %s is %d, want %d", path, member.AccessLevel, level)
		}
	}
	return nil
}

// check asks for the list and compares the names in it.
func (l list) check(git *gitlab.Client) error {
	names, err := l.names(git)
	switch {
	case l.Refused != "" && (err == nil || !strings.Contains(err.Error(), l.Refused)):
		return fmt.Errorf("the error is %v, want %s", err, l.Refused)
	case l.Refused != "":
		return nil
	case err != nil:
		return err
	}
	if !bytes.Contains(l.Filter, []byte(`"order_by"`)) {
		slices.Sort(names)
	}
	if !slices.Equal(names, l.Want) {
		return fmt.Errorf("found %q, want %q", names, l.Want)
	}
	return nil
}

func (l list) names(git *gitlab.Client) ([]string, error) {
	switch l.Of {
	case "users":
		return collect(l, git.Users.ListUsers, func(u *gitlab.User) string { return u.Username })
	case "groups":
		return collect(l, git.Groups.ListGroups, func(g *gitlab.Group) string { return g.FullPath })
	default:
		return collect(l, git.Projects.ListProjects, func(p *gitlab.Project) string { return p.PathWithNamespace })
	}
}

// collect reads the options of a call from the filter, makes the call for every page, and
// returns the names of what it found.
func collect[Options, Thing any](
	l list, call func(*Options, ...gitlab.RequestOptionFunc) ([]Thing, *gitlab.Response, error), name func(Thing) string,
) ([]string, error) {
	var options Options
	decoder := json.NewDecoder(bytes.NewReader(l.Filter))
	decoder.DisallowUnknownFields() // so that no filter is left out
	if err := decoder.Decode(&options); err != nil {
		return nil, err
	}
	found, err := gitlab.ScanAndCollect(func(page gitlab.PaginationOptionFunc) ([]Thing, *gitlab.Response, error) {
		return call(&options, page)
	})
	var names []string
	for _, thing := range found {
		names = append(names, name(thing))
	}
	return names, err
}
