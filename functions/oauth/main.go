// Command oauth is the Lambda function behind the routes of the group oauth.
package main

import (
	"context"
	"log"

	"gatehouse/functions/oauth/oauthapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(oauthapi.New(app))
}
