package accountapi

import (
	"fmt"
	"strings"

	"rsc.io/qr/coding"
)

// quiet is the margin that readers of QR codes want, in modules.
const quiet = 4

// qrCode is a QR code as the one path of an SVG drawing.
type qrCode struct {
	Size int    // of the square, margin included
	Path string // the dark modules
}

// newQRCode encodes a text with error correction of level L: it is read from a
// screen, which has no stains, and larger modules are easier to read.
func newQRCode(text string) (qrCode, error) {
	encoded := coding.String(text)
	version := coding.Version(coding.MinVersion)
	for version < coding.MaxVersion && encoded.Bits(version) > 8*version.DataBytes(coding.L) {
		version++
	}
	plan, err := coding.NewPlan(version, coding.L, 0)
	if err != nil {
		return qrCode{}, fmt.Errorf("plan a QR code: %w", err)
	}
	code, err := plan.Encode(encoded)
	if err != nil {
		return qrCode{}, fmt.Errorf("encode a QR code: %w", err)
	}
	return draw(code), nil
}

// draw turns every run of dark modules in a row into a rectangle.
func draw(code *coding.Code) qrCode {
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			run := 0
			for code.Black(x+run, y) { // beyond the edge is light
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quiet, y+quiet, run, run)
			}
			x += run
		}
	}
	return qrCode{code.Size + 2*quiet, path.String()}
}
