package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"

	"gatehouse/shared/web"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages refer to.
type asset struct {
	content     []byte
	zipped      func() []byte
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
		zipped := sync.OnceValue(func() []byte { return zip(content) })
		all[e.Name()] = asset{content, zipped, hex.EncodeToString(sum[:8]), assetTypes[path.Ext(e.Name())]}
	}
	return all
}

// zip compresses as far as gzip can. It happens once for each file that is asked for.
func zip(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // not reached: there is such a level
	}
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
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
	h.Set("Cache-Control", "no-cache")
	if r.URL.RawQuery == "v="+a.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Add("Vary", "Accept-Encoding")
	h.Set("ETag", a.etag())
	content := a.content
	if zipped := a.zipped(); web.TakesGzip(r) && len(zipped) < len(content) {
		content = zipped
		h.Set("ETag", "W/"+a.etag()) // the same in meaning
	}
	if strings.Contains(r.Header.Get("If-None-Match"), a.etag()) { // in a list, or as a weak one
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if len(content) < len(a.content) {
		h.Set("Content-Encoding", "gzip")
	}
	w.Write(content)
}

func (a asset) etag() string { return `"` + a.version + `"` }
