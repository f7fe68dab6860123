// Command timing measures whether a stranger can tell accounts apart by how long the
// sign-in page and the password grant take to refuse a wrong password. It tries a name that
// nobody has, and those of an account without anything special, of a blocked one and of one
// with two factors. They come in random order, each from another address, so that nothing
// is throttled and what else the machine does falls on all alike.
//
// GATEHOUSE_URL names the server, which must be on the loopback, and GATEHOUSE_ROOT_TOKEN
// an administrator's token.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

func main() {
	tries := flag.Int("tries", 1000, "how many times each account is tried at each door")
	seed := flag.Uint64("seed", 1, "of the order of the tries")
	flag.Parse()
	alike, err := run(os.Getenv("GATEHOUSE_URL"), os.Getenv("GATEHOUSE_ROOT_TOKEN"), *tries, rand.New(rand.NewPCG(*seed, 0)))
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "timing:", err)
		os.Exit(1)
	case !alike:
		os.Exit(1)
	}
}

func run(base, token string, tries int, random *rand.Rand) (alike bool, err error) {
	s, err := newSite(base, token, random)
	if err != nil {
		return false, err
	}
	if _, err := s.measure(warmUp, random); err != nil {
		return false, err
	}
	taken, err := s.measure(tries, random)
	if err != nil {
		return false, err
	}
	return report(os.Stdout, compare(taken, random)), nil
}

// warmUp is how many first tries do not count.
const warmUp = 20

// visit is a try of an account at a door.
type visit struct {
	door    door
	account account
}

// measure tries each account at each door so many times.
func (s *site) measure(tries int, random *rand.Rand) (map[visit][]time.Duration, error) {
	visits := []visit{}
	for _, d := range doors {
		for _, a := range accounts {
			visits = append(visits, visit{d, a})
		}
	}
	taken := map[visit][]time.Duration{}
	for range tries {
		random.Shuffle(len(visits), func(i, j int) { visits[i], visits[j] = visits[j], visits[i] })
		for _, v := range visits {
			took, err := s.try(v)
			if err != nil {
				return nil, fmt.Errorf("%s at the %s: %w", v.account, v.door, err)
			}
			taken[v] = append(taken[v], took)
		}
	}
	return taken, nil
}
