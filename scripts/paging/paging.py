"""Follows an alert through a running server: a real Alertmanager fires, an incident
appears, the person on call gets a mail on a real SMTP server, nobody acknowledges, the
second person gets one a minute later, the link in that mail acknowledges where the server
has a page for it, and the recovery closes the incident and tells a webhook, whose
signature the library of Standard Webhooks checks. Meanwhile a newcomer confirms an address
and replaces a lost password, by links in mails.

GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's token, and
SMTP_PORT the port where the server sends mails.
"""

import email
import email.policy
import http.server
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
from datetime import datetime, timedelta, timezone

import requests
from aiosmtpd.controller import Controller
from standardwebhooks.webhooks import Webhook

BASE = os.environ["GATEHOUSE_URL"]
PATIENCE = 30  # seconds, for what should follow at once
DELAY = 60  # seconds, of the second step
PASSWORD = "cold oven, warm heart"


def call(method, path, params=None):
    answer = requests.request(
        method,
        BASE + "/api/v4" + path,
        json=params,
        headers={"PRIVATE-TOKEN": os.environ["GATEHOUSE_ROOT_TOKEN"]},
        timeout=30,
    )
    if not answer.ok:
        raise AssertionError(f"{method} {path} answered {answer.status_code} {answer.text}")
    return answer.json() if answer.text else None


def eventually(what, find, patience=PATIENCE):
    """Returns what find returns as soon as that is true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {patience} seconds: {what}")


class Mailbox:
    """Keeps the mails that come by SMTP."""

    def __init__(self):
        self.mails = []

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.mails.append((envelope.rcpt_tos, time.monotonic(), mail))
        return "250 OK"

    def to(self, address):
        return [(at, mail) for recipients, at, mail in self.mails if recipients == [address]]


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps what webhooks send."""

    got = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Alertmanager:
    """A running Alertmanager with one receiver."""

    def __init__(self, directory, integration):
        configuration = {
            "route": {"receiver": "gatehouse", "group_wait": "200ms", "group_interval": "1s", "repeat_interval": "1h"},
            "receivers": [
                {
                    "name": "gatehouse",
                    "webhook_configs": [
                        {
                            "url": integration["url"],
                            "send_resolved": True,
                            "http_config": {"authorization": {"credentials": integration["authorization_key"]}},
                        }
                    ],
                }
            ],
        }
        file = os.path.join(directory, "alertmanager.yml")
        with open(file, "w") as f:
            json.dump(configuration, f)  # which is YAML too
        self.base = f"http://127.0.0.1:{free_port()}"
        self.started = datetime.now(timezone.utc)
        self.log = open(os.path.join(directory, "log"), "wb")
        self.process = subprocess.Popen(
            [
                "prometheus-alertmanager",
                "--config.file=" + file,
                "--storage.path=" + directory,
                "--web.listen-address=" + self.base.removeprefix("http://"),
                "--cluster.listen-address=",
            ],
            stdout=self.log,
            stderr=self.log,
        )
        eventually("Alertmanager is ready", self.ready)

    def ready(self):
        try:
            return requests.get(self.base + "/-/ready", timeout=5).ok
        except requests.ConnectionError:
            return False

    def post(self, end):
        alert = {
            "labels": {"alertname": "OvenCold", "severity": "critical"},
            "annotations": {"summary": "The oven is cold", "description": "No bread tomorrow."},
            "startsAt": self.started.isoformat(),
            "endsAt": end.isoformat(),
        }
        answer = requests.post(self.base + "/api/v2/alerts", json=[alert], timeout=5)
        answer.raise_for_status()

    def fire(self):
        self.post(datetime.now(timezone.utc) + timedelta(hours=1))

    def resolve(self):
        self.post(datetime.now(timezone.utc))

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def ok(promise):
    print("paging:", promise, flush=True)


def person(name, confirmed=True):
    """Adds a user, and returns the id."""
    made = {"username": name, "name": name.title(), "email": name + "@bakery.example", "password": PASSWORD}
    return call("POST", "/users", made | {"skip_confirmation": confirmed})["id"]


