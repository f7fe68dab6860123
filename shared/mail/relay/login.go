package relay

import (
	"errors"
	"net/smtp"

	"gatehouse/shared/secret"
)

// login is the mechanism LOGIN, which some servers have instead of PLAIN
// (draft-murchison-sasl-login).
type login struct {
	user     string
	password secret.Text
}

// Start begins without an initial response.
func (l login) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS {
		return "", nil, errors.New("LOGIN without TLS")
	}
	return "LOGIN", nil, nil
}

// Next answers the two questions of the server, whose wording differs between servers.
func (l login) Next(question []byte, more bool) ([]byte, error) {
	switch {
	case !more:
		return nil, nil
	case len(question) > 0 && (question[0] == 'U' || question[0] == 'u'):
		return []byte(l.user), nil
	}
	return []byte(l.password.Reveal()), nil
}
