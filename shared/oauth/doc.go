// Package oauth holds the rules of the OAuth 2.0 authorization server: clients,
// the authorization endpoint, the token endpoint with one file for each grant,
// revocation and introspection (RFC 6749, RFC 7636, RFC 7009, RFC 7662). It
// knows neither HTTP nor a database.
//
// # Best current practice
//
// What RFC 9700 asks of an authorization server, by section, and what implements
// and tests it. Tests without a package name are in this package.
//
//	2.1     redirect URIs are compared character by character, except the
//	        port of a loopback address
//	            Client.AllowsRedirect; TestAllowsRedirect
//	2.1     plain http redirect URIs are for loopback addresses only
//	            CheckRedirectURI; TestPlainHTTPRedirectsOnAnHTTPSInstance. An
//	            instance that is itself reached over http takes them: that is
//	            development
//	2.1     nobody is sent to an address that is not registered
//	            Server.Check; accountapi TestAuthorizeErrors,
//	            FuzzAuthorizeQuery
//	2.1.1   public clients use PKCE
//	            AuthorizeRequest.checkPKCE; TestPublicClientMustUsePKCE
//	2.1.1   confidential clients use PKCE, or the OpenID Connect nonce
//	            recommended there, offered and not demanded here: plain OAuth
//	            clients with a secret are part of the interface
//	2.1.1   a challenge at the start demands its verifier at the end
//	            exchangeCode; TestCodeExchangeErrors
//	2.1.1   a verifier without a challenge is refused (PKCE downgrade, 4.8)
//	            Challenge.Verify; TestVerifierWithoutAChallengeIsRefused
//	2.1.1   only the method S256, which does not show the verifier
//	            AuthorizeRequest.checkPKCE; accountapi TestAuthorizeErrors
//	2.1.1   clients can find out that there is PKCE
//	            oauthapi TestMetadata: code_challenge_methods_supported
//	2.1.2   no access token from the authorization endpoint
//	            TestImplicitGrantIsUnsupported
//	2.2.1   access tokens are bound to their sender
//	            not met: no mutual TLS and no DPoP, as the interface has
//	            bearer tokens. They end after two hours and are revocable at
//	            once
//	2.2.2   refresh tokens of public clients are bound or rotate (4.14)
//	            Server.refresh rotates all; TestRefreshReplacesThePair,
//	            TestReusedRefreshToken
//	2.3     tokens do no more than they need to
//	            Scopes, which the client narrows at a refresh;
//	            TestRefreshNarrowsTheScopeForGood
//	2.3     tokens are good at one resource server
//	            none names one: this service is the only one; an application
//	            that introspects learns of its own tokens only:
//	            TestClientsIntrospectTheirOwnTokensOnly
//	2.4     no password grant
//	            not met by default, as the interface has it.
//	            Settings.PasswordGrant ends it for the instance,
//	            Client.PasswordGrant for an application:
//	            TestPasswordGrantSwitchedOff. Never with two factors:
//	            TestPasswordGrantRefusesUsersWithTwoFactors
//	2.5     clients authenticate where they can
//	            Server.authenticate; TestCodeExchangeErrors. By PKCE instead
//	            of the secret where Client.RequireSecret is off, as the
//	            interface says: TestClientThatRequiresItsSecret
//	2.5     with asymmetric keys rather than secrets
//	            not met: the interface has secrets. They are 256 random bits,
//	            stored as digests: TestRegister
//	2.6     metadata says what there is (RFC 8414)
//	            oauthapi TestMetadata, TestMetadataLeadSomewhere
//	2.6     no cross-origin requests to the authorization endpoint
//	            functions TestPathsOpenToOtherOrigins
//	4.2.4   nothing of a request leaks by Referer
//	            site: Referrer-Policy same-origin, nothing is loaded from
//	            elsewhere; TestEveryAnswerHasSecurityHeaders
//	4.3.1   a code in the browser's history is worth nothing
//	            once and ten minutes: TestReplayedCodeRevokesWhatItGave,
//	            TestCodeExpires; or it never gets there: response_mode
//	            form_post, accountapi TestResponseModes
//	4.3.2   no access token in an address
//	            not met: REST calls may carry access_token in the query, as
//	            the interface has it. No answer puts one there, and none is
//	            logged: functions TestNoSecretIsLogged
//	4.4.2   responses to requests with openid name the issuer (RFC 9207)
//	            reply.with; TestResponsesToOpenIDRequestsNameTheIssuer
//	4.5     a stolen code is of no use to another client or browser
//	            bound to the client, redirect URI and challenge:
//	            TestCodeExchangeErrors; the nonce: oauthapi TestIDTokenClaims
//	4.6     a client checks whose token it got
//	            clients do; the id_token has aud: oauthapi TestIDTokenClaims
//	4.7     requests that another site forges
//	            state goes back unchanged: accountapi
//	            TestAuthorizationCodeFlow. Forms of this site: site
//	            TestFormsOfOtherSitesAreRefused
//	4.9     tokens are not to be found at the server
//	            made from the grant, never stored:
//	            TestCredentialNeedsTheGrantsNonce
//	4.10    a stolen access token
//	            see 2.2.1
//	4.11.2  a good client_id and redirect URI come before any redirect, and a
//	        sign-in before an error
//	            Server.Check; accountapi
//	            TestErrorIsNotSentOnBeforeSomebodySignsIn
//	4.12    no 307 after a form with credentials
//	            303, site.Redirect; the answer for the client is 302, which
//	            browsers follow with GET: accountapi TestAuthorizationCodeFlow
//	4.13    headers that a proxy is to have written
//	            none is believed: accountapi
//	            TestSignInThrottlesAnAddressAtAnAccount
//	4.14.2  a refresh token that comes again ends its grant
//	            Server.reused; TestReusedRefreshToken. Not in the first ten
//	            seconds, in which clients race themselves
//	4.14.2  refresh tokens end when nobody uses them
//	            Grant.Idle; TestGrantIdlesOut
//	4.14.2  refresh tokens may end with the password
//	            optional, and they do not: the user ends them on the page of
//	            authorized applications
//	4.15    no client passes for a user
//	            no client credentials grant,
//	            TestOtherGrantTypesAreUnsupported; a client_id is 64
//	            hexadecimal characters made up here, a sub the user's number:
//	            TestRegister
//	4.16    no frames around what the user decides
//	            site: frame-ancestors 'none';
//	            TestEveryAnswerHasSecurityHeaders
//	4.17    messages between windows
//	            not applicable: no page sends or takes any
package oauth
