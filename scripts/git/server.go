package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gatehouse/scripts/rest"
)

//go:embed nginx.conf
var nginxConf string

// server is nginx in front of git http-backend, on loopback. It writes everything to
// one directory.
type server struct {
	dir, address string
	processes    []*exec.Cmd
}

func startServer(ctx context.Context, dir, gatehouse string) (*server, error) {
	s := &server{dir: dir}
	var err error
	if s.address, err = rest.FreeAddress(); err != nil {
		return nil, err
	}
	if err := s.configure(ctx, gatehouse); err != nil {
		return nil, err
	}
	return s, errors.Join(
		s.start("fcgiwrap", "-c", "4", "-s", "unix:"+s.file("fcgiwrap.socket")),
		s.start("nginx", "-e", s.file("error.log"), "-c", s.file("nginx.conf"), "-p", dir),
		s.wait(ctx),
	)
}

func (s *server) file(name string) string { return filepath.Join(s.dir, name) }

// repositories is where the bare repositories are.
func (s *server) repositories() string { return s.file("repositories") }

// configure writes nginx.conf with the addresses and directories adapted as it says,
// within a main configuration as a distribution has it.
func (s *server) configure(ctx context.Context, gatehouse string) error {
	libexec, err := exec.CommandContext(ctx, "git", "--exec-path").Output()
	if err != nil {
		return fmt.Errorf("find git http-backend: %w", err)
	}
	conf := nginxConf
	for old, adapted := range map[string]string{
		"listen 127.0.0.1:8080;": "listen " + s.address + ";",
		"http://127.0.0.1:3000/": gatehouse + "/",
		"/usr/lib/git-core/":     strings.TrimSpace(string(libexec)) + "/",
		"/srv/git;":              s.repositories() + ";",
		"/run/fcgiwrap.socket;":  s.file("fcgiwrap.socket") + ";",
	} {
		if strings.Count(conf, old) != 1 {
			return fmt.Errorf("nginx.conf does not hold %q once", old)
		}
		conf = strings.Replace(conf, old, adapted, 1)
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	around := strings.NewReplacer("USER", user, "DIR", s.dir, "SERVER", conf).Replace(`
daemon off;
USER
worker_processes 1;
pid DIR/nginx.pid;
events {}
http {
access_log off;
client_body_temp_path DIR/body;
proxy_temp_path DIR/proxy;
fastcgi_temp_path DIR/fastcgi;
uwsgi_temp_path DIR/uwsgi;
scgi_temp_path DIR/scgi;
SERVER
}
`)
	return os.WriteFile(s.file("nginx.conf"), []byte(around), 0o600)
}

func (s *server) start(name string, args ...string) error {
	process := exec.Command(name, args...)
	process.Stdout, process.Stderr = os.Stderr, os.Stderr
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // stop ends its workers as well
	if err := process.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	s.processes = append(s.processes, process)
	return nil
}

// wait waits until both answer.
func (s *server) wait(ctx context.Context) error {
	for range 100 {
		_, err := os.Stat(s.file("fcgiwrap.socket"))
		if err == nil {
			var c net.Conn
			if c, err = net.Dial("tcp", s.address); err == nil {
				return c.Close()
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("nginx did not start: %s", s.errors())
}

func (s *server) stop() {
	for _, process := range s.processes {
		_ = syscall.Kill(-process.Process.Pid, syscall.SIGTERM)
		_ = process.Wait()
	}
}

// errors returns the error log of nginx.
func (s *server) errors() string {
	text, _ := os.ReadFile(s.file("error.log"))
	return string(text)
}
