package errortracking_test

import (
	"strings"
	"testing"

	"gatehouse/shared/errortracking"
)

const (
	noURL  = "must be an http or https URL"
	noHost = "must have a public host"
	noPath = "must end in /api/0/projects/<organization>/<project>/"
)

func TestParseAPIURL(t *testing.T) {
	const path = "/api/0/projects/acme/web-shop/"
	tests := map[string]string{
		"":                               "",
		"https://tracker.example" + path: "",
		"HTTP://Tracker.Example:8080/api/0/projects/acme/web_2":         "",
		"https://tracker.example." + path:                               "",
		"https://8.8.8.8:65535" + path:                                  "",
		"https://[2001:4860::8888]" + path:                              "",
		"https://xn--kse-qla.example" + path:                            "",
		"tracker.example" + path:                                        noURL,
		"//tracker.example" + path:                                      noURL,
		"ftp://tracker.example" + path:                                  noURL,
		"javascript:alert(1)//tracker.example" + path:                   noURL,
		"https:tracker.example" + path:                                  noURL,
		"https://" + path:                                               noURL,
		"https://:80" + path:                                            noURL,
		"https://tracker.example:" + path:                               noURL,
		"https://tracker.example:0" + path:                              noURL,
		"https://tracker.example:65536" + path:                          noURL,
		"https://tracker.example:x" + path:                              noURL,
		" https://tracker.example" + path:                               noURL,
		"https://tracker.example" + path + "\n":                         noURL,
		"https://tracker.example%" + path:                               noURL,
		"https://ada:secret@tracker.example" + path:                     "must not contain credentials",
		"https://ada@tracker.example" + path:                            "must not contain credentials",
		"https://@tracker.example" + path:                               "must not contain credentials",
		"https://localhost" + path:                                      noHost,
		"https://LOCALHOST." + path:                                     noHost,
		"https://a.localhost" + path:                                    noHost,
		"https://tracker" + path:                                        noHost,
		"https://tracker.local" + path:                                  noHost,
		"https://metadata.google.internal" + path:                       noHost,
		"https://nas.home.arpa." + path:                                 noHost,
		"https://käse.example" + path:                                   noHost,
		"https://tracker..example" + path:                               noHost,
		"https://-tracker.example" + path:                               noHost,
		"https://127.0.0.1" + path:                                      noHost,
		"https://127.1" + path:                                          noHost,
		"https://2130706433" + path:                                     noHost,
		"https://0x7f.0.0.0x1" + path:                                   noHost,
		"https://0177.0.0.1" + path:                                     noHost,
		"https://127.0.0.1." + path:                                     noHost,
		"https://0.0.0.0" + path:                                        noHost,
		"https://10.1.2.3" + path:                                       noHost,
		"https://172.31.0.1" + path:                                     noHost,
		"https://192.168.0.1" + path:                                    noHost,
		"https://169.254.169.254" + path:                                noHost,
		"https://100.64.0.1" + path:                                     noHost,
		"https://224.0.0.1" + path:                                      noHost,
		"https://255.255.255.255" + path:                                noHost,
		"https://[::1]" + path:                                          noHost,
		"https://[::]" + path:                                           noHost,
		"https://[::ffff:127.0.0.1]" + path:                             noHost,
		"https://[64:ff9b::7f00:1]" + path:                              noHost,
		"https://[64:ff9b:1::a00:1]" + path:                             noHost,
		"https://[::127.0.0.1]" + path:                                  noHost,
		"https://[::ffff:0:127.0.0.1]" + path:                           noHost,
		"https://[2002:7f00:1::]" + path:                                noHost,
		"https://[2001:0:7f00:1::]" + path:                              noHost,
		"https://[100::1]" + path:                                       noHost,
		"https://[fec0::1]" + path:                                      noHost,
		"https://[fd00::1]" + path:                                      noHost,
		"https://[fe80::1]" + path:                                      noHost,
		"https://[2001:4860::8888%25eth0]" + path:                       noHost,
		"https://tracker.example":                                       noPath,
		"https://tracker.example/acme/web-shop":                         noPath,
		"https://tracker.example/api/0/projects/acme":                   noPath,
		"https://tracker.example/api/0/projects/acme/web/shop":          noPath,
		"https://tracker.example/api/0/projects/acme/web//":             noPath,
		"https://tracker.example/api/0/projects/acme/..":                noPath,
		"https://tracker.example/api/0/projects/acme/w%65b":             noPath,
		"https://tracker.example" + path + "?":                          noPath,
		"https://tracker.example" + path + "?token=x":                   noPath,
		"https://tracker.example" + path + "#":                          noPath,
		"https://tracker.example" + path + strings.Repeat("é", 255):     "is too long (maximum is 255 characters)",
		"https://tracker.example/api/0/projects/acme/" + longName:       "",
		"https://tracker.example/api/0/projects/acme/" + longName + "/": "is too long (maximum is 255 characters)",
	}
	for text, want := range tests {
		address, complaint := errortracking.ParseAPIURL(text)
		if complaint != want || complaint == "" && string(address) != text {
			t.Errorf("ParseAPIURL(%q) = %q, %q, want the complaint %q", text, address, complaint, want)
		}
	}
}

// longName makes the address just as long as it may be.
var longName = strings.Repeat("x", 255-len("https://tracker.example/api/0/projects/acme/"))

func TestAnAddressTellsNameAndLink(t *testing.T) {
	tests := map[errortracking.APIURL][2]string{
		"": {"", ""},
		"https://tracker.example/api/0/projects/acme/web-shop/": {"Web Shop", "https://tracker.example/acme/web-shop"},
		"http://8.8.8.8:81/api/0/projects/a/my_APP--2":          {"My APP 2", "http://8.8.8.8:81/a/my_APP--2"},
		"https://tracker.example/api/0/projects/acme/-":         {"", "https://tracker.example/acme/-"},
	}
	for address, want := range tests {
		x := errortracking.External{APIURL: address}
		if got := [2]string{x.Name(), x.Link()}; got != want {
			t.Errorf("%s tells %q, want %q", address, got, want)
		}
		x.ProjectName, x.TrackerURL = "Shop", "https://people.example"
		if x.Name() != "Shop" || x.Link() != "https://people.example" {
			t.Errorf("%s tells %q and %q, want what was set", address, x.Name(), x.Link())
		}
	}
}

// What is taken for an address gives a link to the same site, and nothing that
// a page or a log would take for more than text.
func FuzzParseAPIURL(f *testing.F) {
	for _, text := range []string{
		"", "https://tracker.example/api/0/projects/acme/web/", "http://[::1]/api/0/projects/a/b",
		"https://a@b.example:443/api/0/projects/a/b?c#d", "https://127.1/api/0/projects/a/b", "https://%zz", "\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, complaint := errortracking.ParseAPIURL(text)
		if complaint != "" {
			if address != "" {
				t.Fatalf("ParseAPIURL(%q) = %q beside a complaint", text, address)
			}
			return
		}
		if string(address) != text || len(text) > 255 || strings.ContainsAny(text, " \"'<>\\@?#%\n\r\t\x00") {
			t.Fatalf("ParseAPIURL(%q) = %q", text, address)
		}
		x := errortracking.External{APIURL: address}
		site, path, _ := strings.Cut(text, "/api/0/projects/")
		if want := strings.TrimSuffix(site+"/"+path, "/"); text != "" && !strings.EqualFold(x.Link(), want) {
			t.Fatalf("the link of %q is %q, want %q", text, x.Link(), want)
		}
	})
}
