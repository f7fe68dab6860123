package main

import (
	"fmt"
	"io"

	"gatehouse/scripts/backend"
	"gatehouse/shared/boot"
)

// welcome prints where the server is, how to sign in, and three things to try. It
// shows generated credentials once, and none from the environment, because the output
// may be kept.
func welcome(w io.Writer, base string, root boot.Root, made bool, env boot.Env, demo *demoAccount) {
	fmt.Fprintf(w, "\nGatehouse is at %s\n", base)
	token := "YOUR-TOKEN"
	if made {
		fmt.Fprintf(w, "\nThis is the first start. ")
		backend.ShowRoot(w, root, env)
		if env.RootToken.Empty() {
			token = root.Token.Reveal()
		}
	}
	if demo != nil {
		fmt.Fprintf(w, "\nThe demonstration has users with the password %s:\n  %s\n", demo.password, demo.users)
		fmt.Fprintf(w, "alerts, for the first three: %s/console/%s/alerts\n", base, demo.project)
		fmt.Fprintf(w, "and the application %q: client_id %s\n", demo.application, demo.clientID)
	}
	fmt.Fprintf(w, `
Try:
  1. Sign in and register an application:  %[1]s/user_settings/applications
  2. Ask the API who you are:              curl -H "PRIVATE-TOKEN: %[2]s" %[1]s/api/v4/user
  3. See that the service is well:         curl %[1]s/-/health
`, base, token)
	fmt.Fprintln(w)
}
