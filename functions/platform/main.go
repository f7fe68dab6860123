// Command platform is the Lambda function behind the routes of the group platform.
package main

import (
	"context"
	"log"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(platformapi.New(app))
}
