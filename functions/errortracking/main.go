// Command errortracking is the Lambda function behind the routes of the group errortracking.
package main

import (
	"gatehouse/functions/errortracking/errortrackingapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(errortrackingapi.New) }
