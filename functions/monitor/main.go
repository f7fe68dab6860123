// Command monitor is the Lambda function behind the routes of the group monitor.
package main

import (
	"context"
	"log"

	"gatehouse/functions/monitor/monitorapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(monitorapi.New(app))
}
