package alert

import "unicode"

// readable is for strings.Map. It drops the characters that turn the direction of a text or
// take no place in it, with which an alert can look like another one. The joiners stay: words
// of some languages need them, and so do many emoji.
func readable(r rune) rune {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner {
		return -1
	}
	return r
}
