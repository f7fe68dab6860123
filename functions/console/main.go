// Command console is the Lambda function behind the routes of the group console.
package main

import (
	"context"
	"log"

	"gatehouse/functions/console/consoleapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(consoleapi.New(app))
}
