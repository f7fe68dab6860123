package backend

import (
	"fmt"
	"io"

	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

// ShowRoot prints the first administrator's credentials, except those from the
// environment.
func ShowRoot(w io.Writer, root boot.Root, env boot.Env) {
	shown := func(made, given secret.Text, variable string) string {
		if given.Empty() {
			return made.Reveal()
		}
		return "as given in " + variable
	}
	fmt.Fprintf(w, "The administrator, shown this once:\n  user name  %s\n  password   %s\n  token      %s   (scopes api, sudo)\n",
		boot.RootName, shown(root.Password, env.RootPassword, "GATEHOUSE_ROOT_PASSWORD"), shown(root.Token, env.RootToken, "GATEHOUSE_ROOT_TOKEN"))
}
