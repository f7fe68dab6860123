package mirror_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/mirror"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

const (
	path   = "acme/web"
	plain  = "https://git.example/web.git"
	masked = "https://*****:*****@git.example/web.git"
	full   = "https://ada:secret@git.example/web.git"
)

func newRules(t *testing.T) *mirror.Rules {
	t.Helper()
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return mirror.NewRules(nil, nil, nil, keys, time.Now)
}

func hidden(s string) *secret.Text {
	text := secret.NewText(s)
	return &text
}

// after returns the mirror after the changes.
func after(t *testing.T, r *mirror.Rules, changes ...mirror.Change) project.Mirror {
	t.Helper()
	var s project.ProjectSettings
	for _, c := range changes {
		if err := r.Edit(path, c)(&s); err != nil {
			t.Fatalf("Edit(%+v) = %v", c, err)
		}
	}
	return s.Mirror
}

func TestEdit(t *testing.T) {
	all := mirror.Change{
		Enabled: new(true), URL: new(plain), BranchRegex: new("^main$"), TriggerBuilds: new(true), ProtectedOnly: new(false), OverwritesDiverged: new(true),
	}
	want := project.Mirror{
		Enabled: true, URL: plain, BranchRegex: "^main$", TriggerBuilds: true, ProtectedOnly: new(false), OverwritesDiverged: true,
	}
	r := newRules(t)
	if diff := cmp.Diff(want, after(t, r, all, mirror.Change{})); diff != "" {
		t.Errorf("the mirror differs (-want +got):\n%s", diff)
	}
	none := mirror.Change{
		Enabled: new(false), URL: new(""), BranchRegex: new(""), TriggerBuilds: new(false), ProtectedOnly: new(true), OverwritesDiverged: new(false),
	}
	if diff := cmp.Diff(project.Mirror{ProtectedOnly: new(true)}, after(t, r, all, none)); diff != "" {
		t.Errorf("the cleared mirror differs (-want +got):\n%s", diff)
	}
}

