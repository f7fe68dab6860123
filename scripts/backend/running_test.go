package backend

import (
	"errors"
	"io"
	"testing"

	"gatehouse/shared/boot"
)

func TestRunningAndStopped(t *testing.T) {
	env := boot.Env{Data: t.TempDir()}
	must := func(c io.Closer, err error) io.Closer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one, other := must(Running(env)), must(Running(env))
	if _, err := Stopped(env); !errors.Is(err, ErrRunning) {
		t.Errorf("while two servers run: %v", err)
	}
	one.Close()
	if _, err := Stopped(env); !errors.Is(err, ErrRunning) {
		t.Errorf("while one runs: %v", err)
	}
	other.Close()
	stopped := must(Stopped(env))
	if _, err := Running(env); !errors.Is(err, ErrStopped) {
		t.Errorf("a server while none may run: %v", err)
	}
	stopped.Close()
	must(Running(env)).Close()
}
