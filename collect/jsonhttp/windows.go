package jsonhttp

import (
	"errors"
	"maps"
	"time"
)

// windows walk through time: one question for each window, from the day in a variable to today.
type windows struct {
	From    string `json:"from"` // the variable
	Days    int    `json:"days"`
	Months  int    `json:"months"`
	Overlap *int   `json:"overlap"` // days before today to ask for again; absent: 1
}

// checkWindows reports invalid windows.
func (s *source) checkWindows() error {
	w := s.Windows
	if w == nil {
		return nil
	}
	if w.Overlap == nil {
		w.Overlap = new(int)
		*w.Overlap = 1
	}
	_, err := time.Parse(time.DateOnly, s.Start[w.From])
	if err != nil || w.Days < 0 || w.Months < 0 || w.Days > 3660 || w.Months > 120 || (w.Days == 0) == (w.Months == 0) || *w.Overlap < 0 {
		return errors.New(`"windows" must be {"from": NAME, "days": N} or {"from": NAME, "months": N}, perhaps with "overlap" in days: ` +
			`NAME is a variable of "start" that begins with a day`)
	}
	return nil
}

// of returns the first and the last day of a question's window, and whether it ends today.
func (w *windows) of(k *kept, now time.Time) (from, to time.Time, last bool, err error) {
	today, _ := time.Parse(time.DateOnly, day(now))
	if from, err = time.Parse(time.DateOnly, k.Variables[w.From]); err != nil {
		return from, to, false, err
	}
	if from.After(today) { // the clock went back
		from = today
	}
	to = from.AddDate(0, w.Months, w.Days).AddDate(0, 0, -1)
	if w.Months > 0 { // windows of months end with a month
		to = time.Date(from.Year(), from.Month()+time.Month(w.Months), 0, 0, 0, 0, 0, time.UTC)
	}
	if last = !to.Before(today); last {
		to = today
	}
	return from, to, last, nil
}

// next returns the variables after the last page of a window, and whether another window
// follows. The repeated days do not begin before the first day of all.
func (w *windows) next(k *kept, asked time.Time, first string) (map[string]string, bool, error) {
	_, to, last, err := w.of(k, asked)
	if err != nil {
		return nil, false, err
	}
	variables := maps.Clone(k.Coming)
	begin := to.AddDate(0, 0, 1)
	if last {
		begin = to.AddDate(0, 0, -*w.Overlap)
	}
	variables[w.From] = max(begin.Format(time.DateOnly), first)
	return variables, !last, nil
}
