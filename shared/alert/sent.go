package alert

import (
	"strings"

	"gatehouse/shared/payload"
)

// metricsFrame is a payload in the metrics format around its notifications.
var metricsFrame = func() string {
	var members strings.Builder
	for _, name := range attributes {
		if name != "alerts" {
			members.WriteString(`"` + name + `":"",`)
		}
	}
	return "{" + members.String() + `"alerts":[%]}`
}()

// AsSent returns a payload that was kept with the alert as it can be read again. Of a payload
// with several notifications each alert keeps its own part: that is put into a payload of
// which it is the only one. What the mapping finds in the rest of the whole is gone.
func AsSent(a Alert, text []byte, r Reading) []byte {
	document, err := payload.Read(text)
	if err != nil || len(missingAttributes(document.Object)) == 0 {
		return text
	}
	if r.Format == Metrics || a.isNotification(document.Object) {
		return []byte(strings.Replace(metricsFrame, "%", string(text), 1))
	}
	reading := r.Mapping.Read(document.Object)
	if !reading.Splits() {
		return text
	}
	if _, isWhole := reading.Elements(); isWhole {
		return text
	}
	if whole, ok := r.Mapping.Split.Around(text); ok {
		return whole
	}
	return text
}

// isNotification reports whether the alert was opened by this object as a notification of the
// metrics format.
func (a Alert) isNotification(object payload.Object) bool {
	i := newItem(object)
	_, starts := object["startsAt"]
	return starts && i.title() != "" && payload.Cut(strings.Map(readable, i.title()), maxTitle) == a.Title && i.fingerprint() == a.Fingerprint
}
