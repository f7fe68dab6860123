package dynamodb

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
)

// table is what distinguishes the name of a table from those beside it.
type table string

const (
	directory    table = "directory"
	applications table = "applications"
	tokens       table = "tokens"
	clientKeys   table = "client-keys"
	alerts       table = "alerts"
)

// key finds one item; without a sort key it names a partition.
type key struct {
	table
	pk, sk string
}

// The longest keys that DynamoDB takes, in bytes.
const maxPK, maxSK = 2048, 1024

// possible reports whether an item can have the key. Some keys hold words that
// a stranger sent.
func (k key) possible() bool { return len(k.pk) <= maxPK && len(k.sk) <= maxSK }

func (k key) item() item {
	return item{"pk": &types.AttributeValueMemberS{Value: k.pk}, "sk": &types.AttributeValueMemberS{Value: k.sk}}
}

// entry returns the key of a list's entry for the thing with this number.
func (k key) entry(id int64) key {
	k.sk += padded(id)
	return k
}

// padded writes a number so that the order of the text is that of the numbers.
func padded(id int64) string { return fmt.Sprintf("%019d", id) }

func numbered(t table, pk string, id int64, sk string) key {
	return key{t, pk + strconv.FormatInt(id, 10), sk}
}

var (
	userIDs    = key{directory, "COUNTER#users", "COUNTER"}
	groupIDs   = key{directory, "COUNTER#groups", "COUNTER"}
	projectIDs = key{directory, "COUNTER#projects", "COUNTER"}
	clientIDs  = key{applications, "COUNTER#apps", "COUNTER"}
	tokenIDs   = key{tokens, "COUNTER#pats", "COUNTER"}

	integrationIDs = key{directory, "COUNTER#integrations", "COUNTER"}
	environmentIDs = key{directory, "COUNTER#environments", "COUNTER"}
)

var (
	userList    = key{directory, "LIST#users", ""}
	groupList   = key{directory, "LIST#groups", ""}
	projectList = key{directory, "LIST#projects", ""}
	clientList  = key{applications, "LIST#apps", ""}
	tokenList   = key{tokens, "LIST#pats", ""}
)

var signingKeysKey = key{tokens, "SIGNINGKEYS", "SIGNINGKEYS"}

func clientListOf(ownerID int64) key { return numbered(applications, "OWNER#", ownerID, "APP#") }
func tokenListOf(userID int64) key   { return numbered(tokens, "USER#", userID, "PAT#") }

func userKey(id int64) key    { return numbered(directory, "USER#", id, "USER") }
func groupKey(id int64) key   { return numbered(directory, "GROUP#", id, "GROUP") }
func projectKey(id int64) key { return numbered(directory, "PROJECT#", id, "PROJECT") }

// pathKey claims a full path for a user's namespace, a group or a project.
// Paths nest deeper than a key is long; a digest stands in for a long one.
func pathKey(fullPath string) key {
	return key{directory, "PATH#" + bounded(strings.ToLower(fullPath)), "PATH"}
}

// bounded returns the word, or what stands in for one that is too long.
func bounded(word string) string {
	if len(word) > 1024 {
		return "sha256:" + secret.NewText(word).Digest().String()
	}
	return word
}

// intakeKey and integrationKey lie beside the claim to the project's path.
func intakeKey(projectPath string) key { k := pathKey(projectPath); k.sk = "INTAKE"; return k }

func integrationsOf(projectPath string) key {
	k := intakeKey(projectPath)
	k.sk += "#"
	return k
}

func integrationKey(projectPath, endpoint string) key {
	k := integrationsOf(projectPath)
	k.sk += endpoint
	return k
}

func emailKey(address string) key {
	return key{directory, "EMAIL#" + strings.ToLower(address), "EMAIL"}
}

// placeKey finds the place itself.
func placeKey(p project.Place) key {
	if p.Kind == project.InProject {
		return projectKey(p.ID)
	}
	return groupKey(p.ID)
}

