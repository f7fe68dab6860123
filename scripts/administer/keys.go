package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gatehouse/scripts/backend"
	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

// showKeys prints the names of the instance keys with what is sealed under each.
func showKeys(ctx context.Context, s *session, args []string) error {
	if _, err := parse(options(), args); err != nil {
		return err
	}
	sealed, lost, err := s.sealedUnder(ctx, s.backend.Keys)
	if err != nil {
		return err
	}
	for n, id := range keyIDs(s.backend.Keys) {
		use := "for reading"
		if n == 0 {
			use = "in use"
		}
		fmt.Fprintf(s.out, "%s  %-11s  seals the secrets of %d things\n", id, use, sealed[n])
	}
	if lost > 0 {
		fmt.Fprintf(s.out, "The secrets of %d things are sealed under keys that this instance does not have.\n", lost)
	}
	return nil
}

// sealedUnder counts the things with secrets that each of the keys opens, and those that
// none does. It changes nothing: with a single key no secret is due to be sealed anew.
func (s *session) sealedUnder(ctx context.Context, keys secret.Keys) (opened []int, lost int, err error) {
	closedTo := func(one secret.Keys) (int, error) {
		r := resealing{app: boot.New(s.env, s.backend.Store, one)}
		err := r.all(ctx)
		return r.lost, err
	}
	none, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		return nil, 0, err
	}
	all, err := closedTo(none)
	if err != nil {
		return nil, 0, err
	}
	lost = all
	for _, one := range keys.Each() {
		closed, err := closedTo(one)
		if err != nil {
			return nil, 0, err
		}
		opened = append(opened, all-closed)
		lost -= all - closed
	}
	return opened, max(lost, 0), nil
}

// inCloud tells how to change the keys of a deployment, which this command does not do:
// the functions have to be started anew in between.
const inCloud = `The instance keys of a deployment are in Secrets Manager. To rotate them without refusing anyone:

1. Put a new key behind the old one, and have the functions read their keys again:
     KEYS=$(aws secretsmanager get-secret-value --secret-id %[1]s --query SecretString --output text)
     NEW=$(openssl rand -base64 32)
     aws secretsmanager put-secret-value --secret-id %[1]s --secret-string "$KEYS $NEW"
2. Put it in front, and have them read their keys again:
     aws secretsmanager put-secret-value --secret-id %[1]s --secret-string "$NEW $KEYS"
3. A few minutes later: scripts/admin reseal
4. scripts/admin keys shows when nothing is sealed under the old key. Remove it 180 days later,
   when no refresh token is left that was made under it.

functions/docs/deployment.md tells more.
`

// changeKeys changes the file of the keys while no server runs, which would not know them.
// For a deployment it prints what to do.
func changeKeys(s *session, args []string, change func(path string, words []string) error) error {
	if _, err := parse(options(), args); err != nil {
		return err
	}
	if s.env.KeySecretARN != "" {
		_, err := fmt.Fprintf(s.out, inCloud, s.env.KeySecretARN)
		return err
	}
	stopped, err := backend.Stopped(s.env)
	if err != nil {
		return err
	}
	defer stopped.Close()
	path := filepath.Join(s.env.Data, boot.KeyFileName)
	had, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return change(path, strings.Fields(string(had)))
}

// rotateKeys puts a new key in front of those in the file, and seals under it.
func rotateKeys(ctx context.Context, s *session, args []string) error {
	return changeKeys(s, args, func(path string, words []string) error { return s.rotate(ctx, path, words) })
}

func (s *session) rotate(ctx context.Context, path string, words []string) error {
	first := base64.StdEncoding.EncodeToString(secret.Random(secret.KeySize))
	keys, err := s.writeKeys(path, append([]string{first}, words...))
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The key in use is %s now. The others stay for reading.\n", keyIDs(keys)[0])
	if err := reseal(ctx, boot.New(s.env, s.backend.Store, keys), s.out); err != nil {
		return fmt.Errorf("%w; scripts/admin reseal does it again", err)
	}
	_, err = fmt.Fprintln(s.out, "Start the server again. In 180 days, scripts/admin keys drop removes the others.")
	return err
}

// writeKeys replaces the file of the keys at once, and returns them.
func (s *session) writeKeys(path string, words []string) (secret.Keys, error) {
	text := strings.Join(words, "\n") + "\n"
	keys, err := secret.ParseKeys(text)
	if err != nil {
		return keys, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), boot.KeyFileName+".*") // which only its owner can read
	if err != nil {
		return keys, err
	}
	defer os.Remove(f.Name()) // does nothing once it is renamed
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return keys, err
	}
	return keys, os.Rename(f.Name(), path)
}

// dropKeys removes the keys behind the first from the file.
func dropKeys(ctx context.Context, s *session, args []string) error {
	return changeKeys(s, args, func(path string, words []string) error { return s.drop(ctx, path, words) })
}

func (s *session) drop(ctx context.Context, path string, words []string) error {
	sealed, _, err := s.sealedUnder(ctx, s.backend.Keys)
	if err != nil {
		return err
	}
	for n, id := range keyIDs(s.backend.Keys) {
		if n > 0 && sealed[n] > 0 {
			return mistake{fmt.Sprintf("the secrets of %d things are sealed under the key %s; run scripts/admin reseal first", sealed[n], id)}
		}
	}
	if len(words) < 2 {
		_, err := fmt.Fprintln(s.out, "There is one key only.")
		return err
	}
	if _, err := s.writeKeys(path, words[:1]); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "Keys removed: %d. %s is in use.\n", len(words)-1, keyIDs(s.backend.Keys)[0])
	return err
}
