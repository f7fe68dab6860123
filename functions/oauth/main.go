// Command oauth is the Lambda function behind the routes of the group oauth.
package main

import (
	"gatehouse/functions/oauth/oauthapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(oauthapi.New) }
