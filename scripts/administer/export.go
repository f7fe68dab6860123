package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gatehouse/scripts/backend"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite"
)

// archiveOf returns the store as one that can be exported and imported.
func archiveOf(s storage.Store) (archive.Store, error) {
	switch s := s.(type) {
	case *sqlite.Store:
		return sqlite.Archive(s), nil
	case *dynamodb.Store:
		return dynamodb.Archive(s, recordKinds()), nil
	}
	return nil, fmt.Errorf("a %T cannot be exported", s)
}

// keyIDs names the instance keys, the one in use first, without telling anything of them.
func keyIDs(keys secret.Keys) (ids []string) {
	for _, mac := range keys.Derive("name of an instance key") {
		sum := mac.Sum()
		ids = append(ids, hex.EncodeToString(sum[:8]))
	}
	return ids
}

func exportData(ctx context.Context, s *session, args []string) error {
	given, err := parse(options(), args, "FILE")
	if err != nil {
		return err
	}
	path := s.path(given[0])
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return mistake{fmt.Sprintf("%s exists already", path)}
	}
	store, err := archiveOf(s.backend.Store)
	if err != nil {
		return err
	}
	stopped, err := s.stopped()
	if err != nil {
		return err
	}
	defer stopped.Close()
	keys := keyIDs(s.backend.Keys)
	e := export{store: store, show: newBar(s.err, "exporting", 0), header: header{
		Format: formatVersion, Key: keys[0], Former: keys[1:], Since: time.Now().UTC().Truncate(24 * time.Hour),
	}}
	if err := e.run(ctx, path); err != nil {
		return fmt.Errorf("export to %s: %w; the same command goes on where it was", path, err)
	}
	_, err = fmt.Fprintf(s.out, "%d things are in %s. Keep it as safe as the data itself.\n", e.total(), path)
	return err
}

// stopped keeps local servers from starting until what it returns is closed. One that runs is
// told of, as is a deployment, which always does.
func (s *session) stopped() (io.Closer, error) {
	if s.env.KeySecretARN == "" {
		held, err := backend.Stopped(s.env)
		if !errors.Is(err, backend.ErrRunning) {
			return held, err
		}
	}
	fmt.Fprintln(s.err, "What changes while the export runs may be in the file in part, so that an import of it fails.")
	return io.NopCloser(nil), nil
}

// path returns the path of a file that the caller named.
func (s *session) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.from, name)
}

// export writes everything that a store keeps to a file. Until it is whole, the file has
// a name of its own, and the export can go on behind what is there.
type export struct {
	store  archive.Store
	header header
	show   *bar
	sums   sums
	out    *bufio.Writer
}

func (e *export) total() (n int64) {
	for _, sum := range e.sums {
		n += sum.Count
	}
	return n
}

func (e *export) run(ctx context.Context, path string) error {
	part := path + ".part"
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Mode().Perm()&0o077 != 0 {
		return errors.Join(err, mistake{part + " was there, and others may read it; remove it"})
	}
	defer e.show.end()
	e.sums = sums{}
	begun, err := e.resume(file)
	if err != nil {
		return err
	}
	e.out = bufio.NewWriterSize(file, 1<<20)
	err = e.write(ctx, begun)
	if err = errors.Join(err, e.out.Flush()); err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// resume reads what an interrupted export wrote, cuts off what it did not finish, and
// returns the last line.
func (e *export) resume(file *os.File) (last line, err error) {
	lines := newReader(file)
	end, begun := int64(0), false
	for {
		text, err := lines.next()
		if errors.Is(err, io.EOF) || errors.Is(err, errCut) {
			break
		}
		if err != nil {
			return line{}, err
		}
		if !begun {
			if begun = true; !e.goesOn(text) {
				return line{}, mistake{fmt.Sprintf("%s was begun days ago or with other keys; remove it", file.Name())}
			}
		} else {
			l, err := parseLine(text)
			if err != nil {
				return line{}, err
			}
			if l.Kind == "" {
				break // the end is written anew
			}
			last = l
			e.sums.add(l.Kind, text)
		}
		end += int64(len(text))
	}
	if err := file.Truncate(end); err != nil {
		return line{}, err
	}
	_, err = file.Seek(end, io.SeekStart)
	if err == nil && !begun {
		_, err = file.Write(e.header.text())
	}
	return last, err
}

// goesOn takes over the day of a header that was written today or yesterday. It returns
// false if the export cannot go on behind the header.
func (e *export) goesOn(text []byte) bool {
	var begun header
	err := json.Unmarshal(text, &begun)
	if age := e.header.Since.Sub(begun.Since); err != nil || age < 0 || age > 24*time.Hour {
		return false
	}
	e.header.Since = begun.Since
	return bytes.Equal(text, e.header.text())
}

// write writes the things behind the last line, and the end.
func (e *export) write(ctx context.Context, last line) error {
	var after any
	skip := last.Kind != ""
	for _, k := range archive.Kinds() {
		if skip && k.Name() != last.Kind {
			continue
		}
		if skip {
			skip = false
			var err error
			if after, err = k.Decode(last.Thing); err != nil {
				return err
			}
		}
		if err := e.writeKind(ctx, k, after); err != nil {
			return fmt.Errorf("things of the kind %s: %w", k.Name(), err)
		}
		after = nil
	}
	text, err := json.Marshal(ending{e.sums})
	e.out.Write(append(text, '\n'))
	return err
}

func (e *export) writeKind(ctx context.Context, k archive.Kind, after any) error {
	return e.store.Dump(ctx, k, after, e.header.Since, func(thing any) error {
		text, err := k.Encode(thing)
		if err != nil {
			return err
		}
		whole := lineOf(k, text)
		e.sums.add(k.Name(), whole)
		e.show.add(1, k.Name())
		_, err = e.out.Write(whole)
		return errors.Join(err, ctx.Err())
	})
}
