package accountapi_test

import (
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/user"
)

func TestPersonsPage(t *testing.T) {
	a := apptest.New(t)
	ada, ben, root := a.User("ada"), a.User("ben"), a.Admin("root")
	private, blocked := a.User("private"), a.User("blocked")
	if _, err := a.Users.Update(t.Context(), audit.ByUser(root.ID), private.ID, user.Change{PrivateProfile: new(true)}); err != nil {
		t.Fatal(err)
	}
	a.Block(blocked)
	nobody := signedIn(t, a, ben).Get("/users/nobody").Want(404).Text()
	tests := []struct {
		name         string
		reader, of   user.User
		sees, emails bool
	}{
		{"another person", ben, ada, true, false},
		{"oneself", ada, ada, true, true},
		{"an administrator", root, ada, true, true},
		{"a private profile", ben, private, false, false},
		{"one's own private profile", private, private, true, true},
		{"an administrator at a private profile", root, private, true, true},
		{"a blocked person", ben, blocked, false, false},
		{"an administrator at a blocked person", root, blocked, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := signedIn(t, a, test.reader)
			if !test.sees {
				if got := b.Get("/users/" + test.of.Username).Want(404).Text(); test.reader.ID == ben.ID && got != nobody {
					t.Errorf("the page differs from that of a name that nobody has:\n%s", got)
				}
				return
			}
			page := b.Get("/users/"+strings.ToUpper(test.of.Username)).Want(200, test.of.Name, "@"+test.of.Username).Text()
			if got := strings.Contains(page, test.of.Email); got != test.emails {
				t.Errorf("shows the e-mail address: %t, want %t", got, test.emails)
			}
		})
	}
}

// Strangers do not learn which names exist.
func TestPersonsPageIsForSignedInPeople(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	for _, name := range []string{"ada", "nobody"} {
		newBrowser(t, a.App).Get("/users/" + name).WantRedirect("/users/sign_in?return_to=%2Fusers%2F" + name)
	}
}
