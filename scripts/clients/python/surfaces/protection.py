"""How default branches are protected, of groups and of the instance."""

from judge import admin, silent, told, unique
from people import check

ROW = "default-branch-protection"


def protection(push, merge, force_push=False, initial_push=False):
    return {
        "allowed_to_push": [{"access_level": push}],
        "allowed_to_merge": [{"access_level": merge}],
        "allow_force_push": force_push,
        "developer_can_initial_push": initial_push,
        "code_owner_approval_required": False,
    }


# What the numbers of default_branch_protection stand for.
PROTECTIONS = [
    protection(30, 30, force_push=True),
    protection(30, 30),
    protection(40, 40),
    protection(40, 30),
    protection(40, 40, initial_push=True),
]


def walk():
    for number in range(len(PROTECTIONS)):
        of_group(number, (number + 1) % len(PROTECTIONS))
    of_instance()


def check_protection(what, thing, number):
    got = thing.default_branch_protection, thing.default_branch_protection_defaults
    check(f"protection of {what}", got, (number, PROTECTIONS[number]))


def of_group(number, following):
    name = unique("owls")
    new = {"name": name, "path": name, "default_branch_protection": number}
    group = told(admin.groups.create(new), ROW)
    check_protection("a new group", group, number)
    group.default_branch_protection_defaults = PROTECTIONS[following]
    silent(group.save())
    check_protection("a changed group", group, following)
    check_protection("the group", silent(admin.groups.get(group.id)), following)
    group.default_branch_protection = following
    group.default_branch_protection_defaults = PROTECTIONS[number]
    told(group.save(), ROW)
    check_protection("a group changed by both names", group, number)
    group.default_branch_protection_defaults = {"allowed_to_push": [40], "allowed_to_merge": [30]}
    silent(group.save())
    check_protection("a group changed by bare numbers", group, 3)


def of_instance():
    settings = silent(admin.settings.get())
    before = settings.default_branch_protection
    for number in [*range(len(PROTECTIONS)), before]:
        settings.default_branch_protection = number
        told(settings.save(), ROW)
        check_protection("the instance", silent(admin.settings.get()), number)
