"""Compares what python-gitlab reads of Gatehouse's deprecated surfaces with what it
should be. The library says nothing of headers, so a hook of its session keeps them.

GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's token.
"""

import os
import re
import time

import gitlab
import requests

from people import BASE, PASSWORD, check

_answers = []


def _keep(response, **_):
    _answers.append(response)


def client(token):
    session = requests.Session()
    session.hooks["response"].append(_keep)
    return gitlab.Gitlab(BASE, private_token=token, session=session)


admin = client(os.environ["GATEHOUSE_ROOT_TOKEN"])


def silent(value):
    """Fails if the last answer tells of a deprecation, and returns the value."""
    check("Deprecation", _answers[-1].headers.get("Deprecation"), None)
    check("links to rows", _links("deprecation"), [])
    check("links to successors", _links("successor-version"), [])
    return value


def told(value, row, successor=None):
    """Fails unless the last answer tells of the row, and of the path that takes the
    place of the address. It returns the value."""
    date = _answers[-1].headers.get("Deprecation", "")
    if not re.fullmatch("@[0-9]{10}", date):
        raise AssertionError(f"Deprecation is {date!r}, want a date")
    check("links to rows", _links("deprecation"), [f"{BASE}/-/deprecations#{row}"])
    check("links to successors", _links("successor-version"), [f"{BASE}/api/v4{successor}"] if successor else [])
    return value


def _links(relation):
    found = re.findall('<([^>]*)>; rel="([^"]*)"', _answers[-1].headers.get("Link", ""))
    return [target for target, rel in found if rel == relation]


def refused(error, status, call):
    """Fails unless the call raises such an error of python-gitlab with this status."""
    try:
        call()
    except error as raised:
        check("status", raised.response_code, status)
    else:
        raise AssertionError(f"the call gave no error, want {status}")


def unique(prefix):
    return f"{prefix}-{time.time_ns()}"


def new_group():
    name = unique("makers")
    return silent(admin.groups.create({"name": name, "path": name}))


def new_project():
    return silent(admin.projects.create({"name": unique("web"), "namespace_id": new_group().id}))


def new_developer(project):
    """Makes a user who is a developer of the project, and a client of theirs."""
    name = unique("ada")
    account = {"username": name, "name": "Ada", "email": f"{name}@example.com", "password": PASSWORD}
    user = silent(admin.users.create(account))
    silent(project.members.create({"user_id": user.id, "access_level": gitlab.const.AccessLevel.DEVELOPER}))
    token = silent(user.personal_access_tokens.create({"name": "python-gitlab", "scopes": ["api"]}))
    return user, client(token.token)


def person(user):
    """Returns the user as others see them."""
    return {name: getattr(user, name) for name in ("id", "username", "name", "state", "avatar_url", "web_url")}
