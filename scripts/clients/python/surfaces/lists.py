"""Lists with filters, by which applications look up who somebody is and what they may do."""

import json
import os

import gitlab

from judge import admin, refused
from people import BASE, check

NAMES = {"users": "username", "groups": "full_path", "projects": "path_with_namespace"}


def walk():
    with open(os.environ["GATEHOUSE_WORLD"]) as file:
        world = json.load(file)
    ada = gitlab.Gitlab(BASE, oauth_token=world["token"])
    clients = {"ada": ada, "administrator": admin}
    for asked in world["lists"]:
        listing = getattr(clients[asked["by"]], asked["of"])
        if asked["refused"]:
            refused(gitlab.GitlabListError, 400, lambda: listing.list(**asked["filter"]))
            continue
        names = [getattr(thing, NAMES[asked["of"]]) for thing in listing.list(iterator=True, **asked["filter"])]
        if "order_by" not in asked["filter"]:
            names.sort()
        check(f"{asked['of']} with {asked['filter']}", names, asked["want"])
    check("the version", ada.version()[0], world["version"])
    ada.auth()
    check("the person", ada.user.id, world["person"]["id"])
    for path in world["person"]["groups"]:
        check("the group", ada.groups.get(path).full_path, path)
    for path, level in world["person"]["levels"].items():
        members = ada.projects.get(path).members_all
        if level:
            check(f"the level in {path}", members.get(ada.user.id).access_level, level)
        else:
            refused(gitlab.GitlabGetError, 404, lambda: members.get(ada.user.id))
