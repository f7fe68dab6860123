"""Runners."""

from gitlab.exceptions import GitlabGetError, GitlabUpdateError, GitlabVerifyError

from judge import admin, new_project, refused, silent, told
from people import check

ROW = "runner-active"


def walk():
    project = new_project()
    made = register(project)
    runner = silent(admin.runners.get(made.id))
    got = runner.description, runner.status, runner.ip_address, runner.online
    check("a new runner", got, ("builder", "not_connected", "", False))
    check("its tags", sorted(runner.tag_list), ["go", "linux"])
    pause(runner)
    verify(made)
    lists(project, made.id)
    projects(made.id)
    silent(admin.runners.delete(made.id))
    refused(GitlabGetError, 404, lambda: admin.runners.get(made.id))


def register(project):
    """Makes a runner. The library has no call that renews the registration token."""
    token = silent(admin.http_post(f"/projects/{project.id}/runners/reset_registration_token"))["token"]
    return silent(admin.runners.create({"token": token, "description": "builder", "tag_list": ["linux", "go"]}))


def pause(runner):
    check("paused and active", (runner.paused, runner.active), (False, True))
    runner.active = False
    told(runner.save(), ROW)
    check("paused and active", (runner.paused, runner.active), (True, False))
    runner.paused, runner.tag_list = False, ["arm"]
    silent(runner.save())
    check("paused, active and tags", (runner.paused, runner.active, runner.tag_list), (False, True, ["arm"]))
    runner.active, runner.paused = False, True
    refused(GitlabUpdateError, 400, runner.save)


def verify(made):
    silent(admin.runners.verify(made.token))
    refused(GitlabVerifyError, 403, lambda: admin.runners.verify("unknown"))
    check("status after a contact", silent(admin.runners.get(made.id)).status, "online")


def lists(project, runner):
    def among(listed):
        return runner in [r.id for r in listed]

    own, every = admin.runners.list, admin.runners_all.list
    check("among own ones", among(silent(own(get_all=True, type="project_type", tag_list=["arm"]))), True)
    check("among own paused ones", among(silent(own(get_all=True, paused=True))), False)
    check("among own active ones", among(told(own(get_all=True, status="active"), ROW)), True)
    check("among all that are online", among(silent(every(get_all=True, status="online"))), True)
    check("among all paused ones", among(told(admin.runners.all("paused", get_all=True), ROW)), False)
    check("among the project's", among(silent(project.runners.list(get_all=True))), True)
    group = silent(admin.groups.get(project.namespace["id"]))
    check("among the group's", among(silent(group.runners.list(get_all=True, type="group_type"))), False)


def projects(runner):
    second = new_project()
    check("the enabled runner", silent(second.runners.create({"runner_id": runner})).id, runner)
    check("its projects", len(silent(admin.runners.get(runner)).projects), 2)
    silent(second.runners.delete(runner))
    check("its projects then", len(silent(admin.runners.get(runner)).projects), 1)
