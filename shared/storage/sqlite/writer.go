package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"

	"gatehouse/shared/fault"
)

// maxBatch is how many operations share a commit at most. It bounds how long the
// first waits for the others.
const maxBatch = 256

var errClosed = fault.New(fault.Unavailable, "the store is closed")

// writer runs the operations that change something, one after the other on one
// connection. It commits those that wait at the same time together, each in its
// own savepoint, so that a failed operation undoes only itself.
type writer struct {
	db      *sql.DB
	queue   chan *operation // unbuffered: an operation that was taken will run
	stopped chan struct{}   // closed when nothing more is taken
	ended   chan struct{}   // closed when the last batch is done

	tx *transaction // nil until a batch needs it, and after one that failed
}

// An operation is a change that one caller wants. Its statements run without the
// caller's context: if that ended during the batch, SQLite would undo the other
// operations as well.
type operation struct {
	run  func(*transaction) error
	err  error
	done chan struct{}
}

func startWriter(db *sql.DB) *writer {
	db.SetMaxIdleConns(0) // so that giving a connection back closes it
	w := &writer{
		db: db, queue: make(chan *operation), stopped: make(chan struct{}), ended: make(chan struct{}),
	}
	go w.loop()
	return w
}

// do runs an operation. If the context ends before the operation begins, do
// returns the context's error; an operation that began is finished.
func (w *writer) do(ctx context.Context, run func(*transaction) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op := &operation{run: run, done: make(chan struct{})}
	select {
	case w.queue <- op:
		<-op.done
		return op.err
	case <-ctx.Done():
		return ctx.Err()
	case <-w.stopped:
		return errClosed
	}
}

// exec runs one statement.
func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	return s.writer.do(ctx, func(tx *transaction) error { return tx.exec(query, args...) })
}

func (w *writer) loop() {
	defer close(w.ended)
	for {
		select {
		case op := <-w.queue:
			w.perform(w.batch(op))
		case <-w.stopped:
			return
		}
	}
}

// batch adds the operations that wait by now to the first.
func (w *writer) batch(first *operation) []*operation {
	// The callers of the last batch have just been woken. Letting them run
	// first brings their next operations into this batch: up to half as many
	// operations again for each second.
	runtime.Gosched()
	batch := []*operation{first}
	for len(batch) < maxBatch {
		select {
		case op := <-w.queue:
			batch = append(batch, op)
		default:
			return batch
		}
	}
	return batch
}

// perform runs a batch and reports to the callers. If the batch cannot be
// committed, all its operations fail, because each may have relied on changes of
// another that are now undone.
func (w *writer) perform(batch []*operation) {
	err := w.commit(batch)
	if err != nil {
		err = errors.Join(fmt.Errorf("commit %d operations: %w", len(batch), err), w.disconnect())
	}
	for _, op := range batch {
		if err != nil {
			op.err = err
		}
		close(op.done)
	}
}

func (w *writer) commit(batch []*operation) error {
	if err := w.connect(); err != nil {
		return err
	}
	if err := w.tx.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, op := range batch {
		if err := w.tx.attempt(op); err != nil {
			return err
		}
	}
	return w.tx.exec("COMMIT")
}

func (w *writer) connect() error {
	if w.tx != nil {
		return nil
	}
	conn, err := w.db.Conn(context.Background())
	if err != nil {
		return err
	}
	w.tx = &transaction{conn: conn, prepared: map[string]*sql.Stmt{}}
	return nil
}

// disconnect closes the connection, with whatever a failed batch left open.
func (w *writer) disconnect() error {
	if w.tx == nil {
		return nil
	}
	tx := w.tx
	w.tx = nil
	return tx.close()
}

// stop accepts no more operations and waits for those that were accepted.
func (w *writer) stop() {
	close(w.stopped)
	<-w.ended
}

// close closes the file; the writer has stopped.
func (w *writer) close() error { return errors.Join(w.disconnect(), w.db.Close()) }
