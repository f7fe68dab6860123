package host_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"gatehouse/shared/host"
)

func TestPublic(t *testing.T) {
	tests := map[bool][]string{
		true: {
			"git.example", "Git.Example", "git.example.", "a.b-c.d_e.example", "xn--kse-qla.example", "local.example", "127.0.0.1.example",
			"lan.example", "git.corp.example", "git.planet", "git.private-cloud.example",
			"8.8.8.8", "192.88.98.255", "192.88.100.0", "192.0.1.255", "192.0.3.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
			"2001:4860::8888", "2001:db7::1", "2001:db9::1", "2a00:1450::1", "::ffff:8.8.8.8",
		},
		false: {
			"", ".", "git", "localhost", "LOCALHOST.", "a.localhost", "git.local", "git.local.", "git.internal", "nas.home.arpa",
			"git.lan", "Git.LAN.", "git.corp", "a.b.intranet", "git.home", "git.private", "git.localdomain",
			"metadata.google.internal", "käse.example", "git..example", "-git.example", "git-.example", "git.example-", "git .example", "git%2eexample",
			"127.0.0.1", "127.0.0.1.", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.0x1", "0177.0.0.1", "017700000001", "127.0.0.01", "1.2.3.4.5",
			"0.0.0.0", "0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255",
			"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16",
			"192.0.2.1", "198.51.100.255", "203.0.113.9", "192.88.99.1", "::ffff:203.0.113.9", "2001:db8::1", "3fff::1", "3fff:fff::1", "3ffe::1",
			"::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "100::1",
			"::127.0.0.1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1",
			"2002:7f00:1::", "2001:0:7f00:1::", "2001:4860::8888%eth0", "[2001:4860::8888]",
		},
	}
	for want, hosts := range tests {
		for _, h := range hosts {
			if got := host.Public(h); got != want {
				t.Errorf("Public(%q) = %t, want %t", h, got, want)
			}
		}
	}
}

func TestPossiblePort(t *testing.T) {
	tests := map[string]bool{
		"git.example": true, "git.example:1": true, "git.example:65535": true, "[2001:4860::8888]:22": true, "[2001:4860::8888]": true,
		"git.example:": false, "git.example:0": false, "git.example:65536": false, "[2001:4860::8888]:": false,
	}
	for authority, want := range tests {
		if got := host.PossiblePort(&url.URL{Scheme: "https", Host: authority}); got != want {
			t.Errorf("PossiblePort of %q = %t, want %t", authority, got, want)
		}
	}
}

// What passes is a public address in its usual form, or a name that no resolver takes
// for a number.
func FuzzPublic(f *testing.F) {
	for _, h := range []string{"git.example", "127.1", "0x7f.1", "::ffff:10.0.0.1", "8.8.8.8", "a.local.", "1.2.3.example", "\x00.example"} {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, h string) {
		if !host.Public(h) {
			return
		}
		if a, err := netip.ParseAddr(h); err == nil {
			if a = a.Unmap(); a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast() {
				t.Fatalf("%q is public", h)
			}
			return
		}
		labels := strings.Split(strings.TrimSuffix(h, "."), ".")
		if last := labels[len(labels)-1]; len(labels) < 2 || last[0] <= '9' || strings.ContainsAny(h, " /:@[]%\\\x00") {
			t.Fatalf("%q is public", h)
		}
	})
}