def arrange(hook):
    """Makes a project that pages ben at once and cleo after a minute, and returns it with
    its integration and the secret of its webhook."""
    project = call("POST", "/projects", {"path": "bakery", "name": "Bakery"})["id"]
    monitor = f"/projects/{project}/monitor"
    ben, cleo = person("ben"), person("cleo")
    for user in (ben, cleo):
        call("POST", f"/projects/{project}/members", {"user_id": user, "access_level": 30})
    draft = {"name": "Alertmanager", "type": "metrics", "active": True, "api_url": "http://metrics.example"}
    integration = call("POST", monitor + "/integrations", draft)
    schedule = call("POST", monitor + "/schedules", {"name": "Night", "timezone": "Europe/Berlin"})["id"]
    rotation = {"name": "First line", "starts_at": "2026-01-01T00:00:00Z", "length": {"value": 1, "unit": "weeks"}, "participants": [ben]}
    call("POST", f"{monitor}/schedules/{schedule}/rotations", rotation)
    rules = [
        {"elapsed_minutes": 0, "until_status": "acknowledged", "schedule_id": schedule},
        {"elapsed_minutes": 1, "until_status": "acknowledged", "user_id": cleo},
    ]
    call("PUT", monitor + "/escalation_policy", {"rules": rules})
    call("PUT", monitor + "/settings", {"create_incident": True, "auto_close_incident": True})
    secret = call("POST", monitor + "/webhooks", {"url": hook})["secret"]
    return monitor, integration, secret


def told(secret):
    """Returns what the webhook was told, by type, if every signature is right."""
    all = {}
    for headers, body in list(Receiver.got):
        message = Webhook(secret).verify(body, {name.lower(): value for name, value in headers.items()})
        all[message["type"]] = message
    return all


def link_in(mail, path):
    """Returns the link in a mail that leads to the page at the path."""
    text = mail.get_body(("plain",)).get_content()
    link = re.search(rf"https?://\S+{path}\?token=\S+", text)
    assert link, f"the mail has no link to {path}: {text}"
    assert link[0].startswith(BASE), link[0]
    return link[0]


def look(browser, link):
    """Opens the page behind a link, and returns the fields of its form."""
    page = browser.get(link, timeout=10, allow_redirects=False)
    assert page.status_code == 200, f"the page answered {page.status_code}"
    return dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page.text))


def send(browser, address, fields, status):
    """Sends a form of a page."""
    answer = browser.post(address, data=fields, headers={"Sec-Fetch-Site": "same-origin"}, timeout=10, allow_redirects=False)
    assert answer.status_code == status, f"{address} answered {answer.status_code}, want {status}"


def acknowledge(mail, monitor):
    """Uses the link in a mail: the page changes nothing, its form does."""
    browser, link = requests.Session(), link_in(mail, "/acknowledge")
    fields = look(browser, link)
    assert call("GET", monitor + "/alerts/1")["status"] == "triggered", "looking at the page acknowledged the alert"
    send(browser, link, fields, 200)
    assert call("GET", monitor + "/alerts/1")["status"] == "acknowledged"
    ok("the link in the mail acknowledges, after a page")


def sign_in(name, password, status):
    """Tries to sign in, and returns the browser."""
    browser = requests.Session()
    send(browser, BASE + "/users/sign_in", {"login": name, "password": password}, status)
    return browser


def signed_in(browser):
    return browser.get(BASE + "/user_settings/profile", timeout=10, allow_redirects=False).status_code == 200


def confirm(mailbox, user):
    """Has a newcomer confirm the address that a mail goes to."""
    [(_, mail)] = eventually("a mail to confirm the address", lambda: mailbox.to("dora@bakery.example"))
    link, stranger = link_in(mail, "/users/confirmation"), requests.Session()
    fields = look(stranger, link)
    assert call("GET", f"/users/{user}")["confirmed_at"] is None, "looking at the page confirmed the address"
    send(stranger, BASE + "/users/confirmation", fields, 200)
    assert call("GET", f"/users/{user}")["confirmed_at"], "the address is not confirmed"
    send(stranger, BASE + "/users/confirmation", fields, 404)
    ok("the link in a mail confirms a newcomer's address, once")


