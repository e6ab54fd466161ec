package progress

import (
	"fmt"
	"slices"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/attachment"
	"piyasa/collect/vyk/late"
)

// cutFor is how long a file that is cut may become whole: one that is cut after it came so.
const cutFor = 24 * time.Hour

// Waits reports whether a disclosure or an attachment is still to be read now.
func (s *State) Waits(e late.Entry) bool { return s.first(e) || s.Late.Index(e) >= 0 }

// first reports whether it is the first of the queue, or of the attachments.
func (s *State) first(e late.Entry) bool {
	if e.File != "" {
		return len(s.Files) > 0 && s.Files[0] == e.File
	}
	return len(s.Queue) > 0 && s.Queue[0].Is(e)
}

// pop takes it out of the queue, or of the attachments, if it is the first.
func (s *State) pop(e late.Entry) {
	switch {
	case !s.first(e):
	case e.File != "":
		s.Files = s.Files[1:]
	default:
		s.Queue, s.Since = s.Queue[1:], time.Time{}
	}
}

// Done notes that a disclosure or an attachment has been read, and the attachments to be downloaded
// for it.
func (s *State) Done(e late.Entry, files ...string) {
	s.Files = append(s.Files, files...)
	s.pop(e)
	s.Late.Drop(e)
}

// MissingDetail notes that a disclosure that Waits is not there. After a while the others go on
// without it.
func (s *State) MissingDetail(rules Rules, n int64, at time.Time) (more bool, warning string) {
	e := late.Entry{N: n}
	if index := s.Late.Index(e); index >= 0 {
		if s.Late.Again(index, at) {
			warning = fmt.Sprintf("the service has listed disclosure %d for 30 days without its details: it is given up", n)
		}
		s.pop(e)
		return true, warning
	}
	if s.Since.IsZero() {
		s.Since = at
	}
	if full := s.Late.Full(); at.Sub(s.Since) < rules.Hold || full != "" {
		return false, full
	}
	e = s.Queue[0]
	e.Since = s.Since
	s.pop(e)
	s.Late.Add(e, at)
	return true, ""
}

// MissingFile notes that an attachment that Waits is not there, or is cut.
func (s *State) MissingFile(id string, at time.Time) (more bool, warning string) {
	e := late.Entry{File: id, Since: at}
	index := s.Late.Index(e)
	if full := s.Late.Full(); index < 0 && full != "" {
		return false, full
	}
	s.pop(e)
	if index < 0 {
		s.Late.Add(e, at)
	} else if s.Late.Again(index, at) {
		warning = fmt.Sprintf("the service has had no attachment %s for 30 days: it is given up", id)
	}
	return true, warning
}

// MayGrow reports whether an attachment that is cut may be whole later.
func (s *State) MayGrow(id string, at time.Time) bool {
	index := s.Late.Index(late.Entry{File: id})
	return index < 0 || at.Sub(s.Late[index].Since) < cutFor
}

// Without goes on without a disclosure or an attachment that is larger than it may be, and without
// an attachment that does not come; refused: the service says that it gives none. Anything else
// that is wrong ends the run: the error is the trouble.
func (s *State) Without(e late.Entry, t *collect.Trouble, refused bool, at time.Time) (warning string, err error) {
	name := fmt.Sprint("disclosure ", e.N)
	if e.File != "" {
		name = "attachment " + attachment.Location(e.File)
	}
	index, away := s.Late.Index(e), e.File != "" && !refused
	switch {
	case t.TooLarge:
		s.Late.Drop(e)
		warning = fmt.Sprintf("%s stays at the service: %s", name, t.What)
	case away && index >= 0:
		warning = fmt.Sprintf("%s does not come: %s", name, t.What)
		if s.Late.Again(index, at) {
			warning += "; after 30 days it is given up"
		}
	case away && s.Late.Full() == "":
		e.Since = at
		s.Late.Add(e, at)
		warning = fmt.Sprintf("%s does not come, and is asked for again later: %s", name, t.What)
	default:
		return "", t
	}
	if e.File == "" {
		s.pop(e)
	}
	s.Files = slices.DeleteFunc(s.Files, func(file string) bool { return file == e.File })
	return warning, nil
}
