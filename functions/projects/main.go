// Command projects is the Lambda function behind the routes of the group projects.
package main

import (
	"context"
	"log"

	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/gateway"
)

func main() {
	app, err := boot.App(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	gateway.Start(projectsapi.New(app))
}