def replace_password(mailbox):
    """Has somebody who lost the password set another one, by a link in a mail."""
    before, stranger = sign_in("dora", PASSWORD, 303), requests.Session()
    assert signed_in(before)
    send(stranger, BASE + "/users/password/new", {"login": "nobody@bakery.example"}, 303)
    send(stranger, BASE + "/users/password/new", {"login": "Dora@bakery.example"}, 303)
    _, (_, mail) = eventually("a mail to set a password", lambda: mailbox.to("dora@bakery.example")[1:] and mailbox.to("dora@bakery.example"))
    link = link_in(mail, "/users/password")
    fields = look(stranger, link) | {"password": "warm oven, cold heart"}
    send(stranger, BASE + "/users/password", fields, 303)
    assert not signed_in(before), "a session from before the new password goes on"
    sign_in("dora", PASSWORD, 422)
    assert signed_in(sign_in("dora", fields["password"], 303))
    assert stranger.get(link, timeout=10).status_code == 404, "the link works twice"
    send(stranger, BASE + "/users/password", fields, 404)
    assert not mailbox.to("nobody@bakery.example")
    ok("the link in a mail replaces a lost password, once, and ends the sessions before")


def account(mailbox):
    """Follows the mails to a newcomer."""
    user = person("dora", confirmed=False)
    confirm(mailbox, user)
    replace_password(mailbox)


def follow(mailbox, hook, directory):
    monitor, integration, secret = arrange(hook)
    manager = Alertmanager(directory, integration)
    try:
        manager.fire()
        incidents = eventually("an incident", lambda: call("GET", monitor + "/incidents"))
        assert [i["title"] for i in incidents] == ["The oven is cold"], incidents
        ok("an alert of Alertmanager opens an incident")
        first, mail = eventually("a mail to ben", lambda: mailbox.to("ben@bakery.example"))[0]
        assert "The oven is cold" in mail["subject"], mail["subject"]
        assert not mailbox.to("cleo@bakery.example")
        ok("who is on call gets a mail at once")
        account(mailbox)  # while the second step waits
        second, mail = eventually("a mail to cleo", lambda: mailbox.to("cleo@bakery.example"), DELAY + PATIENCE)[0]
        assert DELAY - 5 < second - first < DELAY + 15, f"the second mail came {second - first} seconds after the first"
        ok("nobody acknowledges, so that the second step pages after its delay")
        acknowledge(mail, monitor)
        manager.resolve()
        closed = lambda: call("GET", monitor + "/incidents")[0]["state"] == "closed"
        eventually("the incident is closed", closed)
        assert call("GET", monitor + "/alerts/1")["status"] == "resolved"
        ok("the recovery resolves the alert and closes the incident")
        eventually("the webhook is told", lambda: {"alert.opened", "alert.resolved", "incident.opened", "incident.closed"} <= set(told(secret)))
        assert told(secret)["alert.resolved"]["data"]["title"] == "The oven is cold"
        ok("the webhook was told, with signatures that Standard Webhooks verifies")
        got = sorted(recipients[0].removesuffix("@bakery.example") for recipients, _, _ in mailbox.mails)
        assert got == ["ben", "cleo", "dora", "dora"], f"mails to {got}"
        ok("nobody gets a mail twice")
    finally:
        manager.stop()


def main():
    mailbox = Mailbox()
    smtp = Controller(mailbox, hostname="127.0.0.1", port=int(os.environ["SMTP_PORT"]))
    smtp.start()
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    try:
        with tempfile.TemporaryDirectory() as directory:
            follow(mailbox, f"http://127.0.0.1:{receiver.server_port}/hook", directory)
    finally:
        smtp.stop()
        receiver.shutdown()


main()
