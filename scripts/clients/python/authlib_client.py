"""A third-party application written with Authlib. It sends a user through
sign-in and consent as a browser would, and uses, refreshes and revokes the
tokens."""

from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

import people

username = people.newcomer()
client_id, secret = people.register("authlib", "api read_user")
token_endpoint = f"{people.BASE}/oauth/token"
session = OAuth2Session(
    client_id,
    secret,
    scope="read_user",
    redirect_uri=people.CALLBACK,
    code_challenge_method="S256",
)

verifier = generate_token(48)
address, state = session.create_authorization_url(f"{people.BASE}/oauth/authorize", code_verifier=verifier)
back = people.authorize(address, username)
first = session.fetch_token(token_endpoint, authorization_response=back, state=state, code_verifier=verifier)
people.check("scope", first["scope"], "read_user")
people.check_user(session.get(f"{people.BASE}/api/v4/user"), username)

second = session.refresh_token(token_endpoint)
people.check_refreshed(first, second, username)

revoked = session.revoke_token(f"{people.BASE}/oauth/revoke", token=second["access_token"])
people.check("status of the revocation", revoked.status_code, 200)
people.check_ended(second["access_token"])
people.check_invalid_grant(OAuthError, lambda: session.refresh_token(token_endpoint))

print("authlib: registered, authorized, exchanged with S256, read /user, refreshed, revoked, saw 401")
