package mapping

// Simple reports whether the mapping is of the first edition: a path for each target.
func (m Mapping) Simple() bool {
	for _, rule := range m.Rules {
		if rule.Path == nil || !rule.Path.direct() {
			return false
		}
	}
	return m.rulesAlone()
}
