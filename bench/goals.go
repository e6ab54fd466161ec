package main

import (
	"fmt"
	"slices"
)

// goal is what piyasa's figures should be beside another's of the same rounds.
type goal struct {
	text         string
	ours, theirs figures // theirs nil: the goal is of ours alone
	atLeast      float64 // ratio; 0: there is none
	atMost       float64
}

// figures returns a figure of each round.
type figures func(*results) []float64

func (r *results) figuresOf(p pair, of func(sample) float64) []float64 {
	var all []float64
	for _, m := range r.requests[p] {
		all = append(all, of(m))
	}
	return all
}

func perSecond(work, server string) figures {
	return func(r *results) []float64 {
		return r.figuresOf(pair{work, server}, func(m sample) float64 { return m.perSecond })
	}
}

func ofStream(clients int, server string, of func(delivered) float64) figures {
	return func(r *results) []float64 {
		var all []float64
		for _, m := range r.streams[pair{deliveries(clients), server}] {
			all = append(all, of(m))
		}
		return all
	}
}

func goals() []goal {
	all := []goal{
		{"one quote over GraphQL, beside piyasa's REST", perSecond("W1", piyasaName), perSecond("W1-rest", piyasaName), 0.8, 0},
		{"one quote over GraphQL, beside Mercurius", perSecond("W1", piyasaName), perSecond("W1", "mercurius"), 2.5, 0},
		{"one quote over REST, beside constant bytes", perSecond("W1-rest", piyasaName), perSecond("W1-rest", "constant"), 0.7, 0},
		{"a watchlist of 100, beside Mercurius", perSecond("W2", piyasaName), perSecond("W2", "mercurius"), 10, 0},
		{"1,400 bars as objects, beside Mercurius", perSecond("W3", piyasaName), perSecond("W3", "mercurius"), 7, 0},
		{"1,400 bars over REST, beside constant bytes", perSecond("W3-rest", piyasaName), perSecond("W3-rest", "constant"), 0.4, 0},
		{"a page of disclosures over GraphQL, beside Mercurius", perSecond("W4", piyasaName), perSecond("W4", "mercurius"), 3, 0},
		{"a page of disclosures over REST, beside hand-written SQL", perSecond("W4-rest", piyasaName), perSecond("W4-rest", "handwritten"), 1.2, 0},
	}
	saturated := func(m delivered) float64 { return m.perSecond }
	paced := func(m delivered) float64 { return milliseconds(m.paced) }
	for _, clients := range []int{1_000, 5_000} {
		sockets := thousands(clients) + " sockets"
		all = append(all,
			goal{"deliveries to " + sockets + ", beside centrifuge", ofStream(clients, piyasaName, saturated), ofStream(clients, "centrifuge", saturated), 2, 0},
			goal{fmt.Sprintf("p99 at %s deliveries/s to %s, beside centrifuge", thousands(pacedRate), sockets),
				ofStream(clients, piyasaName, paced), ofStream(clients, "centrifuge", paced), 0, 1},
			goal{"KiB of memory a socket, " + sockets, ofStream(clients, piyasaName, func(m delivered) float64 { return m.perSocket / 1024 }), nil, 0, 12})
	}
	return all
}

// judge returns the ratio of each round, or ours alone; none if something was not
// measured.
func (g goal) judge(r *results) []float64 {
	ours := g.ours(r)
	if g.theirs == nil {
		return ours
	}
	theirs := g.theirs(r)
	var ratios []float64
	for i := range min(len(ours), len(theirs)) {
		ratios = append(ratios, ours[i]/theirs[i])
	}
	return ratios
}

func (g goal) isMet(ratios []float64) bool {
	if g.atLeast > 0 {
		return middle(ratios) >= g.atLeast
	}
	return middle(ratios) <= g.atMost
}

func (g goal) wanted() string {
	if g.atLeast > 0 {
		return fmt.Sprintf("≥ %g", g.atLeast)
	}
	return fmt.Sprintf("≤ %g", g.atMost)
}

// spread writes the median and, of several rounds, the least and the most.
func spread(figures []float64, write func(float64) string) string {
	text := write(middle(figures))
	if len(figures) > 1 {
		text += fmt.Sprintf(" (%s to %s)", write(slices.Min(figures)), write(slices.Max(figures)))
	}
	return text
}

// number writes three significant digits.
func number(f float64) string {
	switch {
	case f >= 100:
		return thousands(int(f + 0.5))
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

// thousands writes commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
