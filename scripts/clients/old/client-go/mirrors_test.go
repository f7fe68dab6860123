package clientgo

import (
	"fmt"
	"strconv"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// Addresses of a mirror, as it is sent and as it is shown.
const (
	sentURL   = "https://puller:secret@git.example.com/web.git"
	shownURL  = "https://*****:*****@git.example.com/web.git"
	plainURL  = "https://git.example.com/shop.git"
	maskedURL = "https://*****:*****@git.example.com/shop.git"
)

func TestMirrorByProject(t *testing.T) {
	admin := administrator(t)
	name := gitlab.Ptr(judge.Unique("mirrored"))
	project := call(admin.Projects.CreateProject(&gitlab.CreateProjectOptions{
		Name: name, ImportURL: gitlab.Ptr(sentURL), Mirror: gitlab.Ptr(true), MirrorTriggerBuilds: gitlab.Ptr(true),
	})).Told(t, "pull-mirror")
	check := func(p *gitlab.Project, address string, enabled, builds, protected bool) {
		t.Helper()
		judge.Equal(t, "import_url", p.ImportURL, address)
		judge.Equal(t, "mirror", p.Mirror, enabled)
		judge.Equal(t, "mirror_trigger_builds", p.MirrorTriggerBuilds, builds)
		judge.Equal(t, "only_mirror_protected_branches", p.OnlyMirrorProtectedBranches, protected)
	}
	check(project, shownURL, true, true, false)
	project = call(admin.Projects.EditProject(project.ID, &gitlab.EditProjectOptions{
		ImportURL: gitlab.Ptr(plainURL), Mirror: gitlab.Ptr(true), MirrorTriggerBuilds: gitlab.Ptr(false), OnlyMirrorProtectedBranches: gitlab.Ptr(true),
	})).Told(t, "pull-mirror")
	check(project, plainURL, true, false, true)
	check(call(admin.Projects.GetProject(project.ID, nil)).Silent(t), plainURL, true, false, true)
	details := call(admin.Projects.GetProjectPullMirrorDetails(project.ID)).Silent(t)
	judge.Equal(t, "the mirror", details, &gitlab.ProjectPullMirrorDetails{ID: project.ID, URL: plainURL, UpdateStatus: "none"})

	project = call(admin.Projects.EditProject(project.ID, &gitlab.EditProjectOptions{
		OnlyMirrorProtectedBranches: gitlab.Ptr(false), MirrorBranchRegex: gitlab.Ptr("release-.*"), Mirror: gitlab.Ptr(false),
	})).Told(t, "pull-mirror")
	check(project, plainURL, false, false, false)
	done(admin.Projects.StartMirroringProject(project.ID)).Refused(t, "400")
}

func TestMirror(t *testing.T) {
	admin := administrator(t)
	id := newProject(t, admin, newGroup(t, admin)).ID
	mirror := call(admin.Projects.ConfigureProjectPullMirror(id, &gitlab.ConfigureProjectPullMirrorOptions{
		Enabled: gitlab.Ptr(true), URL: gitlab.Ptr(plainURL), AuthUser: gitlab.Ptr("puller"), AuthPassword: gitlab.Ptr("secret"),
		MirrorTriggerBuilds: gitlab.Ptr(true), MirrorOverwritesDivergedBranches: gitlab.Ptr(true), MirrorBranchRegex: gitlab.Ptr("release-.*"),
	})).Silent(t)
	judge.Equal(t, "the mirror", mirror, &gitlab.ProjectPullMirrorDetails{ID: id, URL: maskedURL, UpdateStatus: "none"})
	project := call(admin.Projects.GetProject(id, nil)).Silent(t)
	judge.Equal(t, "mirror", project.Mirror, true)
	judge.Equal(t, "import_url", project.ImportURL, maskedURL)
	judge.Equal(t, "mirror_trigger_builds", project.MirrorTriggerBuilds, true)

	_, answer, err := admin.Projects.GetProjectPullMirrorDetails(id)
	call(0, answer, err).Silent(t)
	started, err := admin.Projects.StartMirroringProject(id)
	done(started, err).Silent(t)
	judge.Equal(t, "status of the start", started.StatusCode, 202)
	judge.Equal(t, "update_status", call(admin.Projects.GetProjectPullMirrorDetails(id)).Silent(t).UpdateStatus, "scheduled")
	for _, test := range []struct {
		said     map[string]any
		failed   string
		finished bool
	}{
		{map[string]any{"update_status": "started"}, "", false},
		{map[string]any{"update_status": "failed", "last_error": "no such repository", "last_update_at": "2026-02-03T04:05:06.000Z"}, "no such repository", false},
		{map[string]any{"update_status": "finished"}, "", true},
	} {
		report(t, admin, "projects/"+strconv.Itoa(id)+"/mirror/pull/status", test.said).Silent(t)
		mirror := call(admin.Projects.GetProjectPullMirrorDetails(id)).Silent(t)
		what := fmt.Sprint(" after ", test.said)
		judge.Equal(t, "update_status"+what, mirror.UpdateStatus, test.said["update_status"].(string))
		judge.Equal(t, "last_error"+what, mirror.LastError, test.failed)
		judge.Equal(t, "whether it succeeded"+what, mirror.LastSuccessfulUpdateAt != nil, test.finished)
		judge.Equal(t, "whether it was started"+what, mirror.LastUpdateStartedAt != nil, true)
	}
}
