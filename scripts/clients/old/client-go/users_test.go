package clientgo

import (
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// The client cannot send the null that is deprecated.
func TestPrivateProfile(t *testing.T) {
	admin := administrator(t)
	name := judge.Unique("eve")
	user := call(admin.Users.CreateUser(&gitlab.CreateUserOptions{
		Username: &name, Name: gitlab.Ptr("Eve"), Email: gitlab.Ptr(name + "@example.com"), Password: gitlab.Ptr("a walk in the park"),
		PrivateProfile: gitlab.Ptr(true),
	})).Silent(t)
	judge.Equal(t, "private_profile", user.PrivateProfile, true)
	user = call(admin.Users.ModifyUser(user.ID, &gitlab.ModifyUserOptions{PrivateProfile: gitlab.Ptr(false)})).Silent(t)
	judge.Equal(t, "private_profile after the change", user.PrivateProfile, false)
	user = call(admin.Users.GetUser(user.ID, gitlab.GetUsersOptions{})).Silent(t)
	judge.Equal(t, "private_profile when read", user.PrivateProfile, false)
}
