// Package openapi holds the description of the REST API, openapi.json, and
// serves it. It is written by hand. The test suite compares it with every
// answer of the API, the parameters of every request that is served, the
// routes, and the tables of the interface below functions/.
//
// A new endpoint adds its operation under "paths" and its bodies, which are
// closed ("additionalProperties": false), under "components", and a row to its
// table. A new parameter, field, header or status adds itself to these. Until
// then the tests that meet it fail.
package openapi

import (
	_ "embed"
	"net/http"

	"gatehouse/shared/web"
)

// Document is the description, in OpenAPI 3.1.
//
//go:embed openapi.json
var Document []byte

// Serve answers with the document. It says the same to everybody.
func Serve(w http.ResponseWriter, r *http.Request) { served.ServeHTTP(w, r) }

var served = web.NewDocument(Document)
