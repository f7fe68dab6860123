// Command account is the Lambda function behind the routes of the group account.
package main

import (
	"context"
	"log"

	"gatehouse/functions/account/accountapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(accountapi.New(app))
}
