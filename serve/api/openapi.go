package api

import _ "embed" // for the document

//go:embed openapi.json
var openapiDocument []byte

// openapi describes the API.
func (s *server) openapi(r *request) error {
	if r.known(tagOf(openapiDocument)) {
		return nil
	}
	return r.send("application/json", openapiDocument)
}
