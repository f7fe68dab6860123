// Command account is the Lambda function behind the routes of the group account.
package main

import (
	"gatehouse/functions/account/accountapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(accountapi.New) }
