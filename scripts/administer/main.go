// Command administer does what scripts/admin offers: it works on the store of a
// local server or of a deployment, through the same rules.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gatehouse/scripts/backend"
	"gatehouse/shared/app"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/fault"
)

// The exit codes.
const (
	failed   = 1
	mistaken = 2 // what was typed cannot be done
)

// command is one of those that --help lists.
type command struct {
	words   string // such as "users list"
	args    string // as its help shows them
	summary string
	help    string // further lines; empty: none
	run     func(context.Context, *session, []string) error
	// begins means that the command may make the data of a local server.
	begins bool
	// imports means that the command goes on with an import that has not ended.
	imports bool
}

var commands = []command{
	{words: "create-admin", summary: "make the first administrator, root, with a token", run: createAdmin, begins: true,
		help: "GATEHOUSE_ROOT_PASSWORD and GATEHOUSE_ROOT_TOKEN choose the credentials.\nWhere there are users already, nothing is made."},
	{words: "users list", args: "[--search TEXT] [--page N]", summary: "list users, the newest first", run: listUsers},
	{words: "users create", args: "USERNAME EMAIL [--name NAME] [--user] [--stdin]", summary: "make an administrator, or with --user somebody who is none", run: createUser},
	{words: "users block", args: "USER", summary: "bar a user from the service, and end the sessions", run: blockUser},
	{words: "users unblock", args: "USER", summary: "end a block", run: unblockUser},
	{words: "users password", args: "USER [--stdin]", summary: "give a user a new password, and end the sessions", run: resetPassword},
	{words: "users second-factor", args: "USER", summary: "remove the second factor of a user who lost it, and end the sessions", run: resetSecondFactor},
	{words: "keys", summary: "show the instance keys, and how many things are sealed under each", run: showKeys,
		help: "The first key is in use; the others only open what was made under them."},
	{words: "keys rotate", summary: "put a new instance key in front of the others, and seal under it", run: rotateKeys,
		help: "Stop the server first. Of a deployment, it only tells what to do."},
	{words: "keys drop", summary: "remove the instance keys that are not in use, if nothing is sealed under them", run: dropKeys,
		help: "Stop the server first. Refresh tokens that were made under a removed key end: they last 180 days."},
	{words: "export", args: "FILE", summary: "write everything that is kept to a file of JSON lines", run: exportData,
		help: "Stop the server first: what changes meanwhile may be in the file in part, and its import fails.\nAn interrupted export goes on where it was. Sessions and counters of failed sign-ins are left out."},
	{words: "import", args: "FILE [--key-file FILE]", summary: "load an export into an empty store, and compare all of it", run: importData, begins: true, imports: true,
		help: "An interrupted import goes on where it was. Secrets stay sealed as they are, if the instance\nhas the key of the other one. Else --key-file names the file with that key, and they are sealed anew."},
	{words: "reseal", summary: "encrypt what is kept encrypted under the instance key in use", run: resealAll,
		help: "It may run again at any time. It also tells how many secrets no key opens."},
	{words: "relist", summary: "list anew what an earlier release stored on DynamoDB", run: relistAll,
		help: "Run it after a deployment, when no function of the earlier release runs any more,\nand again after a rollback. It may run again at any time."},
}

// session is what a command works with.
type session struct {
	env     boot.Env
	from    string // the directory of the caller
	in      io.Reader
	out     io.Writer
	err     io.Writer // for progress
	backend *backend.Backend
	*app.App
}

// mistake is an error in what was typed.
type mistake struct{ text string }

func (m mistake) Error() string { return m.text }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	os.Exit(report(os.Stderr, s.main(ctx, os.Args[1:])))
}

// report prints the error and returns the exit code.
func report(w io.Writer, err error) int {
	var m mistake
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "Interrupted.")
		return failed
	}
	fmt.Fprintln(w, "scripts/admin:", err)
	if errors.As(err, &m) || fault.KindOf(err) != "" {
		return mistaken
	}
	return failed
}

func (s *session) main(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == "-from" { // scripts/admin says so
		s.from, args = args[1], args[2:]
	}
	c, args, err := commandOf(args)
	if err != nil || c == nil {
		if err == nil {
			usage(s.out, "")
		}
		return err
	}
	if asksForHelp(args) {
		_, err := fmt.Fprintf(s.out, "scripts/admin %s\n\n%s\n", strings.TrimSpace(c.words+" "+c.args), c.explained())
		return err
	}
	if err := s.open(ctx, *c); err != nil {
		return err
	}
	defer s.backend.Close()
	source := audit.Source{Browser: audit.Browser{UserAgent: "scripts/admin " + c.words}}
	return c.run(audit.WithSource(ctx, source), s, args)
}

