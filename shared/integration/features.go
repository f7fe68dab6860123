package integration

// Features are what an instance can do without. What is off behaves as if it
// had never been built; what was stored while it was on is kept.
type Features struct {
	// SeveralEndpoints lets a project have more than one integration of a type.
	SeveralEndpoints bool
	// Mapping reads the fields of an alert from where a mapping says.
	Mapping bool
	// Grouping counts equal occurrences on one alert. Without it each opens an
	// alert of its own.
	Grouping bool
}

// AllFeatures are on where nobody switches one off.
var AllFeatures = Features{SeveralEndpoints: true, Mapping: true, Grouping: true}
