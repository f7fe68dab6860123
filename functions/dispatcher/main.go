// Command dispatcher is the Lambda function that handles messages: those of the stream of
// their table, and on a schedule all that are due.
package main

import (
	"gatehouse/functions/dispatcher/dispatcherapi"
	"gatehouse/shared/boot"
	"gatehouse/shared/boot/dispatching"
)

func main() {
	boot.StartEvents(func(b boot.Booted) boot.EventHandler {
		return dispatcherapi.New(dispatching.New(b.Env, b.App, b.Store, b.Keys), dispatching.LaneOf)
	})
}
