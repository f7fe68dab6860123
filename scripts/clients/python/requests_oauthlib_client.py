"""A third-party application written with requests-oauthlib. It sends a user
through sign-in and consent as a browser would, and uses, refreshes and revokes
the tokens."""

import os

from oauthlib.oauth2 import InvalidGrantError, WebApplicationClient
from requests_oauthlib import OAuth2Session

import people

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # the server under test is on loopback

username = people.newcomer()
client_id, secret = people.register("requests-oauthlib", "api read_user")
token_endpoint = f"{people.BASE}/oauth/token"
client = WebApplicationClient(client_id)
session = OAuth2Session(client=client, redirect_uri=people.CALLBACK, scope=["read_user"], pkce="S256")

address, _ = session.authorization_url(f"{people.BASE}/oauth/authorize")
back = people.authorize(address, username)
first = session.fetch_token(token_endpoint, authorization_response=back, client_secret=secret)
people.check("scope", first["scope"], ["read_user"])
people.check_user(session.get(f"{people.BASE}/api/v4/user"), username)


def refresh():
    return session.refresh_token(token_endpoint, auth=(client_id, secret))


second = refresh()
people.check_refreshed(first, second, username)

# The library leaves the sending of what oauthlib prepares to the application.
url, headers, body = client.prepare_token_revocation_request(f"{people.BASE}/oauth/revoke", second["access_token"])
revoked = session.post(url, data=body, headers=headers, auth=(client_id, secret), withhold_token=True)
people.check("status of the revocation", revoked.status_code, 200)
people.check_ended(second["access_token"])
people.check_invalid_grant(InvalidGrantError, refresh)

print("requests-oauthlib: registered, authorized, exchanged with S256, read /user, refreshed, revoked, saw 401")
