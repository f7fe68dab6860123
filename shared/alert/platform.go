package alert

import (
	"regexp"

	"gatehouse/shared/payload"
)

// Names of members that follow a prefix: "platform" here, and the platform's own
// name elsewhere.
const (
	environmentName  = "environment_name"
	incidentMarkdown = "incident_markdown"
	yLabel           = "y_label"
)

var word = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// platform returns the member platform_<name> or, if that is blank, the only
// member <word>_<name>, so that tools that are set up for another platform keep
// working. Two such members are ambiguous and ignored.
func platform(object payload.Object, name string) (string, any) {
	neutral := "platform_" + name
	if value := object[neutral]; !payload.Blank(value) {
		return neutral, value
	}
	found := ""
	for member := range object {
		if member == neutral || !isAlias(member, name) {
			continue
		}
		if found != "" {
			return "", nil
		}
		found = member
	}
	if found == "" {
		return "", nil
	}
	return found, object[found]
}

func isAlias(member, name string) bool {
	prefix := len(member) - len(name) - 1
	return prefix > 0 && member[prefix:] == "_"+name && word.MatchString(member[:prefix])
}
