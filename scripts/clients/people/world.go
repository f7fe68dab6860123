package people

import (
	"encoding/json"
	"fmt"
	"os"
)

// World is what scripts/clients/world made for every client to find.
type World struct {
	Member Member `json:"person"` // who signs in to the clients
	// Token is an access token of an application that the person allowed to read the API.
	Token   string `json:"token"`
	Lists   []List `json:"lists"`
	Version string `json:"version"` // of the server
}

// Member is a person with roles in groups, which are named by their full paths.
type Member struct {
	ID       int64    `json:"id"`
	Username string   `json:"username"`
	Email    string   `json:"email"`
	Groups   []string `json:"groups"`
	NotIn    []string `json:"not_in"` // groups that the person sees without a role in them
	// Levels are the person's levels of access to projects, by full path: 0 where the
	// person sees the project without a role.
	Levels map[string]int `json:"levels"`
}

// List is what a list with a filter has to show.
type List struct {
	By     string         `json:"by"` // who asks: ada, who is the member, or an administrator, who alone may list users
	Of     string         `json:"of"` // users (by user name), groups or projects (by full path)
	Filter map[string]any `json:"filter"`
	Want   []string       `json:"want"` // in alphabetical order, unless the filter orders
	// Refused is what the server says to a filter by what it does not know.
	Refused string `json:"refused"`
}

// ReadWorld reads the file that GATEHOUSE_WORLD names.
func ReadWorld() (World, error) {
	written, err := os.ReadFile(os.Getenv("GATEHOUSE_WORLD"))
	if err != nil {
		return World{}, err
	}
	var w World
	if err := json.Unmarshal(written, &w); err != nil {
		return World{}, fmt.Errorf("read %s: %w", os.Getenv("GATEHOUSE_WORLD"), err)
	}
	return w, nil
}
