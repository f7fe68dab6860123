package oauth

import (
	"maps"
	"slices"
)

// GrantTypes lists the grant types that the instance offers.
func (s *Server) GrantTypes() []string {
	offered := slices.Sorted(maps.Keys(grantTypes))
	return slices.DeleteFunc(offered, func(name string) bool { return name == "password" && !s.settings.PasswordGrant })
}
