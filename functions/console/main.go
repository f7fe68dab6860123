// Command console is the Lambda function behind the routes of the group console.
package main

import (
	"gatehouse/functions/console/consoleapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(consoleapi.New) }
