// Command alerts is the Lambda function behind the routes of the group alerts.
package main

import (
	"context"
	"log"

	"gatehouse/functions/alerts/alertsapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(alertsapi.New(app))
}
