// Package dynamodb is the distributed store: five Amazon DynamoDB tables and
// nothing else running. It has no secondary indexes, whose reads lag behind
// writes. A list is a partition of small items that are written in the same
// transaction as the thing they list, so that every read here is consistent.
//
// A write is one conditional UpdateItem, PutItem, DeleteItem or transaction. It
// leaves its own nonce on the items it writes: a request that the SDK repeats
// because the answer was lost finds that nonce and knows that it succeeded the
// first time.
//
// The kinds of item, with their table, partition key and sort key. Numbers in
// sort keys are padded with zeros, so that a list in reverse is the newest
// first.
//
//	table         pk               sk                  is                                   ttl
//	directory     USER#id          USER                a user                               none
//	directory     USER#id          MEMBER#kind#place   a membership, found from the user    none
//	directory     GROUP#id         GROUP               a group or a user's namespace        none
//	directory     PROJECT#id       PROJECT             a project                            none
//	directory     GROUP#id         MEMBER#user         a membership, found from the group   none
//	directory     PROJECT#id       MEMBER#user         a membership, found from the project none
//	directory     PATH#full path   PATH                who has the path                     none
//	directory     PATH#full path   INTAKE              its rules for alerts, environments   none
//	directory     PATH#full path   INTAKE#endpoint     an integration of the project        none
//	directory     EMAIL#address    EMAIL               who has the e-mail address           none
//	directory     LIST#users       id                  an entry of the list of users        none
//	directory     LIST#groups      id                  likewise, with what filters need     none
//	directory     LIST#projects    id                  likewise, with what filters need     none
//	directory     COUNTER#kind     COUNTER             the last id of a kind                none
//	applications  APP#ClientID     APP                 a client                             none
//	applications  LIST#apps        number              its entry; finds it by its number    none
//	applications  OWNER#user       APP#number          its entry in its owner's list        none
//	applications  COUNTER#apps     COUNTER             the last number of a client          none
//	tokens        USER#id          GRANT#client#random a grant                              a day after its end
//	tokens        USER#id          SESSION#id          a session                            at its end
//	tokens        USER#id          TWOFACTOR           what a user signs in with besides    none
//	tokens        PAT#digest       PAT                 a personal access token              none
//	tokens        LIST#pats        id                  its entry; finds it by its id        none
//	tokens        USER#id          PAT#id              its entry in its user's list         none
//	tokens        COUNTER#pats     COUNTER             the last id of such a token          none
//	tokens        SIGNINGKEYS      SIGNINGKEYS         the keys of id_tokens, sealed        none
//	tokens        ATTEMPTS#key     ATTEMPTS            a counter of failed attempts         a window after the last
//	tokens        AUDIT#day        AUDIT#id            an audit entry, of everybody's       a year
//	tokens        USER#id          AUDIT#id            the same in its user's trail         a year
//	client-keys   PROJECT#id       SETTINGS            a project's error tracking           none
//	client-keys   KEY#id           KEY                 a client key; its id is part of it   none
//	client-keys   PROJECT#id       KEY#time#id         its entry in its project's list      none
//	alerts        OPEN#id#fingerprint SLOT             counts the events of an open alert   none
//	alerts        OPEN#id#fingerprint ALONE#iid        an open alert that is not grouped    none
//	alerts        PROJECT#id       ALERT#iid           an alert                             none
//	alerts        PAYLOAD#name     number              a chunk of a payload or a sample     none
//	alerts        COUNTER#id       COUNTER             a project's last iid                 none
//	alerts        LIST#gone        id                  a deleted project, for its alerts    none
//
// Paths and e-mail addresses are in lower case in keys, and a digest stands in
// for a path or fingerprint that is too long for one. The attribute "ttl"
// only cleans up, late and at DynamoDB's leisure; whoever reads a thing judges
// by its own times whether it has expired.
//
// The slot of an alert is there as long as that is open. A fire is one update of
// it, unconditional and small: whoever makes the slot with it opens the alert,
// numbers it on the slot, stores its payload and then the alert itself, and
// notes on the slot that it is there; all others count. What one left undone
// who ended amid that, the next one does who finds it undone after a while;
// every step may be done twice. An update that counts cannot be sent again when
// its answer is lost, so that it fails and the sender decides.
//
// An alert is resolved, and opened again, in one transaction with its slot,
// which goes and comes with it. The transaction holds only if the slot has
// counted nothing since it was read, and is made again otherwise.
//
// The alerts of a deleted project are removed with it, a thousand in one
// request at the most. A mark that is written in the transaction with the
// deletion has the deletion of the next project remove the others. Nobody
// reaches them: ids of projects are never given twice.
//
// An audit entry is written twice, side by side and without a condition: what
// writes it again writes the same, or how it ended. Everybody's are in a
// partition for each day (UTC), so that none grows for good.
//
// The use of a grant is noted at most once a minute, and without a nonce: that
// of the write before may still be looked for.
//
// A list is read up to the page that is asked for and, for its total, to
// page.CountLimit entries: about 1 MB or one request.
package dynamodb
