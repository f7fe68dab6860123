"""Plays those around a third-party application under test: the administrator
who registers it, and the person who signs in with a browser.

GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's token.
"""

import os
import time
from html.parser import HTMLParser
from urllib.parse import urljoin

import requests

BASE = os.environ["GATEHOUSE_URL"]

# Every application's redirect URI. Nobody listens there: the person stops
# before it.
CALLBACK = "http://127.0.0.1:9/callback"

PASSWORD = "a walk in the park"
MAX_PAGES = 20  # bounds a walk that never arrives


def register(name, scopes):
    """Makes an application for these scopes, separated by spaces, and returns
    its id and secret."""
    app = create("/applications", name=name, redirect_uri=CALLBACK, scopes=scopes)
    return app["application_id"], app["secret"]


def newcomer():
    """Makes a user and returns their user name."""
    username = f"walker{time.time_ns()}"
    create("/users", username=username, name="Walker", email=f"{username}@example.com", password=PASSWORD)
    return username


def create(path, **body):
    headers = {"PRIVATE-TOKEN": os.environ["GATEHOUSE_ROOT_TOKEN"]}
    response = requests.post(f"{BASE}/api/v4{path}", json=body, headers=headers)
    check(f"status of POST {path}", response.status_code, 201)
    return response.json()


def authorize(address, username):
    """Opens the application's address in a new browser, signs in and approves
    where asked to, and returns the address the browser is sent back to."""
    answers = {"login": username, "password": PASSWORD, "decision": "approve"}
    browser = requests.Session()
    response = browser.get(address, allow_redirects=False)
    for _ in range(MAX_PAGES):
        location = response.headers.get("Location")
        if location:
            address = urljoin(response.url, location)
            if address.startswith(CALLBACK):
                return address
            response = browser.get(address, allow_redirects=False)
            continue
        check(f"status of {response.url}", response.status_code, 200)
        action, fields = fill(response, answers)
        response = browser.post(action, data=fields, allow_redirects=False)
    raise AssertionError(f"no end after {MAX_PAGES} pages")


def fill(response, answers):
    """Returns where to send the first form of the page that has a field to
    answer, and its fields with the answers in place."""
    page = Forms()
    page.feed(response.text)
    for action, elements in page.forms:
        fields, answered = {}, False
        for tag, name, value in elements:
            if name in answers and (tag == "input" or value == answers[name]):
                fields[name], answered = answers[name], True
            elif tag == "input":
                fields[name] = value
        if answered:
            return urljoin(response.url, action), fields
    raise AssertionError(f"{response.url} has no form to fill in")


class Forms(HTMLParser):
    """Collects the forms of a page: the action of each, and its named inputs
    and buttons."""

    def __init__(self):
        super().__init__()
        self.forms = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "form":
            self.forms.append((attributes.get("action") or "", []))
        elif tag in ("input", "button") and self.forms and attributes.get("name"):
            self.forms[-1][1].append((tag, attributes["name"], attributes.get("value") or ""))


def check_user(response, username):
    """Fails unless the response to GET /user is this user."""
    check("status of GET /user", response.status_code, 200)
    check("user name", response.json()["username"], username)


def check_refreshed(first, second, username):
    """Fails unless the second answer of the token endpoint has
    replaced the first."""
    for name in ("access_token", "refresh_token"):
        if first[name] == second[name]:
            raise AssertionError(f"the refresh gave the same {name} again")
    check_ended(first["access_token"])
    check_user(user(second["access_token"]), username)


def check_ended(token):
    """Fails if the access token is good for anything."""
    check("status of GET /user", user(token).status_code, 401)


def user(token):
    return requests.get(f"{BASE}/api/v4/user", headers={"Authorization": f"Bearer {token}"})


def check(what, got, want):
    """Fails unless the two are equal."""
    if got != want:
        raise AssertionError(f"{what}: {got!r}, want {want!r}")


def check_invalid_grant(error, refresh):
    """Fails unless the refresh raises such an error, and it says
    invalid_grant."""
    try:
        refresh()
    except error as raised:
        check("error of the refresh", raised.error, "invalid_grant")
    else:
        raise AssertionError("the refresh token works after its revocation")
