package dynamodb_test

import (
	"errors"
	"testing"

	"gatehouse/shared/fault"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// A login that nobody has takes as many steps as one of a user.
func TestBudgetOfLogins(t *testing.T) {
	o, steps := options(t), &dynamodbtest.Steps{}
	u := addUser(t, openWith(t, o))
	o.HTTPClient = steps
	measured := dynamodb.New(o)
	for login, exists := range map[string]bool{
		u.Username: true, u.Email: true, unique("nobody"): false, unique("nobody") + "@example.com": false,
	} {
		var err error
		taken, _ := steps.During(func() { _, err = measured.UserByLogin(t.Context(), login) })
		if taken != 2 || exists != (err == nil) || !exists && !errors.Is(err, fault.NotFound) {
			t.Errorf("the login %q took %d steps (%v), want 2 and that it exists: %t", login, taken, err, exists)
		}
	}
}