func (c command) explained() string {
	text := "To " + c.summary + "."
	if c.help != "" {
		text += "\n" + c.help
	}
	return text
}

// commandOf returns the command that the first words name, and the words behind; no command
// where only help is asked for.
func commandOf(args []string) (*command, []string, error) {
	if len(args) == 0 || asksForHelp(args[:1]) || args[0] == "help" {
		return nil, nil, nil
	}
	var best *command
	for n := range commands {
		words := strings.Fields(commands[n].words)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == commands[n].words {
			if best == nil || len(words) > len(strings.Fields(best.words)) {
				best = &commands[n]
			}
		}
	}
	if best != nil {
		return best, args[len(strings.Fields(best.words)):], nil
	}
	var some strings.Builder
	usage(&some, args[0]+" ")
	if some.Len() > 0 && (len(args) == 1 || asksForHelp(args[1:])) {
		return nil, nil, mistake{"which one?\n" + some.String()}
	}
	return nil, nil, mistake{fmt.Sprintf("there is no command %q; see scripts/admin --help", strings.Join(args, " "))}
}

func asksForHelp(args []string) bool {
	for _, a := range args {
		if a == "-h" || a == "-help" || a == "--help" {
			return true
		}
	}
	return false
}

// usage lists the commands that begin with the words.
func usage(w io.Writer, begin string) {
	for _, c := range commands {
		if strings.HasPrefix(c.words, begin) {
			fmt.Fprintf(w, "  scripts/admin %s\n      %s\n", strings.TrimSpace(c.words+" "+c.args), c.summary)
		}
	}
}

// open opens the store that the environment names.
func (s *session) open(ctx context.Context, c command) (err error) {
	if s.env, err = boot.ReadEnv(os.Getenv); err != nil {
		return mistake{err.Error()}
	}
	if os.Getenv("GATEHOUSE_LOG_LEVEL") == "" {
		s.env.LogLevel = slog.LevelError // the trail logs what the output says
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: s.env.LogLevel})))
	if !c.begins && s.env.Store == "sqlite" {
		if _, err := os.Stat(filepath.Join(s.env.Data, "gatehouse.db")); errors.Is(err, fs.ErrNotExist) {
			return mistake{fmt.Sprintf("there is no data in %s; name another directory with GATEHOUSE_DATA, or a deployment with GATEHOUSE_STORE=dynamodb", s.env.Data)}
		}
	}
	open := backend.Open
	if c.imports {
		open = backend.OpenToImport
	}
	s.backend, err = open(ctx, s.env, "template.yaml")
	if errors.Is(err, backend.ErrUnfinished) {
		return mistake{err.Error()}
	}
	if err != nil {
		return err
	}
	s.App = boot.New(s.env, s.backend.Store, s.backend.Keys)
	return nil
}

// parse reads the options of a command wherever they stand, and returns its arguments,
// which must be as many as are named.
func parse(options *flag.FlagSet, args []string, names ...string) ([]string, error) {
	options.SetOutput(io.Discard)
	var found []string
	for len(args) > 0 {
		if err := options.Parse(args); err != nil {
			return nil, mistake{err.Error() + "; --help tells the options"}
		}
		if args = options.Args(); len(args) > 0 {
			found, args = append(found, args[0]), args[1:]
		}
	}
	if len(found) < len(names) {
		return nil, mistake{strings.Join(names[len(found):], " and ") + " is missing"}
	}
	if len(found) > len(names) {
		return nil, mistake{fmt.Sprintf("what is %q? --help tells what goes here", found[len(names)])}
	}
	return found, nil
}

func options() *flag.FlagSet { return flag.NewFlagSet("", flag.ContinueOnError) }

func createAdmin(ctx context.Context, s *session, args []string) error {
	if _, err := parse(options(), args); err != nil {
		return err
	}
	root, made, err := backend.FirstStart(ctx, s.App, s.env)
	switch {
	case err != nil:
		return err
	case !made:
		fmt.Fprintln(s.out, "There are users already, so nothing was made.")
	default:
		backend.ShowRoot(s.out, root, s.env)
	}
	return nil
}

func resealAll(ctx context.Context, s *session, args []string) error {
	if _, err := parse(options(), args); err != nil {
		return err
	}
	return reseal(ctx, s.App, s.out)
}

func relistAll(ctx context.Context, s *session, args []string) error {
	if _, err := parse(options(), args); err != nil {
		return err
	}
	return relist(ctx, s.backend.Store, time.Now(), s.out)
}
