package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// usersShown is how many users a page of the list has.
const usersShown = 50

// errEnough ends a walk through a list.
var errEnough = errors.New("enough")

func listUsers(ctx context.Context, s *session, args []string) error {
	o := options()
	search := o.String("search", "", "")
	number := o.Int("page", 1, "")
	if _, err := parse(o, args); err != nil {
		return err
	}
	if *number < 1 {
		return mistake{"--page has to be 1 or more"}
	}
	found, more, err := s.someUsers(ctx, *search, (*number-1)*usersShown)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(s.out, "No users.")
		return err
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tUSER\tE-MAIL\tNAME\tIS")
	for _, u := range found {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", u.ID, u.Username, plain(u.Email), plain(u.Name), described(u))
	}
	if more {
		fmt.Fprintf(table, "There are more: --page %d\n", *number+1)
	}
	return table.Flush()
}

// someUsers returns the users of a page that the search finds, after so many others.
func (s *session) someUsers(ctx context.Context, search string, skip int) (found []user.User, more bool, err error) {
	wanted := strings.ToLower(search)
	all := func(r page.Request) (page.Of[user.User], error) { return s.Users.Users(ctx, r) }
	err = each(all, func(u user.User) error {
		if !strings.Contains(strings.ToLower(u.Username+"\n"+u.Email+"\n"+u.Name), wanted) {
			return nil
		}
		if skip--; skip >= 0 {
			return nil
		}
		if more = len(found) == usersShown; more {
			return errEnough
		}
		found = append(found, u)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, more, err
}

// plain returns a text that a person chose without what would move a terminal's cursor.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
}

// described tells what is special about a user.
func described(u user.User) string {
	var is []string
	if u.Admin {
		is = append(is, "administrator")
	}
	if u.Blocked() {
		is = append(is, "blocked")
	}
	if u.TwoFactorEnabled {
		is = append(is, "second factor")
	}
	return strings.Join(is, ", ")
}

func createUser(ctx context.Context, s *session, args []string) error {
	o := options()
	name := o.String("name", "", "")
	ordinary := o.Bool("user", false, "")
	stdin := o.Bool("stdin", false, "")
	given, err := parse(o, args, "USERNAME", "EMAIL")
	if err != nil {
		return err
	}
	if *name == "" {
		*name = given[0]
	}
	password, made, err := s.password(*stdin)
	if err != nil {
		return err
	}
	u, err := s.Users.Create(ctx, audit.CommandLine, user.Registration{
		Username: given[0], Email: given[1], Name: *name, Password: password, Admin: !*ordinary, Confirmed: true,
	})
	if err != nil {
		return err
	}
	what := "an administrator"
	if *ordinary {
		what = "a user"
	}
	fmt.Fprintf(s.out, "%s is %s, with the ID %d.\n", u.Username, what, u.ID)
	return s.show(password, made)
}

// password returns a password: the first line of the input, or one that is made up.
func (s *session) password(stdin bool) (password secret.Text, made bool, err error) {
	if !stdin {
		return secret.New("", 12), true, nil
	}
	line, err := bufio.NewReader(io.LimitReader(s.in, 1<<16)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return secret.Text{}, false, fmt.Errorf("read the password: %w", err)
	}
	return secret.NewText(strings.TrimRight(line, "\r\n")), false, nil
}

// show prints a password that was made up.
func (s *session) show(password secret.Text, made bool) error {
	if !made {
		return nil
	}
	_, err := fmt.Fprintf(s.out, "The password, shown this once: %s\n", password.Reveal())
	return err
}

// theUser returns the user whom the argument names, by user name or e-mail address.
func (s *session) theUser(ctx context.Context, o *flag.FlagSet, args []string) (user.User, error) {
	given, err := parse(o, args, "USER")
	if err != nil {
		return user.User{}, err
	}
	u, err := s.Users.UserByLogin(ctx, strings.TrimPrefix(given[0], "@"))
	if fault.Is(err, fault.NotFound) {
		return user.User{}, mistake{fmt.Sprintf("there is no user %q; scripts/admin users list shows them", given[0])}
	}
	return u, err
}

func blockUser(ctx context.Context, s *session, args []string) error {
	u, err := s.theUser(ctx, options(), args)
	if err != nil {
		return err
	}
	if u.Blocked() {
		_, err := fmt.Fprintf(s.out, "%s is blocked already.\n", u.Username)
		return err
	}
	if _, err := s.Users.Block(ctx, audit.CommandLine, u.ID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s is blocked, and the sessions have ended.\n", u.Username)
	return err
}

func unblockUser(ctx context.Context, s *session, args []string) error {
	u, err := s.theUser(ctx, options(), args)
	if err != nil {
		return err
	}
	if !u.Blocked() {
		_, err := fmt.Fprintf(s.out, "%s is not blocked.\n", u.Username)
		return err
	}
	if _, err := s.Users.Unblock(ctx, audit.CommandLine, u.ID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s can sign in again.\n", u.Username)
	return err
}

func resetPassword(ctx context.Context, s *session, args []string) error {
	o := options()
	stdin := o.Bool("stdin", false, "")
	u, err := s.theUser(ctx, o, args)
	if err != nil {
		return err
	}
	password, made, err := s.password(*stdin)
	if err != nil {
		return err
	}
	if _, err := s.Users.Update(ctx, audit.CommandLine, u.ID, user.Change{Password: &password}); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s has a new password, and the sessions have ended.\n", u.Username)
	if u.TwoFactorEnabled {
		fmt.Fprintf(s.out, "Signing in asks for the second factor too; scripts/admin users second-factor %s removes it.\n", u.Username)
	}
	if u.Blocked() {
		fmt.Fprintf(s.out, "The user is blocked; scripts/admin users unblock %s ends that.\n", u.Username)
	}
	return s.show(password, made)
}

func resetSecondFactor(ctx context.Context, s *session, args []string) error {
	u, err := s.theUser(ctx, options(), args)
	if err != nil {
		return err
	}
	had, err := s.TwoFactor.Reset(ctx, audit.CommandLine, u)
	if err != nil {
		return err
	}
	if !had {
		_, err := fmt.Fprintf(s.out, "%s has no second factor.\n", u.Username)
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s signs in with the password alone, and the sessions have ended.\n", u.Username)
	return err
}
