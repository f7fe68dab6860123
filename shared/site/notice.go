package site

import "net/http"

// noticeSeconds is how long a notice waits for the next page.
const noticeSeconds = 60

// Notify leaves a notice for the next page. Only its code travels, in a
// cookie: whoever plants one can choose among our sentences and write none.
func (s *Site) Notify(w http.ResponseWriter, code string) {
	s.setCookie(w, "notice", code, noticeSeconds)
}

// takeNotice returns the notice that the last action left, once.
func (s *Site) takeNotice(w http.ResponseWriter, r *http.Request) string {
	code := s.cookie(r, "notice")
	if code != "" {
		s.setCookie(w, "notice", "", -1)
	}
	return s.notices[code]
}
