"""Approvals of merge requests: the settings of a project, and rules."""

from gitlab.exceptions import GitlabGetError

from judge import new_developer, new_project, person, refused, silent, told
from people import check

ROW = "require-password-to-approve"


def walk():
    project = new_project()
    settings(project)
    author, git = new_developer(project)
    reviewer, _ = new_developer(project)
    new = {"source_branch": "fast", "target_branch": "main", "title": "Faster start"}
    made = silent(git.projects.get(project.id).mergerequests.create(new))
    merge_request = silent(project.mergerequests.get(made.iid))
    rules(project.approvalrules, reviewer)
    rules(merge_request.approval_rules, reviewer)
    approvers(merge_request, author, reviewer)


def settings(project):
    got = silent(project.approvals.get())
    check("approvers", (got.approvers, got.approver_groups, got.approval_groups), ([], [], []))
    got.approvals_before_merge, got.reset_approvals_on_push = 2, True
    silent(got.save())
    got.require_password_to_approve = True
    told(got.save(), ROW)
    got = silent(project.approvals.get())
    check("approvals", (got.approvals_before_merge, got.reset_approvals_on_push), (2, True))
    check_password(got, True)
    got.require_password_to_approve, got.require_reauthentication_to_approve = True, False
    told(got.save(), ROW)
    check_password(got, False)


def check_password(got, want):
    both = got.require_password_to_approve, got.require_reauthentication_to_approve
    check("whether approvals need the password", both, (want, want))


def rules(manager, reviewer):
    rule = silent(manager.create({"name": "Security", "approvals_required": 1, "user_ids": [reviewer.id]}))
    check("the rule", (rule.name, rule.rule_type, rule.approvals_required), ("Security", "regular", 1))
    who = [person(reviewer)]
    check("who approves", (rule.users, rule.eligible_approvers, rule.groups), (who, who, []))
    rule.name, rule.approvals_required = "Safety", 2
    silent(rule.save())
    check("the changed rule", silent(manager.get(rule.id)).attributes, rule.attributes)
    check("the listed rules", [r.name for r in silent(manager.list(get_all=True))], ["Safety"])
    silent(rule.delete())
    refused(GitlabGetError, 404, lambda: manager.get(rule.id))


def approvers(merge_request, author, reviewer):
    """Makes a rule and changes it with a call that the library made of several. It
    sends an empty list of user names as well."""
    approve = merge_request.approvals.set_approvers
    made = silent(approve(1, approver_ids=[reviewer.id], approval_rule_name="Docs"))
    again = silent(approve(2, approver_ids=[author.id, reviewer.id], approval_rule_name="Docs"))
    check("the changed rule", (again.id, again.approvals_required), (made.id, 2))
    check("its users", sorted(u["id"] for u in again.users), sorted([author.id, reviewer.id]))