// membersOf and membershipsOf are the two partitions that hold a membership.
func membersOf(p project.Place) key { k := placeKey(p); k.sk = "MEMBER#"; return k }

func membershipsOf(userID int64) key { return numbered(directory, "USER#", userID, "MEMBER#") }

func memberKeys(m project.Member) (ofPlace, ofUser key) {
	ofUser = membershipsOf(m.UserID)
	ofUser.sk += string(m.Kind) + "#" + padded(m.ID)
	return membersOf(m.Place).entry(m.UserID), ofUser
}

func clientKey(clientID string) key { return key{applications, "APP#" + clientID, "APP"} }

func grantsByUser(userID int64) key { return numbered(tokens, "USER#", userID, "GRANT#") }

func grantsOf(userID, clientID int64) key {
	k := grantsByUser(userID)
	k.sk += padded(clientID) + "#"
	return k
}

func grantKey(id oauth.GrantID) key {
	k := grantsOf(id.UserID, id.ClientID)
	k.sk += hex.EncodeToString(id.Random[:])
	return k
}

func sessionsOf(userID int64) key { return numbered(tokens, "USER#", userID, "SESSION#") }

func sessionKey(userID int64, id string) key { k := sessionsOf(userID); k.sk += id; return k }

func factorKey(userID int64) key { return numbered(tokens, "USER#", userID, "TWOFACTOR") }

func tokenKey(d secret.Digest) key { return key{tokens, "PAT#" + d.String(), "PAT"} }

func attemptsKey(k throttle.Key) key { return key{tokens, "ATTEMPTS#" + k.String(), "ATTEMPTS"} }

// auditOn and auditOf are the two partitions that hold an audit entry: of the
// day, like "2026-08-01", and of the user.
func auditOn(day string) key { return key{tokens, "AUDIT#" + day, "AUDIT#"} }

func auditOf(userID int64) key { return numbered(tokens, "USER#", userID, "AUDIT#") }

func trackingKey(projectID int64) key { return numbered(clientKeys, "PROJECT#", projectID, "SETTINGS") }

func clientKeyKey(id int64) key { return numbered(clientKeys, "KEY#", id, "KEY") }

func clientKeyListOf(projectID int64) key { return numbered(clientKeys, "PROJECT#", projectID, "KEY#") }

// clientKeyEntry puts the key in its project's list by when it was made, since
// ids are in no order.
func clientKeyEntry(k errortracking.ClientKey) key {
	list := clientKeyListOf(k.ProjectID)
	list.sk += padded(k.CreatedAt.UnixMicro()) + "#"
	return list.entry(k.ID)
}

// goneProjects lists deleted projects that may have alerts left.
var goneProjects = key{alerts, "LIST#gone", ""}

func alertIIDs(projectID int64) key { return numbered(alerts, "COUNTER#", projectID, "COUNTER") }

func alertsOf(projectID int64) key { return numbered(alerts, "PROJECT#", projectID, "ALERT#") }

// openOf is the partition of what is open with a fingerprint: the slot, and an
// entry for each alert that is not grouped.
func openOf(projectID int64, f alert.Fingerprint) key {
	k := numbered(alerts, "OPEN#", projectID, "")
	k.pk += "#" + bounded(string(f))
	return k
}

func slotKey(projectID int64, f alert.Fingerprint) key {
	k := openOf(projectID, f)
	k.sk = "SLOT"
	return k
}

// aloneKey is that of the entry for an open alert that is not grouped.
func aloneKey(a alert.Alert) key {
	k := openOf(a.ProjectID, a.Fingerprint)
	k.sk = "ALONE#"
	return k.entry(a.IID)
}

func payloadKeys(name string, chunks int64) []key {
	var keys []key
	for n := range chunks {
		keys = append(keys, key{alerts, "PAYLOAD#" + name, ""}.entry(n))
	}
	return keys
}
