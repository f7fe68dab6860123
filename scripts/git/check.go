package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checks are made in this order: the first pushes what the others fetch.
var checks = []struct {
	promise string
	check   func(context.Context, *world) error
}{
	{"a token with write_repository clones and pushes", pushes},
	{"a token with read_repository clones, in any letter case, and is refused the push", readsOnly},
	{"an OAuth access token is a password as well", oauthToken},
	{"a token that is wrong, revoked or missing is asked for credentials", asksForCredentials},
	{"a reporter fetches and is refused the push, a guest is refused the fetch", roles},
	{"a project that is not visible is not found, an internal one is everybody's to fetch", visibility},
	{"addresses with two readings, other protocols and a client's own headers lead nowhere", addresses},
}

// large is more than Git sends in one piece.
const large = 3 << 20

func pushes(ctx context.Context, w *world) error {
	dir, err := clone(ctx, w, "/"+w.group+"/web.git", w.write)
	if err != nil {
		return err
	}
	if err := commit(ctx, dir, large); err != nil {
		return err
	}
	if out, err := git(ctx, dir, "push", "--quiet", "origin", "HEAD:main"); err != nil {
		return fmt.Errorf("push: %w: %s", err, out)
	}
	return sameHead(ctx, dir, w.repository("web"))
}

func readsOnly(ctx context.Context, w *world) error {
	for _, path := range []string{"/" + w.group + "/web.git", "/" + strings.ToUpper(w.group) + "/Web"} {
		if err := clonesButDoesNotPush(ctx, w, path, w.read); err != nil {
			return err
		}
	}
	return nil
}

func oauthToken(ctx context.Context, w *world) error {
	return clonesButDoesNotPush(ctx, w, "/"+w.group+"/web.git", w.oauth)
}

func clonesButDoesNotPush(ctx context.Context, w *world, path, token string) error {
	dir, err := clone(ctx, w, path, token)
	if err != nil {
		return err
	}
	if err := sameHead(ctx, dir, w.repository("web")); err != nil {
		return err
	}
	if err := commit(ctx, dir, 10); err != nil {
		return err
	}
	out, err := git(ctx, dir, "push", "origin", "HEAD:main")
	return refused(out, err, "error: 403", "does not allow this")
}

func asksForCredentials(ctx context.Context, w *world) error {
	for token, want := range map[string]string{"gtpat-wrong": "Authentication failed", w.revoked: "Authentication failed", "": "could not read Username"} {
		out, err := git(ctx, w.server.dir, "ls-remote", w.url("/"+w.group+"/web.git", token))
		if err := refused(out, err, want); err != nil {
			return err
		}
	}
	resp, err := get(ctx, w, "/"+w.group+"/web.git/info/refs?service=git-upload-pack", "gtpat-wrong", nil)
	if err != nil {
		return err
	}
	if challenge := resp.Header.Values("WWW-Authenticate"); resp.StatusCode != 401 || len(challenge) != 1 || challenge[0] != `Basic realm="Gatehouse"` {
		return fmt.Errorf("status %d, WWW-Authenticate %q", resp.StatusCode, challenge)
	}
	return nil
}

func roles(ctx context.Context, w *world) error {
	if err := clonesButDoesNotPush(ctx, w, "/"+w.group+"/web.git", w.reporterWrites); err != nil {
		return err
	}
	out, err := git(ctx, w.server.dir, "ls-remote", w.url("/"+w.group+"/web.git", w.guestReads))
	return refused(out, err, "error: 403")
}

func visibility(ctx context.Context, w *world) error {
	for _, path := range []string{"/web.git", "/hidden.git", "/nothing.git"} {
		out, err := git(ctx, w.server.dir, "ls-remote", w.url("/"+w.group+path, w.stranger))
		if err := refused(out, err, "not found", "no such project, or you may not see it"); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	out, err := git(ctx, w.server.dir, "ls-remote", w.url("/"+w.group+"/open.git", w.stranger))
	if err != nil {
		return fmt.Errorf("the internal project: %w: %s", err, out)
	}
	return nil
}

func addresses(ctx context.Context, w *world) error {
	const refs = "/info/refs?service=git-upload-pack"
	forged := map[string]string{
		"X-Original-URI": "/" + w.group + "/web.git" + refs, "X-Forwarded-Uri": "/" + w.group + "/web.git" + refs,
		"X-Original-Method": "GET", "X-Forwarded-Method": "GET",
	}
	for _, address := range []string{
		"/" + w.group + "%2Fweb.git" + refs, "//" + w.group + "/web.git" + refs, "/" + w.group + "/hidden.git/../web.git" + refs,
		"/" + w.group + "/web%2Egit" + refs, "/" + w.group + "/hidden.git/%2e%2e/web.git" + refs, "/" + w.group + "/hidden.git" + refs,
		"/" + w.group + "/web.git/info/refs", "/" + w.group + "/web.git/HEAD", "/" + w.group + "/web.git/info/lfs/objects/batch",
		"/" + w.group + "/web.git" + refs + "&service=git-receive-pack", "/",
	} {
		for _, header := range []map[string]string{nil, forged} {
			resp, err := get(ctx, w, address, w.read, header)
			if err != nil {
				return err
			}
			if resp.StatusCode != http.StatusNotFound {
				return fmt.Errorf("%s with the headers %v: status %d, want 404", address, header, resp.StatusCode)
			}
		}
	}
	return nil
}

// get asks nginx for an address as it is written.
func get(ctx context.Context, w *world, address, token string, header map[string]string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.server.address+address, nil)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth("oauth2", token)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp, err
}

// clone clones into a new directory and returns that.
func clone(ctx context.Context, w *world, path, token string) (string, error) {
	dir, err := os.MkdirTemp(w.server.dir, "clone-")
	if err != nil {
		return "", err
	}
	if out, err := git(ctx, dir, "clone", "--quiet", w.url(path, token), "."); err != nil {
		return "", fmt.Errorf("clone %s: %w: %s", path, err, out)
	}
	return dir, nil
}

// commit adds a file that does not compress.
func commit(ctx context.Context, dir string, size int) error {
	content := make([]byte, size)
	rand.Read(content)
	if err := os.WriteFile(filepath.Join(dir, "file"), content, 0o600); err != nil {
		return err
	}
	if out, err := git(ctx, dir, "add", "file"); err != nil {
		return fmt.Errorf("add: %w: %s", err, out)
	}
	if out, err := git(ctx, dir, "commit", "--quiet", "-m", "a file"); err != nil {
		return fmt.Errorf("commit: %w: %s", err, out)
	}
	return nil
}

// sameHead compares what is checked out with the branch main of the bare
// repository.
func sameHead(ctx context.Context, dir, bare string) error {
	here, err := git(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return fmt.Errorf("rev-parse: %w: %s", err, here)
	}
	there, err := git(ctx, bare, "rev-parse", "main")
	if err != nil || here != there {
		return fmt.Errorf("the clone is at %s, the repository at %s (%v)", here, there, err)
	}
	return nil
}

// refused checks that Git failed and said each of these.
func refused(out string, err error, said ...string) error {
	if err == nil {
		return fmt.Errorf("it was let through")
	}
	for _, s := range said {
		if !strings.Contains(out, s) {
			return fmt.Errorf("Git does not say %q but: %s", s, out)
		}
	}
	return nil
}

// git runs Git without anything of this machine's configuration.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "init.defaultBranch=main"}, args...)...)
	c.Dir = dir
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Dana", "GIT_AUTHOR_EMAIL=dana@example.com", "GIT_COMMITTER_NAME=Dana", "GIT_COMMITTER_EMAIL=dana@example.com",
	}
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
