package audit

import "log/slog"

// Name says what kind of event it is. Names are stable: others search logs for
// them.
type Name string

// The names. Kinds tells what each means.
const (
	SignIn          Name = "user.sign_in"
	SignInFailed    Name = "user.sign_in_failed"
	SignInThrottled Name = "user.sign_in_throttled"
	SignOut         Name = "user.sign_out"
	SessionRevoked  Name = "session.revoked"
	SessionsRevoked Name = "session.others_revoked"

	UserCreated     Name = "user.created"
	UserChanged     Name = "user.changed"
	UserDeleted     Name = "user.deleted"
	UserBlocked     Name = "user.blocked"
	UserUnblocked   Name = "user.unblocked"
	AdminGranted    Name = "user.admin_granted"
	AdminRevoked    Name = "user.admin_revoked"
	PasswordChanged Name = "user.password_changed"
	PasswordRefused Name = "user.password_refused"

	TwoFactorEnabled     Name = "two_factor.enabled"
	TwoFactorDisabled    Name = "two_factor.disabled"
	RecoveryCodesRenewed Name = "two_factor.recovery_codes_renewed"
	RecoveryCodeUsed     Name = "two_factor.recovery_code_used"

	Consent              Name = "oauth.consent"
	TokenIssued          Name = "oauth.token_issued"
	TokenRefreshed       Name = "oauth.token_refreshed"
	TokenRevoked         Name = "oauth.token_revoked"
	CodeReused           Name = "oauth.code_reused"
	RefreshTokenReused   Name = "oauth.refresh_token_reused"
	AuthorizationRevoked Name = "oauth.authorization_revoked"

	ApplicationCreated Name = "application.created"
	ApplicationChanged Name = "application.changed"
	ApplicationDeleted Name = "application.deleted"
	SecretRenewed      Name = "application.secret_renewed"

	AccessTokenCreated Name = "access_token.created"
	AccessTokenRotated Name = "access_token.rotated"
	AccessTokenRevoked Name = "access_token.revoked"

	GroupCreated   Name = "group.created"
	GroupChanged   Name = "group.changed"
	GroupDeleted   Name = "group.deleted"
	ProjectCreated Name = "project.created"
	ProjectChanged Name = "project.changed"
	ProjectDeleted Name = "project.deleted"

	MemberAdded   Name = "member.added"
	MemberChanged Name = "member.role_changed"
	MemberRemoved Name = "member.removed"
	SudoUsed      Name = "sudo.used"

	IntegrationCreated  Name = "integration.created"
	IntegrationChanged  Name = "integration.changed"
	IntegrationEnabled  Name = "integration.enabled"
	IntegrationDisabled Name = "integration.disabled"
	IntegrationDeleted  Name = "integration.deleted"
	IntegrationKeyReset Name = "integration.key_reset"

	AlertSettingsChanged Name = "alert_settings.changed"

	TrackingChanged  Name = "error_tracking.changed"
	ClientKeyCreated Name = "client_key.created"
	ClientKeyDeleted Name = "client_key.deleted"
)

// Kind is what there is to know of a Name.
type Kind struct {
	Name    Name
	Title   string // what happened, in words for its user
	level   slog.Level
	logOnly bool
}

// Kinds lists every kind of event, those that belong together side by side.
var Kinds = []Kind{
	{Name: SignIn, Title: "Signed in"},
	{Name: SignInFailed, Title: "Sign-in failed", level: slog.LevelWarn},
	{Name: SignInThrottled, Title: "Sign-in throttled", level: slog.LevelWarn, logOnly: true},
	{Name: SignOut, Title: "Signed out"},
	{Name: SessionRevoked, Title: "Ended a session"},
	{Name: SessionsRevoked, Title: "Signed out everywhere else"},

	{Name: UserCreated, Title: "Account created"},
	{Name: UserChanged, Title: "Account changed"},
	{Name: UserDeleted, Title: "Account deleted"},
	{Name: UserBlocked, Title: "Account blocked"},
	{Name: UserUnblocked, Title: "Account unblocked"},
	{Name: AdminGranted, Title: "Became an administrator"},
	{Name: AdminRevoked, Title: "Stopped being an administrator"},
	{Name: PasswordChanged, Title: "Password changed"},
	{Name: PasswordRefused, Title: "Wrong password in the settings", level: slog.LevelWarn},
	{Name: TwoFactorEnabled, Title: "Two-factor authentication turned on"},
	{Name: TwoFactorDisabled, Title: "Two-factor authentication turned off"},
	{Name: RecoveryCodesRenewed, Title: "New recovery codes made"},
	{Name: RecoveryCodeUsed, Title: "Recovery code used"},

	{Name: Consent, Title: "Application authorized"},
	{Name: TokenIssued, Title: "Application got access"},
	{Name: TokenRefreshed, Title: "Application renewed its access", logOnly: true},
	{Name: TokenRevoked, Title: "Application gave up its access"},
	{Name: CodeReused, Title: "Authorization code reused, access revoked", level: slog.LevelWarn},
	{Name: RefreshTokenReused, Title: "Refresh token reused, access revoked", level: slog.LevelWarn},
	{Name: AuthorizationRevoked, Title: "Application’s access revoked"},

	{Name: ApplicationCreated, Title: "Application registered"},
	{Name: ApplicationChanged, Title: "Application changed"},
	{Name: ApplicationDeleted, Title: "Application deleted"},
	{Name: SecretRenewed, Title: "Application’s secret renewed"},

	{Name: AccessTokenCreated, Title: "Access token made"},
	{Name: AccessTokenRotated, Title: "Access token rotated"},
	{Name: AccessTokenRevoked, Title: "Access token revoked"},

	{Name: GroupCreated, Title: "Group made"},
	{Name: GroupChanged, Title: "Group changed"},
	{Name: GroupDeleted, Title: "Group deleted"},
	{Name: ProjectCreated, Title: "Project made"},
	{Name: ProjectChanged, Title: "Project changed"},
	{Name: ProjectDeleted, Title: "Project deleted"},

	{Name: MemberAdded, Title: "Became a member"},
	{Name: MemberChanged, Title: "Membership changed"},
	{Name: MemberRemoved, Title: "Membership ended"},
	{Name: SudoUsed, Title: "An administrator acted as this user"},

	{Name: IntegrationCreated, Title: "Alert integration added"},
	{Name: IntegrationChanged, Title: "Alert integration changed"},
	{Name: IntegrationEnabled, Title: "Alert integration switched on"},
	{Name: IntegrationDisabled, Title: "Alert integration switched off"},
	{Name: IntegrationDeleted, Title: "Alert integration deleted"},
	{Name: IntegrationKeyReset, Title: "Alert integration’s key reset"},
	{Name: AlertSettingsChanged, Title: "Rules for alerts changed"},

	{Name: TrackingChanged, Title: "Error tracking changed"},
	{Name: ClientKeyCreated, Title: "Client key made"},
	{Name: ClientKeyDeleted, Title: "Client key deleted"},
}

var kinds = byName()

func byName() map[Name]Kind {
	all := map[Name]Kind{}
	for _, k := range Kinds {
		all[k.Name] = k
	}
	return all
}

// Kind returns what there is to know of the name; false: there is no such.
func (n Name) Kind() (Kind, bool) {
	k, ok := kinds[n]
	return k, ok
}

// Stored reports whether such an event is stored, or in the log alone.
func (k Kind) Stored() bool { return !k.logOnly }
