// Command alerts is the Lambda function behind the routes of the group alerts.
package main

import (
	"gatehouse/functions/alerts/alertsapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(alertsapi.New) }
