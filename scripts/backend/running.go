package backend

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"gatehouse/shared/boot"
)

// ErrRunning means that a server works on the data, and ErrStopped that a command does, beside
// which none may.
var (
	ErrRunning = errors.New("a server runs on this data; stop it first")
	ErrStopped = errors.New("scripts/admin works on this data; start the server when it has ended")
)

// Running says that a server works on the data of a local server, until what it returns is
// closed or the process ends. While none may, it returns ErrStopped.
func Running(env boot.Env) (io.Closer, error) { return lock(env, syscall.LOCK_SH, ErrStopped) }

// Stopped keeps servers from starting on the data of a local server, until what it returns
// is closed. While one runs, it returns ErrRunning.
func Stopped(env boot.Env) (io.Closer, error) { return lock(env, syscall.LOCK_EX, ErrRunning) }

// lock locks a file of the data directory, or returns the error that it is taken. The end of
// the process gives the lock back too.
func lock(env boot.Env, how int, taken error) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(env.Data, "running"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(taken, f.Close())
	case err != nil:
		return nil, errors.Join(&os.PathError{Op: "lock", Path: f.Name(), Err: err}, f.Close())
	}
	return f, nil
}
