package main

// advice says by the name of a shape what to do when one of its partitions is too
// busy.
var advice = map[string]string{
	"alerts COUNTER#<project>":             newAlerts,
	"alerts PROJECT#<id>":                  newAlerts,
	"alerts STATUS#<project>#<status>":     newAlerts,
	"alerts BYSEVERITY#<project>#<status>": newAlerts,
	"alerts DAYS#<project>":                newAlerts,
	"alerts OPEN#<project>#<fingerprint>":  "One alert repeats too often. It is one item, which DynamoDB never splits: have the monitoring tool repeat it less often.",
	"directory PATH#<full_path>":           "One project gets too many payloads: have the monitoring tool put several alerts into one, as Alertmanager does, or send to several projects.",
	"directory PROJECT#<id>":               "One project is asked for too often: have scripts keep what they read, or ask less often.",
	"directory USER#<id>":                  oneUser,
	"tokens USER#<id>":                     oneUser,
	"tokens PAT#<digest>":                  "One personal access token is used too often: give each script a token of a user of its own.",
	"tokens ATTEMPTS#<key>":                "One user signs in too often: let scripts use tokens.",
	"applications APP#<client_id>":         "One application asks for too many tokens: let it keep them until they expire, or register it several times.",
	"directory GROUP#<id>":                 oneGroup,
	"directory BELOW#<group>":              oneGroup,
	"directory ATTENTION#<group>":          oneGroup,
	"alerts ASSIGNED#<user>":               oneUser,
	"directory LIST#visible-projects":      everybodysLists,
	"directory LIST#visible-groups":        everybodysLists,
	"directory LIST#projects":              "Administrators list everything too often: let scripts list the groups that they are about.",
	"directory LIST#users":                 creations,
	"directory LIST#groups":                creations,
	"tokens LIST#pats":                     creations,
	"tokens COUNTER#pats":                  creations,
	"applications LIST#apps":               creations,
	"directory COUNT#<shard>":              "The totals of lists are read too often: read them with eventual consistency, at half the price, or keep them for a second.",
	"tokens AUDIT#<month>":                 trail,
	"tokens AUDIT#<month>#<event>":         trail,
	"tokens SIGNINGKEYS":                   "The signing keys are read too often: functions end too soon to keep them.",
}

const (
	newAlerts = "One project opens too many alerts: group them by fewer labels, so that they repeat an open alert, or send them to several projects. " +
		"A project bears some 200 a second that begin and end."
	creations       = "Too many users, groups, tokens or applications are made at once: spread that over a longer time."
	oneUser         = "One user makes too many requests: give scripts users of their own."
	oneGroup        = "Too many people see their projects through one group: make them members of the groups below it."
	everybodysLists = "Too many people look or search for what is internal or public: read the list with eventual consistency, at half the price, or keep its entries for a second."
	trail           = "Too many events go into the audit trail: give a month several partitions, which a page merges."
)
