package main

import (
	"io"
	"net/http"
	"strings"
)

// serveAWS is DynamoDB with empty tables and Secrets Manager with one instance
// key. The header X-Amz-Target names the operation.
func serveAWS(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	answer, ok := map[string]string{
		"GetItem":        `{}`,
		"BatchGetItem":   `{"Responses":{},"UnprocessedKeys":{}}`,
		"Query":          `{"Items":[],"Count":0,"ScannedCount":0}`,
		"GetSecretValue": `{"SecretString":"` + strings.Repeat("k", 43) + `"}`,
	}[operation]
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		answer = `{"__type":"ValidationException","message":"not expected here: ` + operation + `"}`
	}
	io.WriteString(w, answer)
}
