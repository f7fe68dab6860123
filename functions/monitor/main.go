// Command monitor is the Lambda function behind the routes of the group monitor.
package main

import (
	"gatehouse/functions/monitor/monitorapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(monitorapi.New) }
