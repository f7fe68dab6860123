package site

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages refer to.
type asset struct {
	content     []byte
	version     string
	contentType string
}

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

var assets = loadAssets()

func loadAssets() map[string]asset {
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // not reached: the directory is embedded
	}
	all := map[string]asset{}
	for _, e := range entries {
		content, err := assetFiles.ReadFile("assets/" + e.Name())
		if err != nil {
			panic(err) // not reached: the file is embedded
		}
		sum := sha256.Sum256(content)
		all[e.Name()] = asset{content, hex.EncodeToString(sum[:8]), assetTypes[path.Ext(e.Name())]}
	}
	return all
}

// assetAddress returns the address of a file. It changes with the content, so that
// browsers may keep the file for good.
func assetAddress(name string) string { return "/assets/" + name + "?v=" + assets[name].version }

// Asset serves the file with the {name} of the path.
func (s *Site) Asset(w http.ResponseWriter, r *http.Request) {
	a, ok := assets[r.PathValue("name")]
	if !ok {
		s.refuse(w, r, http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("ETag", `"`+a.version+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.RawQuery == "v="+a.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == `"`+a.version+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(a.content)
}
