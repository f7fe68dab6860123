package user_test

import (
	"testing"

	"gatehouse/shared/user"
)

func TestHolds(t *testing.T) {
	u := user.User{Name: "Jürgen Groß", Username: "Juergen", Email: "j.gross@Example.com"}
	for part, want := range map[string]bool{
		"": true, "groß": true, "JÜR": true, "juer": true, "GROSS@example": true, "example.com": true,
		"Juergen Groß": false, "com ": false, "%": false, "root": false,
	} {
		if got := u.Holds(part); got != want {
			t.Errorf("Holds(%q) = %t, want %t", part, got, want)
		}
	}
}
