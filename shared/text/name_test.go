package text_test

import (
	"strings"
	"testing"

	"gatehouse/shared/text"
)

func TestCheckName(t *testing.T) {
	const (
		blank   = "can't be blank"
		long    = "is too long (maximum is 255 characters)"
		control = "contains a control character"
	)
	tests := map[string]string{
		"Ada":                    "",
		"世界":                     "",
		"Ada & Söhne (Test)!":    "",
		"👩‍🔬":                    control, // the joiner could hide what it joins
		strings.Repeat("ü", 255): "",
		strings.Repeat("ü", 256): long,
		"":                       blank,
		" \t":                    blank,
		"\u3164":                 blank,
		"\u2800\u00a0":           blank,
		"\u0301":                 blank,
		"a\nb":                   control,
		"a\u2028b":               control,
		"App\u202eevil":          control,
		"a\x00b":                 control,
	}
	for name, want := range tests {
		if got := text.CheckName(name); got != want {
			t.Errorf("CheckName(%q) = %q, want %q", name, got, want)
		}
	}
}
