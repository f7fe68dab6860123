"""Merge requests of a project."""

from gitlab.exceptions import GitlabMRClosedError

from judge import admin, new_developer, new_project, person, refused, silent, told
from people import check

BRANCHES = {"source_branch": "fast", "target_branch": "main"}


def walk():
    project = new_project()
    author, git = new_developer(project)
    merges = git.projects.get(project.id).mergerequests
    people = {"assignee_id": author.id, "reviewer_ids": [author.id]}
    made = silent(merges.create({**BRANCHES, **people, "title": "Faster start", "labels": ["fast", "not now"]}))
    check("the merge request that was read", silent(merges.get(made.iid)).attributes, made.attributes)
    one = silent(project.mergerequests.get(made.iid))
    check("state and labels", (one.state, one.labels), ("opened", ["fast", "not now"]))
    who = person(author)
    check("who is in it", (one.author, one.assignee, one.assignees, one.reviewers), (who, who, [who], [who]))
    check("merged_by and merge_user", (one.merged_by, one.merge_user), (None, None))
    check("the name of it", (one.references["full"], one.user["can_merge"]), (f"{project.path_with_namespace}!1", True))
    lists(merges, author)
    change(made)
    merge_statuses(project, one)
    merge(project, one)
    changes(project, one)


def lists(merges, author):
    for filters, want in (
        ({"state": "opened", "scope": "all"}, 1),
        ({"state": "merged"}, 0),
        ({"author_id": author.id}, 1),
        ({"iids": [1, 7]}, 1),
        (BRANCHES, 1),
        ({"labels": ["fast", "not now"], "wip": "no"}, 1),
        ({"assignee_id": "None"}, 0),
        ({"search": "FASTER", "with_merge_status_recheck": True}, 1),
    ):
        check(f"merge requests of {filters}", len(silent(merges.list(get_all=True, **filters))), want)


def change(one):
    one.title, one.description = "Draft: faster start", "It starts late."
    silent(one.save())
    got = one.draft, one.detailed_merge_status, one.description
    check("a draft", got, (True, "draft_status", "It starts late."))
    one.title = "Faster start"
    silent(one.save())
    for event, state in (("close", "closed"), ("reopen", "opened")):
        one.state_event = event
        silent(one.save())
        check(f"state after {event}", one.state, state)


def report(project, one, **said):
    """Has the platform say something of the merge request. The library has no call
    for that."""
    path = f"/projects/{project.id}/merge_requests/{one.iid}/platform_state"
    silent(admin.http_put(path, post_data=said))


def merge_statuses(project, one):
    for merge_status, detailed, conflicts in (
        ("unchecked", "unchecked", False),
        ("checking", "checking", False),
        ("cannot_be_merged", "conflict", True),
        ("cannot_be_merged_recheck", "checking", False),
        ("can_be_merged", "mergeable", False),
    ):
        report(project, one, merge_status=merge_status)
        got = silent(project.mergerequests.get(one.iid))
        statuses = got.merge_status, got.detailed_merge_status, got.has_conflicts
        check("statuses", statuses, (merge_status, detailed, conflicts))


def merge(project, one):
    me = person(silent(admin.users.get(admin.http_get("/user")["id"])))
    report(project, one, blocking_reason="ci_still_running")
    refused(GitlabMRClosedError, 405, one.merge)
    silent(one.merge(merge_when_pipeline_succeeds=True))
    got = one.merged_by, one.merge_user, one.merge_when_pipeline_succeeds
    check("who merged, and who will", got, (None, me, True))
    report(project, one, blocking_reason=None)
    silent(one.merge(merge_commit_message="Faster", should_remove_source_branch=True))
    got = one.merged_by, one.merge_user, one.merge_when_pipeline_succeeds
    check("who merged", got, (me, me, False))
    check("the end", (one.state, one.detailed_merge_status), ("merged", "not_open"))
    listed = silent(project.mergerequests.list(state="merged", get_all=True))[0].attributes
    read = silent(project.mergerequests.get(one.iid)).attributes
    check("the listed merge request", listed, {name: read[name] for name in listed})


def changes(project, one):
    diff = {
        "old_path": "a.go",
        "new_path": "b.go",
        "a_mode": "100644",
        "b_mode": "100755",
        "diff": "@@ -1 +1 @@",
        "renamed_file": True,
    }
    report(project, one, diffs=[diff], overflow=True)
    diffs = f"/projects/{project.id}/merge_requests/{one.iid}/diffs"
    got = told(one.changes(), "merge-request-changes", diffs)
    check("the merge request with its changes", (got["title"], got["overflow"]), (one.title, True))
    check("the change", {name: got["changes"][0][name] for name in diff}, diff)
    # What the library calls diffs are the versions of a merge request.
    check("diffs", silent(admin.http_list(diffs, get_all=True)), got["changes"])
