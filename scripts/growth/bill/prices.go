package bill

// Prices are what AWS asks for, in dollars, and what is assumed of it.
type Prices struct {
	AsOf             string  `json:"as_of"` // a month
	Region           string  `json:"region"`
	Gateway          []step  `json:"million_gateway_requests"`
	MillionCalls     float64 `json:"million_invocations"`
	MillionGBSeconds float64 `json:"million_gb_seconds"` // on arm64
	MillionReads     float64 `json:"million_read_units"`
	MillionWrites    float64 `json:"million_write_units"`
	StoredGBMonth    float64 `json:"stored_gb_month"`
	BackedUpGBMonth  float64 `json:"backed_up_gb_month"` // point-in-time recovery
	LoggedGB         float64 `json:"logged_gb"`
	ThousandMails    float64 `json:"thousand_mails"`
	SentGB           float64 `json:"sent_gb"` // to the internet
	SecretMonth      float64 `json:"secret_month"`
	AlarmMonth       float64 `json:"alarm_month"`
	MetricMonth      float64 `json:"metric_month"`
	DashboardMonth   float64 `json:"dashboard_month"`
	Assumed          Assumed `json:"assumed"`
}

// step is a price up to an amount. The last one has no bound.
type step struct {
	UpTo    float64 `json:"up_to_millions"`
	Dollars float64 `json:"dollars"`
}

// Assumed is what no price list says and no measurement here can.
type Assumed struct {
	MemoryGB            float64 `json:"memory_gb"`            // of a function
	ProcessorShare      float64 `json:"processor_share"`      // that this memory comes with
	StepMilliseconds    float64 `json:"step_milliseconds"`    // of a round trip to DynamoDB
	OutsideMilliseconds float64 `json:"outside_milliseconds"` // of a mail or webhook
	BesideLogLine       float64 `json:"bytes_beside_a_log_line"`
	AccessLine          float64 `json:"bytes_of_an_access_line"`
}

// gateway returns the price of so many requests in a month.
func (p Prices) gateway(requests float64) (dollars float64) {
	var below float64
	for _, s := range p.Gateway {
		upTo := requests / million
		if s.UpTo > 0 {
			upTo = min(upTo, s.UpTo)
		}
		dollars += max(0, upTo-below) * s.Dollars
		below = upTo
	}
	return dollars
}
