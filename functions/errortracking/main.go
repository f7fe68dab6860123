// Command errortracking is the Lambda function behind the routes of the group errortracking.
package main

import (
	"context"
	"log"

	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(errortrackingapi.New(app))
}
