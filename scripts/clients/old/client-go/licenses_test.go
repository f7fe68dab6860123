package clientgo

import (
	"errors"
	"net/url"
	"strconv"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

func TestManagedLicenses(t *testing.T) {
	admin := administrator(t)
	project := newProject(t, admin, newGroup(t, admin)).PathWithNamespace
	all := "/projects/" + url.PathEscape(project) + "/license_approval_policies"
	license := call(admin.ManagedLicenses.AddManagedLicense(project, &gitlab.AddManagedLicenseOptions{
		Name: gitlab.Ptr("BSD 3.0"), ApprovalStatus: gitlab.LicenseApprovalStatus(gitlab.LicenseAllowed),
	})).Moved(t, "managed-licenses", all)
	judge.Equal(t, "the license", license, &gitlab.ManagedLicense{ID: license.ID, Name: "BSD 3.0", ApprovalStatus: gitlab.LicenseAllowed})

	byID, byName := all+"/"+strconv.Itoa(license.ID), all+"/BSD%203.0"
	judge.Equal(t, "the license by id", call(admin.ManagedLicenses.GetManagedLicense(project, license.ID)).Moved(t, "managed-licenses", byID), license)
	judge.Equal(t, "the license by name", call(admin.ManagedLicenses.GetManagedLicense(project, "BSD 3.0")).Moved(t, "managed-licenses", byName), license)
	license = call(admin.ManagedLicenses.EditManagedLicense(project, license.ID, &gitlab.EditManagedLicenceOptions{
		ApprovalStatus: gitlab.LicenseApprovalStatus(gitlab.LicenseDenied),
	})).Moved(t, "managed-licenses", byID)
	judge.Equal(t, "the changed status", license.ApprovalStatus, gitlab.LicenseDenied)
	listed := call(admin.ManagedLicenses.ListManagedLicenses(project)).Moved(t, "managed-licenses", all)
	judge.Equal(t, "the licenses", listed, []*gitlab.ManagedLicense{license})

	done(admin.ManagedLicenses.DeleteManagedLicense(project, license.ID)).Moved(t, "managed-licenses", byID)
	if _, _, err := admin.ManagedLicenses.GetManagedLicense(project, license.ID); !errors.Is(err, gitlab.ErrNotFound) {
		t.Errorf("the deleted license gave %v", err)
	}
}
