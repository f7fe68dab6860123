package backend

import (
	"syscall"
	"testing"
)

// A file system without locks keeps no server from starting, and no other fault is hidden.
func TestFileSystemsWithoutLocks(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.EBADF: true, syscall.EOPNOTSUPP: true, syscall.ENOLCK: true, syscall.ENOSYS: true,
		syscall.EINTR: false, syscall.EIO: false,
	} {
		if got := cannotLock(err); got != want {
			t.Errorf("cannotLock(%v) = %t, want %t", err, got, want)
		}
	}
}
