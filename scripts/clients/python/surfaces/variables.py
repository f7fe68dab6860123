"""Who may set variables of a pipeline."""

from judge import admin, new_project, silent, told
from people import check

ROW = "restrict-user-defined-variables"


def walk():
    project = new_project()
    check_variables(project, False, "developer")
    told(change(project, restrict_user_defined_variables=True), ROW)
    check_variables(project, True, "maintainer")
    silent(change(project, ci_pipeline_variables_minimum_override_role="owner"))
    check_variables(project, True, "owner")
    told(change(project, restrict_user_defined_variables=True), ROW)
    check_variables(project, True, "owner")
    both = {"restrict_user_defined_variables": False, "ci_pipeline_variables_minimum_override_role": "no_one_allowed"}
    told(change(project, **both), ROW)
    check_variables(project, True, "no_one_allowed")
    told(change(project, restrict_user_defined_variables=False), ROW)
    check_variables(project, False, "developer")


def change(project, **settings):
    return admin.projects.update(project.id, settings)


def check_variables(project, restricted, role):
    got = silent(admin.projects.get(project.id))
    names = "restrict_user_defined_variables", "ci_pipeline_variables_minimum_override_role"
    check("variables", tuple(getattr(got, name) for name in names), (restricted, role))
