package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"gatehouse/scripts/rest"
)

const (
	rootToken    = "soaking-token-of-an-administrator"
	rootPassword = "soaking password"
)

// server is a Gatehouse that can be killed and started again at the same address.
type server struct {
	program, address string
	env              []string
	process          *exec.Cmd
}

// newServer starts the program on a data directory.
func newServer(program, data string, env ...string) (*server, error) {
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{program: program, address: address, env: append(env, "GATEHOUSE_LISTEN="+address, "GATEHOUSE_DATA="+data,
		"GATEHOUSE_ROOT_TOKEN="+rootToken, "GATEHOUSE_ROOT_PASSWORD="+rootPassword, "GATEHOUSE_LOG_LEVEL=error")}
	return s, s.start()
}

func (s *server) url() string { return "http://" + s.address }

// start starts the program and waits until it answers.
func (s *server) start() error {
	s.process = exec.Command(s.program)
	s.process.Env = append(os.Environ(), s.env...)
	log, err := os.OpenFile(".cache/soak.log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return err
	}
	for range 600 {
		if answer, err := http.Get(s.url() + "/-/health"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.Join(errors.New("the server does not answer; see .cache/soak.log"), s.kill())
}

// kill ends the program at once.
func (s *server) kill() error {
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	_ = s.process.Wait() // it says that it was killed
	return nil
}

// listen serves the handler at a free address until the context ends.
func listen(ctx context.Context, h http.Handler) (url string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: h}
	go server.Serve(listener)
	context.AfterFunc(ctx, func() { server.Close() })
	return fmt.Sprintf("http://%s", listener.Addr()), nil
}
