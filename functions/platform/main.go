// Command platform is the Lambda function behind the routes of the group platform.
package main

import (
	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(platformapi.New) }
