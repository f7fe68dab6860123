"""Pull mirrors, as parameters of a project and by their own address."""

from gitlab.exceptions import GitlabCreateError

from judge import admin, new_project, refused, silent, told, unique
from people import check

ROW = "pull-mirror"
MASKED = "https://*****:*****@git.example.com/web.git"


def walk():
    parameters_of_project()
    own_address()


def parameters_of_project():
    new = {"name": unique("mirrored"), "import_url": "https://puller:secret@git.example.com/web.git", "mirror": True}
    project = told(admin.projects.create(new), ROW)
    check("the mirror", (project.mirror, project.import_url), (True, MASKED))
    check("of which branches", (project.mirror_branch_regex, project.only_mirror_protected_branches), (None, None))
    project.import_url, project.only_mirror_protected_branches = "https://git.example.com/shop.git", True
    told(project.save(), ROW)
    got = silent(project.pull_mirror.get())
    want = True, "https://git.example.com/shop.git", True
    check("the mirror", (got.enabled, got.url, got.only_mirror_protected_branches), want)
    project.mirror = False
    told(project.save(), ROW)
    refused(GitlabCreateError, 400, project.pull_mirror.start)


def own_address():
    project = new_project()
    new = {"enabled": True, "url": "https://git.example.com/web.git", "auth_user": "puller", "auth_password": "secret"}
    mirror = silent(project.pull_mirror.create(new))
    check("the new mirror", (mirror.id, mirror.enabled, mirror.url), (project.id, True, MASKED))
    silent(project.pull_mirror.start())
    mirror = silent(project.pull_mirror.get())
    check("a mirror that waits", (mirror.update_status, mirror.last_error), ("scheduled", None))
    mirror.mirror_branch_regex = "release-.*"
    silent(mirror.save())
    got = silent(admin.projects.get(project.id))
    check("the project", (got.mirror, got.mirror_branch_regex), (True, "release-.*"))
    finish(project)


def finish(project):
    """Has the platform say that it pulled. The library has no call for that."""
    report = {"update_status": "finished", "last_update_at": "2026-02-03T04:05:06.000Z"}
    silent(admin.http_put(f"{project.pull_mirror.path}/status", post_data=report))
    mirror = silent(project.pull_mirror.get())
    check("a mirror that was pulled", (mirror.update_status, mirror.last_successful_update_at), tuple(report.values()))
