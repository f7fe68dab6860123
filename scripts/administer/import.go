package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"gatehouse/shared/boot"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/archive"
)

func importData(ctx context.Context, s *session, args []string) error {
	o := options()
	keyFile := o.String("key-file", "", "")
	given, err := parse(o, args, "FILE")
	if err != nil {
		return err
	}
	file, err := os.Open(s.path(given[0]))
	if err != nil {
		return mistake{err.Error()}
	}
	defer file.Close()
	whole, err := readWhole(file)
	if err != nil {
		return mistake{fmt.Sprintf("%s cannot be imported: %s", file.Name(), err)}
	}
	keys, err := s.keysFor(whole.header, *keyFile)
	if err != nil {
		return err
	}
	store, err := archiveOf(s.backend.Store)
	if err != nil {
		return err
	}
	in := importing{store: store, whole: whole, show: newBar(s.err, "importing", whole.lines), verify: newBar(s.err, "comparing", whole.lines)}
	if err := in.run(ctx, file); err != nil {
		return err
	}
	if *keyFile != "" {
		if err := reseal(ctx, boot.New(s.env, s.backend.Store, keys), s.out); err != nil {
			return err
		}
	}
	if err := store.Note(ctx, archive.Progress{}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%d things are imported, and counts and checksums agree for each kind.\n", whole.lines)
	return err
}

// keysFor returns the instance keys with those that the export needs.
func (s *session) keysFor(h header, keyFile string) (secret.Keys, error) {
	own := s.backend.Keys
	if keyFile == "" {
		if name, missing := h.missing(own); missing {
			return own, mistake{fmt.Sprintf("secrets in the export are sealed under the instance key %s, which this instance does not have:\nname the file with that key by --key-file, so that they are sealed anew, or put the key behind those of this instance", name)}
		}
		return own, nil
	}
	text, err := os.ReadFile(s.path(keyFile))
	if err != nil {
		return own, mistake{err.Error()}
	}
	theirs, err := secret.ParseKeys(string(text))
	if err != nil {
		return own, mistake{fmt.Sprintf("%s: %s", keyFile, err)}
	}
	all := own.With(theirs)
	if name, missing := h.missing(all); missing {
		return own, mistake{fmt.Sprintf("%s does not have the instance key %s of the export", keyFile, name)}
	}
	return all, nil
}

// wholeFile is what is known of an export that has been read once.
type wholeFile struct {
	header   header
	sums     sums
	lines    int64 // of things
	checksum string
}

// readWhole reads an export and compares the counts and checksums at its end. What this
// release does not know is refused here, before anything is loaded.
func readWhole(file io.Reader) (whole wholeFile, err error) {
	digest := sha256.New()
	lines := newReader(io.TeeReader(file, digest))
	text, err := lines.next()
	if err != nil {
		return whole, fmt.Errorf("read the first line: %w", err)
	}
	if err := json.Unmarshal(text, &whole.header); err != nil || whole.header.Format == 0 {
		return whole, errors.New("it is no export of Gatehouse")
	}
	if whole.header.Format != formatVersion {
		return whole, fmt.Errorf("it has the format %d, and this release reads the format %d", whole.header.Format, formatVersion)
	}
	whole.sums = sums{}
	known := newCatalog()
	var end ending
	for end.End == nil {
		text, err := lines.next()
		if err != nil {
			return whole, fmt.Errorf("it is not whole: %w", err)
		}
		l, err := parseLine(text)
		if err != nil {
			return whole, err
		}
		if l.Kind != "" {
			whole.lines++
			whole.sums.add(l.Kind, text)
			if _, _, err := known.thing(l); err != nil {
				return whole, fmt.Errorf("line %d: %w", whole.lines+1, err)
			}
		} else if err := json.Unmarshal(text, &end); err != nil || end.End == nil {
			return whole, errors.New("a line is damaged")
		}
	}
	if _, err := lines.next(); !errors.Is(err, io.EOF) {
		return whole, errors.New("there is something behind its end")
	}
	whole.checksum = hex.EncodeToString(digest.Sum(nil))
	return whole, whole.sums.differ(end.End, "it has")
}

// loadedAtOnce is how many things are loaded together.
const loadedAtOnce = 200

// importing loads an export into a store.
type importing struct {
	store        archive.Store
	whole        wholeFile
	show, verify *bar
}

func (i *importing) run(ctx context.Context, file io.ReadSeeker) error {
	begun, err := i.begin(ctx)
	if err != nil {
		return err
	}
	defer i.show.end()
	if begun.Line < i.whole.lines {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := i.load(ctx, newReader(file), begun.Line); err != nil {
			return fmt.Errorf("import: %w; the same command goes on where it was", err)
		}
	}
	if begun.Line > i.whole.lines { // it was compared, and is sealed anew
		return nil
	}
	if err := i.compare(ctx); err != nil {
		return fmt.Errorf("compare what was imported: %w", err)
	}
	return i.store.Note(ctx, archive.Progress{File: i.whole.checksum, Line: i.whole.lines + 1})
}

// begin returns how far an import of the file has come.
func (i *importing) begin(ctx context.Context) (archive.Progress, error) {
	p, err := i.store.Unfinished(ctx)
	switch {
	case err != nil || p.File == i.whole.checksum:
		return p, err
	case p.File != "":
		return p, mistake{"the import of another file into this store has not ended; only that one can go on"}
	}
	empty, err := i.store.Empty(ctx)
	if err != nil {
		return p, err
	}
	if !empty {
		return p, mistake{"there are users in this store already; an export can only be imported into an empty one"}
	}
	p.File = i.whole.checksum
	return p, i.store.Note(ctx, p)
}

// load loads the lines behind so many.
func (i *importing) load(ctx context.Context, lines reader, begun int64) error {
	done := begun
	if _, err := lines.next(); err != nil { // the header
		return err
	}
	known := newCatalog()
	i.show.add(done, "")
	var things []any
	var kind archive.Kind
	flush := func() error {
		if len(things) == 0 {
			return nil
		}
		if err := i.store.Load(ctx, kind, things); err != nil {
			return fmt.Errorf("things of the kind %s: %w", kind.Name(), err)
		}
		done += int64(len(things))
		i.show.add(int64(len(things)), kind.Name())
		things = nil
		return i.store.Note(ctx, archive.Progress{File: i.whole.checksum, Line: done})
	}
	for n := int64(0); n < i.whole.lines; n++ {
		text, err := lines.next()
		if err != nil {
			return err
		}
		if n < begun {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return err
		}
		k, thing, err := known.thing(l)
		if err != nil {
			return fmt.Errorf("line %d: %w", n+2, err)
		}
		if kind != nil && k.Name() != kind.Name() || len(things) == loadedAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
		kind, things = k, append(things, thing)
	}
	return flush()
}

// catalog has the kinds of things and of records that this release knows.
type catalog struct {
	kinds map[string]archive.Kind
	nouns []record.Noun
}

func newCatalog() catalog {
	c := catalog{map[string]archive.Kind{}, nouns()}
	for _, k := range archive.Kinds() {
		c.kinds[k.Name()] = k
	}
	return c
}

// thing returns what a line has, with its kind.
func (c catalog) thing(l line) (archive.Kind, any, error) {
	k, known := c.kinds[l.Kind]
	if !known {
		return nil, nil, fmt.Errorf("there is no kind %q in this release", l.Kind)
	}
	thing, err := k.Decode(l.Thing)
	if err == nil {
		thing, err = completed(c.nouns, thing)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("of the kind %s: %w", l.Kind, err)
	}
	return k, thing, nil
}

// completed returns a record with what follows from it, and other things as they are.
func completed(all []record.Noun, thing any) (any, error) {
	r, ok := thing.(record.Record)
	if !ok {
		return thing, nil
	}
	noun, err := nounOf(all, r.Kind)
	if err != nil {
		return nil, err
	}
	return noun.Complete(r)
}

// compare reads everything back.
func (i *importing) compare(ctx context.Context) error {
	defer i.verify.end()
	has := sums{}
	for _, k := range archive.Kinds() {
		err := i.store.Dump(ctx, k, nil, i.whole.header.Since, func(thing any) error {
			text, err := k.Encode(thing)
			has.add(k.Name(), lineOf(k, text))
			i.verify.add(1, k.Name())
			return err
		})
		if err != nil {
			return err
		}
	}
	return has.differ(i.whole.sums, "the store has")
}