// What is shown says which credentials there are, and what is stored says nothing else.
func TestCredentialsAreMaskedAndSealed(t *testing.T) {
	auth := func(user, password *secret.Text) mirror.Change { return mirror.Change{User: user, Password: password} }
	to := func(url string) mirror.Change { return mirror.Change{URL: &url} }
	tests := map[string]struct {
		changes []mirror.Change
		shown   string
	}{
		"none":                   {[]mirror.Change{to(plain)}, plain},
		"in the URL":             {[]mirror.Change{to(full)}, masked},
		"a user in the URL":      {[]mirror.Change{to("ssh://git@git.example/web.git")}, "ssh://*****@git.example/web.git"},
		"a password in the URL":  {[]mirror.Change{to("https://:secret@git.example/web.git")}, "https://:*****@git.example/web.git"},
		"beside the URL":         {[]mirror.Change{{URL: new(plain), User: hidden("ada"), Password: hidden("secret")}}, masked},
		"both":                   {[]mirror.Change{{URL: new("https://ada@git.example/web.git"), Password: hidden("secret")}}, masked},
		"later":                  {[]mirror.Change{to(plain), auth(hidden("ada"), nil), auth(nil, hidden("secret"))}, masked},
		"without the password":   {[]mirror.Change{to(full), auth(nil, hidden(""))}, "https://*****@git.example/web.git"},
		"taken away":             {[]mirror.Change{to(full), auth(hidden(""), hidden(""))}, plain},
		"taken away by a URL":    {[]mirror.Change{to(full), to(plain)}, plain},
		"the URL as it is shown": {[]mirror.Change{to(full), to(masked)}, masked},
		"another URL":            {[]mirror.Change{to(full), to("https://other.example")}, "https://other.example"},
		"no URL":                 {[]mirror.Change{to(full), to("")}, ""},
	}
	for name, test := range tests {
		m := after(t, newRules(t), test.changes...)
		if m.ShownURL() != test.shown {
			t.Errorf("%s: the mirror shows %s, want %s", name, m.ShownURL(), test.shown)
		}
		if (m.Sealed != "") != strings.Contains(test.shown, "*") {
			t.Errorf("%s: %d bytes are sealed for %s", name, len(m.Sealed), m.ShownURL())
		}
		if stored := project.EncodeSettings(project.ProjectSettings{Mirror: m}); strings.Contains(stored, "ada") || strings.Contains(stored, "secret") {
			t.Errorf("%s: %s is stored", name, stored)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	long := strings.Repeat("x", 2000)
	const exclusive = "cannot be set while only_mirror_protected_branches is true"
	tests := map[string]struct {
		changes []mirror.Change // the last one is refused
		want    fault.Fields
	}{
		"no URL":           {[]mirror.Change{{Enabled: new(true)}}, fault.Fields{"url": {"can't be blank"}}},
		"the URL goes":     {[]mirror.Change{{Enabled: new(true), URL: new(plain)}, {URL: new("")}}, fault.Fields{"url": {"can't be blank"}}},
		"only credentials": {[]mirror.Change{{User: hidden("ada"), Password: hidden("secret")}}, fault.Fields{"url": {"can't be blank"}}},
		"a private host":   {[]mirror.Change{{Enabled: new(true), URL: new("http://10.0.0.1")}}, fault.Fields{"url": {"must have a public host"}}},
		"a foreign mask":   {[]mirror.Change{{URL: new(masked)}}, fault.Fields{"url": {"has masked credentials: send the real ones"}}},
		"a mask elsewhere": {[]mirror.Change{{URL: new(full)}, {URL: new(strings.Replace(masked, "git.", "my.", 1))}}, fault.Fields{"url": {"has masked credentials: send the real ones"}}},
		"a long user":      {[]mirror.Change{{URL: new(plain), User: hidden(long)}}, fault.Fields{"auth_user": {"is too long (maximum is 255 bytes)"}}},
		"a long password":  {[]mirror.Change{{URL: new(plain), Password: hidden(long)}}, fault.Fields{"auth_password": {"is too long (maximum is 1024 bytes)"}}},
		"a long whole": {
			[]mirror.Change{{URL: new(plain + strings.Repeat("x", 1500)), User: hidden("ada"), Password: hidden(long[:1024])}},
			fault.Fields{"url": {"is too long with its credentials (maximum is 2400 bytes as they are stored)"}},
		},
		"a long URL with a stored password": {
			[]mirror.Change{{URL: new(plain + strings.Repeat("x", 1500))}, {Password: hidden(long[:1024])}},
			fault.Fields{"url": {"is too long with its credentials (maximum is 2400 bytes as they are stored)"}},
		},
		"lines in a regex": {[]mirror.Change{{BranchRegex: new("a\nb")}}, fault.Fields{"mirror_branch_regex": {"has control characters"}}},
		"two lines":        {[]mirror.Change{{URL: new("https://ada:a%0ab@git.example")}}, fault.Fields{"auth_password": {"has control characters"}}},
		"no regex":         {[]mirror.Change{{BranchRegex: new("(")}}, fault.Fields{"mirror_branch_regex": {"is not a regular expression of RE2"}}},
		"no regex of RE2":  {[]mirror.Change{{BranchRegex: new(`(?=a)`)}}, fault.Fields{"mirror_branch_regex": {"is not a regular expression of RE2"}}},
		"a long regex":     {[]mirror.Change{{BranchRegex: &long}}, fault.Fields{"mirror_branch_regex": {"is too long (maximum is 255 bytes)"}}},
		"two choices":      {[]mirror.Change{{BranchRegex: new("a"), ProtectedOnly: new(true)}}, fault.Fields{"mirror_branch_regex": {exclusive}}},
		"a second choice":  {[]mirror.Change{{ProtectedOnly: new(true)}, {BranchRegex: new("a")}}, fault.Fields{"mirror_branch_regex": {exclusive}}},
		"the other one":    {[]mirror.Change{{BranchRegex: new("a")}, {ProtectedOnly: new(true)}}, fault.Fields{"mirror_branch_regex": {exclusive}}},
		"everything at once": {
			[]mirror.Change{{URL: new("x"), BranchRegex: new("(")}},
			fault.Fields{"url": {"must be an http, https, ssh or git URL"}, "mirror_branch_regex": {"is not a regular expression of RE2"}},
		},
	}
	for name, test := range tests {
		r := newRules(t)
		last := len(test.changes) - 1
		s := project.ProjectSettings{Mirror: after(t, r, test.changes[:last]...)}
		err := r.Edit(path, test.changes[last])(&s)
		var got fault.Fields
		if !errors.As(err, &got) || cmp.Diff(test.want, got) != "" {
			t.Errorf("%s: Edit = %v, want %v", name, err, test.want)
		}
	}
}

// One choice takes the place of the other in one request.
func TestChoicesCanBeExchanged(t *testing.T) {
	m := after(t, newRules(t), mirror.Change{ProtectedOnly: new(true)},
		mirror.Change{BranchRegex: new("a"), ProtectedOnly: new(false)}, mirror.Change{BranchRegex: new(""), ProtectedOnly: new(true)})
	if !m.OnlyProtected() || m.BranchRegex != "" {
		t.Errorf("the mirror is %+v, want protected branches only", m)
	}
}

// Sealed credentials are of no use to another project, nor without the key. What is
// sent as a whole replaces them even then.
func TestCredentialsThatDoNotOpen(t *testing.T) {
	r := newRules(t)
	change := mirror.Change{Password: hidden("next")}
	for name, lost := range map[string]project.Edit[project.ProjectSettings]{
		"another project": r.Edit("acme/other", change), "another key": newRules(t).Edit(path, change),
	} {
		s := project.ProjectSettings{Mirror: after(t, r, mirror.Change{URL: new(full)})}
		if err := lost(&s); !errors.Is(err, secret.ErrSealed) {
			t.Errorf("%s: Edit = %v, want ErrSealed", name, err)
		}
	}
	m := after(t, r, mirror.Change{URL: new(full)})
	s := project.ProjectSettings{Mirror: m}
	if err := newRules(t).Edit(path, mirror.Change{User: hidden("ada"), Password: hidden("next")})(&s); err != nil || s.Mirror.Sealed == m.Sealed {
		t.Errorf("Edit of both credentials = %v", err)
	}
}

// The settings are in the project's item, which every request to the project reads:
// whatever is accepted leaves it below 4 KB, above which it would cost more.
func TestMirrorsAreSmall(t *testing.T) {
	const most = 3150
	host := "https://git.example/"
	url := func(fill string, n int) *string { return new(host + strings.Repeat(fill, (n-len(host))/len(fill))) }
	for name, c := range map[string]mirror.Change{
		"a long URL":          {URL: url("&", 2048), User: hidden("x-token"), Password: hidden(strings.Repeat("x", 128))},
		"a long password":     {URL: url("x", 512), User: hidden(strings.Repeat("x", 255)), Password: hidden(strings.Repeat("<&>", 341))},
		"an odd password":     {URL: new(plain), Password: hidden(strings.Repeat(`"`, 768))},
		"one of odd letters":  {URL: new(plain), Password: hidden(strings.Repeat("\u2028", 256))},
		"an odd user as well": {URL: new(plain), User: hidden(strings.Repeat(`\`, 255)), Password: hidden(strings.Repeat(`"`, 512))},
	} {
		c.Enabled, c.TriggerBuilds, c.OverwritesDiverged, c.ProtectedOnly = new(true), new(true), new(true), new(false)
		for _, regex := range []string{strings.Repeat(`\\`, 127), strings.Repeat("\u2028", 85), strings.Repeat("<", 255)} {
			c.BranchRegex = &regex
			m := after(t, newRules(t), c)
			if stored := project.EncodeSettings(project.ProjectSettings{VariablesRole: project.VariablesByDevelopers, Mirror: m}); len(stored) > most {
				t.Errorf("%s: %d bytes are stored, want at most %d", name, len(stored), most)
			}
		}
	}
}

func TestURLAndCredentialsAreBoundedTogether(t *testing.T) {
	const most = 2400
	r := newRules(t)
	password := hidden(strings.Repeat("x", 1000))
	small := after(t, r, mirror.Change{URL: new(plain), Password: password})
	room := most - len(small.URL) - len(small.Sealed)
	for n, fits := range map[int]bool{room: true, room + 1: false} {
		err := r.Edit(path, mirror.Change{URL: new(plain + strings.Repeat("x", n)), Password: password})(&project.ProjectSettings{})
		if fits != (err == nil) {
			t.Errorf("Edit with a URL that is %d bytes longer = %v", n, err)
		}
	}
}
