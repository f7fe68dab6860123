package payload

// Inside reads JSON that is in a text of a payload: any value, within the limits of a payload.
func Inside(text string) (any, bool) {
	sent := []byte(text)
	if Check(sent, MaxBytes) != nil {
		return nil, false
	}
	value, wrong := decode(sent)
	return value, wrong == 0
}
