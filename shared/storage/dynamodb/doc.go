// Package dynamodb is the distributed store: five Amazon DynamoDB tables and
// nothing else. It has no secondary indexes, because their reads lag behind
// writes. A list is a partition of small items, written in the same transaction
// as the things they list, so that every read is consistent.
//
// A call about a group or project takes two steps before its own work, each of
// requests in parallel: the caller's token, and then all that tells whether the
// caller may make the call. A group or project that is named by its path takes one
// step more. So does a caller with more than 25 memberships, and no more however
// many these are: then those in the group or project and above it are read.
//
// A write is one conditional UpdateItem, PutItem, DeleteItem or transaction. It
// leaves its own nonce on the items it writes. When the SDK repeats a request
// because the answer was lost, the store finds that nonce and knows that the
// first request succeeded.
//
// These are the kinds of items. A <word> stands for a value. Numbers in sort
// keys are padded with zeros, so that a list in reverse is the newest first.
//
//	table         pk                             sk                         is                                                                                             ttl
//	alerts        ASSIGNED#<user>                <time>#<project>#<iid>     an alert in the list of those that wait for a user
//	alerts        BYSEVERITY#<project>#<status>  <rank>#<iid>               an alert among those with the status, by its severity                                          with the alert
//	alerts        COUNTER#<project>              COUNT#<shard>              a part of the numbers of alerts by status and severity
//	alerts        COUNTER#<project>              COUNTER                    the last iid in a project
//	alerts        COUNTER#<project>              COUNTEXPIRY#<day>#<shard>  a part of the numbers of alerts that expire when the day begins, by severity
//	alerts        DAYS#<project>                 <day>#<shard>              a part of the numbers of alerts that were opened on a day                                      three months later
//	alerts        LATEST#<project>#<iid>         <number>                   a chunk of the newest payload of a repeat                                                      with the alert
//	alerts        LIST#gone                      <id>                       a deleted project that may have alerts left
//	alerts        OPEN#<project>#<fingerprint>   ALONE#<iid>                an open alert that is not grouped
//	alerts        OPEN#<project>#<fingerprint>   SLOT                       counts the events of an open alert
//	alerts        PAYLOAD#<name>                 <number>                   a chunk of a payload or a sample                                                               with the alert of a payload
//	alerts        PROJECT#<id>                   ALERT#<iid>                an alert                                                                                       when it expires, if it does
//	alerts        STATUS#<project>#<status>      <iid>                      an alert in the list of those with the status, with what orders and filters need               with the alert
//	applications  APP#<client_id>                APP                        an application
//	applications  COUNTER#apps                   COUNTER                    the last number of an application
//	applications  LIST#apps                      <number>                   finds an application by its number
//	applications  LIST#apps                      COUNT                      how many applications there are
//	applications  OWNER#<user>                   APP#<number>               an application in the list of its owner
//	applications  OWNER#<user>                   APPS                       how many applications an owner has
//	client-keys   KEY#<id>                       KEY                        a client key; its id is part of it
//	client-keys   PROJECT#<id>                   KEY#<time>#<id>            a client key in the list of its project
//	client-keys   PROJECT#<id>                   SETTINGS                   the error tracking of a project
//	directory     ATTENTION#<group>              <rank>#<project>           a project in the list of a group above it: with the rank of what is open in it, and with zero
//	directory     BELOW#<group>                  <visibility>#<kind>#<id>   a group or project in the list of a group above it
//	directory     COUNT#<shard>                  COUNT                      how many users, groups and projects there are
//	directory     COUNTER#<kind>                 COUNTER                    the last id of a kind
//	directory     EMAIL#<address>                EMAIL                      who has the e-mail address
//	directory     GROUP#<id>                     GROUP                      a group or a user's namespace
//	directory     GROUP#<id>                     MEMBER#<user>              a membership, found from the group
//	directory     GROUP#<id>                     MEMBERS                    how many members a group has
//	directory     IMPORT                         IMPORT                     how far an import has come, until it has ended
//	directory     LIST#groups                    <id>                       a group in the list of all, with what filters need
//	directory     LIST#projects                  <id>                       a project in the list of all, with what filters need
//	directory     LIST#reserved-paths            <path>                     a reserved path in the list of all                                                             a year after its user or group
//	directory     LIST#users                     <id>                       a user in the list of all
//	directory     LIST#visible-groups            <id>                       a group in the list of those that are not private
//	directory     LIST#visible-projects          <id>                       a project in the list of those that are not private
//	directory     LISTS                          COMPLETE                   says that all users, groups and projects are listed
//	directory     PATH#<full_path>               INTAKE                     a project's rules for alerts, and environments
//	directory     PATH#<full_path>               INTAKE#<endpoint>          an integration of a project
//	directory     PATH#<full_path>               PATH                       who has the path, or for whom it is reserved                                                   a year after its user or group
//	directory     PROJECT#<id>                   ATTENTION                  how many alerts and incidents of a project are open
//	directory     PROJECT#<id>                   MEMBER#<user>              a membership, found from the project
//	directory     PROJECT#<id>                   MEMBERS                    how many members a project has
//	directory     PROJECT#<id>                   PROJECT                    a project
//	directory     RECORDS#<place>                COUNT#<kind>               how many records of the kind there are
//	directory     RECORDS#<place>                COUNTER#<kind>             the last number of a kind of records that the place counts
//	directory     RECORDS#<place>                ENTRY#<list>#<kind>#<id>   a record in a list of the place                                                                with the record
//	directory     RECORDS#<place>                RECORD#<kind>#<number>     a record that the REST API keeps                                                               when it expires, if it does
//	directory     RECORDS#<place>                WORD#<kind>#<word>         the record that alone has the word in a field                                                  with the record
//	directory     USER#<id>                      MEMBER#<kind>#<place>      a membership, found from the user
//	directory     USER#<id>                      USER                       a user
//	messages      DEAD#<project>                 <number>                   a message that could not be handled                                                            30 days later
//	messages      LANE#<lane>                    <seq>                      a message about what has to follow from a change
//	messages      SLOW#<lane>                    <seq>                      one to a receiver that may be slow
//	tokens        APP#<client>                   PERSON#<user>              a user with a summary of their grants to the application
//	tokens        APP#<client>                   USE                        the day of the last use of an application
//	tokens        ATTEMPTS#<key>                 ATTEMPTS                   a counter of failed attempts or invitations                                                    a window after the last
//	tokens        AUDIT#<day>                    AUDIT#<id>                 an audit entry of a release before                                                             a year
//	tokens        AUDIT#<month>                  AUDIT#<id>                 an audit entry among those of the month                                                        a year
//	tokens        AUDIT#<month>#<event>          AUDIT#<id>                 an audit entry among those of the event                                                        a year
//	tokens        AUDIT#PROJECT#<id>             AUDIT#<id>                 an audit entry among those of the project                                                      a year
//	tokens        COUNTER#pats                   COUNTER                    the last id of a token
//	tokens        DEPRECATED#CALLER#<caller>     <day>#<entry>              how often an application, token or user used something deprecated on a day                     90 days
//	tokens        DEPRECATED#ENTRY#<entry>       <day>#<caller>             a caller in the list of a deprecated entry                                                     90 days
//	tokens        LIST#pats                      <id>                       finds a token by its id
//	tokens        LIST#pats                      COUNT                      how many tokens there are
//	tokens        PAT#<digest>                   PAT                        a personal access token
//	tokens        SIGNINGKEYS                    SIGNINGKEYS                the keys of id_tokens, sealed
//	tokens        USER#<id>                      AUDIT#<event>#<id>         an audit entry among those of the user and event                                               a year
//	tokens        USER#<id>                      AUDIT#<id>                 an audit entry among those of the user                                                         a year
//	tokens        USER#<id>                      GRANT#<client>#<random>    a grant                                                                                        a day after its end
//	tokens        USER#<id>                      PAT#<id>                   a token in the list of its user
//	tokens        USER#<id>                      PATS                       how many tokens a user has
//	tokens        USER#<id>                      SESSION#<id>               a session; its id begins with the time                                                         at its end
//	tokens        USER#<id>                      SUMMARIES                  says that the user's grants are all in summaries
//	tokens        USER#<id>                      SUMMARY#<client>           the summary of a user's grants to an application
//	tokens        USER#<id>                      TWOFACTOR                  the second factor of a user
//
// Paths and e-mail addresses are in lower case in keys. A digest stands for a
// path or fingerprint that is too long for a key. The attribute "ttl" only
// cleans up: DynamoDB removes items late, so readers check expiry themselves.
//
// An alert has a slot while it is open. Each occurrence is one small
// unconditional update of the slot. The caller whose update creates the slot
// opens the alert: it numbers the alert on the slot, stores the payload, stores
// the alert, and marks the slot as opened. All other callers only count. If a
// caller dies midway, the next one finishes its work; every step is idempotent.
// Each update leaves a mark, and the slot keeps those of the last eight. When an
// answer is lost, the update is repeated on condition that its mark is not there.
// If eight others came in between, that shows nothing, and the sender decides.
//
// An alert is resolved or reopened in one transaction with its slot, which is
// removed or created with it. The transaction requires that the slot has counted
// nothing since it was read; otherwise it is tried again.
//
// The transaction that stores an alert also puts it into two lists of its status, by
// its number and by its severity, and counts it for its status and severity and for
// its day. A change moves it in its own transaction, of at most nine items. The counts
// of a project are spread over sixteen items by the numbers of the alerts: the alerts
// of one webhook follow each other, and transactions on one item would collide. Orders
// for which there is no key sort some of the newest entries at a time.
//
// An alert notes with which status it is listed and counted. If an earlier release
// stored or changed it, it comes to where it belongs with its next change or with
// ListAlerts. The counter of a project tells whether there are alerts that are in no
// list: it counts how many numbers went to alerts that were listed when they were
// opened. Meanwhile the lists of the project read its newest alerts themselves, and
// no totals are known.
//
// The alerts of a deleted project are removed after it, at most a thousand in
// one request. A mark, written in the transaction that deletes the project, has
// the deletion of the next project remove the rest. They are unreachable
// meanwhile, because ids of projects are never reused.
//
// An audit entry is written four times, or five in a project, in parallel and
// without a condition: writing it again writes the same entry, or its outcome. The
// entries of everybody, and of an event, have a partition for each month (UTC), so
// that no partition grows forever.
//
// The use of a grant is recorded at most once a minute, also in the summary of the
// user's grants to the application. It keeps the nonce of the write before, which
// may still be looked for. Grants of a release before get into summaries when the
// user's are listed for the first time.
//
// A list of groups or projects is merged from partitions: what everyone sees, and
// what is private below each group of the viewer. The transaction that creates,
// changes or deletes a group or project keeps its entries there, one for each group
// above it, and the counts in these groups and of the instance. A page reads as many
// entries of each partition as it shows, and then the things themselves. A viewer
// pays two read units for each group that they are a direct member of: one for its
// list, and one for what it counts. The groups of a person with those below cost one
// for each that they are a direct member of, one for each list in which there are
// others, by the visibility, and one for each of these others. A search among
// projects that the viewer joined one by one reads these, at a unit each.
//
// A directory that an earlier release filled lacks these entries until FillLists
// has added them. Its lists are read from those of everything until then.
//
// Other lists are read up to the page that is asked for. Lists of tokens, applications
// and members with up to 100 entries are counted each time. The first time that a
// longer one is counted, all of it is read; from then on, what adds or removes an
// entry keeps the count in its transaction. Client keys
// are counted each time, up to page.CountLimit of them. Lists of sessions, grants,
// memberships and audit entries have no totals.
// The records of a place are in one partition, with what only one of them has and
// their count, which the same transactions write. A record is changed in one update,
// unless one of its words changes. Those of a deleted place are removed right after it.
// DynamoDB itself removes a record that has expired, its words and its entries in lists,
// which nothing counts down.
//
// Other lists are read up to the page that is asked for, and for the total up to
// page.CountLimit entries: about 1 MB or one request.
package dynamodb
