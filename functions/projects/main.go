// Command projects is the Lambda function behind the routes of the group projects.
package main

import (
	"gatehouse/functions/projects/projectsapi"
	"gatehouse/shared/boot"
)

func main() { boot.Start(projectsapi.New) }
