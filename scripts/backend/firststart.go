package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"gatehouse/shared/app"
	"gatehouse/shared/boot"
)

// alone calls do while no other process of this data directory does so. Of two that start
// at once on an empty directory, one makes the administrator, and the other finds it.
func alone(env boot.Env, do func() error) error {
	if env.Store == "dynamodb" {
		return do()
	}
	dir, err := os.Open(env.Data)
	if err != nil {
		return err
	}
	defer dir.Close() // which gives the lock back, as does the end of the process
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil && !cannotLock(err) {
		return &os.PathError{Op: "lock", Path: env.Data, Err: err}
	}
	return do()
}

// cannotLock reports whether the file system has no locks of directories: NFS wants to
// write to what it locks, and others have none. The server starts there nevertheless.
func cannotLock(err error) bool {
	return slices.ContainsFunc([]error{syscall.EBADF, syscall.EINVAL, syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP},
		func(known error) bool { return errors.Is(err, known) })
}

// FirstStart makes the first administrator, unless there are users.
func FirstStart(ctx context.Context, a *app.App, env boot.Env) (root boot.Root, made bool, err error) {
	err = alone(env, func() (err error) {
		root, made, err = boot.FirstStart(ctx, a, env)
		return err
	})
	if err != nil {
		err = fmt.Errorf("make the first administrator: %w", err)
	}
	return root, made, err
}
