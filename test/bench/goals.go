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
	// cost are the same for a second of processor time; nil if that says nothing.
	cost *goal
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

func perProcessor(work, server string) figures {
	return func(r *results) []float64 { return r.figuresOf(pair{work, server}, sample.perProcessor) }
}

// faster is a goal of a work beside that of another server.
func faster(text string, atLeast float64, work, otherWork, other string) goal {
	return goal{
		text: text, atLeast: atLeast, ours: perSecond(work, piyasaName), theirs: perSecond(otherWork, other),
		cost: &goal{ours: perProcessor(work, piyasaName), theirs: perProcessor(otherWork, other)},
	}
}

func goals() []goal {
	all := []goal{
		faster("one quote over GraphQL, beside piyasa's REST", 0.8, "W1", "W1-rest", piyasaName),
		faster("one quote over GraphQL, beside Mercurius", 2.5, "W1", "W1", "mercurius"),
		faster("one quote over REST, beside constant bytes", 0.7, "W1-rest", "W1-rest", "constant"),
		faster("a watchlist of 100, beside Mercurius", 10, "W2", "W2", "mercurius"),
		faster("a watchlist of 100 for the first time, beside Mercurius", 10, "W2-fresh", "W2-fresh", "mercurius"),
		faster("1,400 bars as objects, beside Mercurius", 7, "W3", "W3", "mercurius"),
		faster("1,400 bars as objects for the first time, beside Mercurius", 7, "W3-fresh", "W3-fresh", "mercurius"),
		faster("1,400 bars over REST, beside constant bytes", 0.4, "W3-rest", "W3-rest", "constant"),
		faster("1,400 bars over REST for the first time, beside constant bytes", 0.4, "W3-rest-fresh", "W3-rest-fresh", "constant"),
		faster("a page of disclosures over GraphQL, beside Mercurius", 3, "W4", "W4", "mercurius"),
		faster("a page of disclosures over REST, beside hand-written SQL", 1.2, "W4-rest", "W4-rest", "handwritten"),
	}
	for _, clients := range []int{1_000, 5_000} {
		sockets := thousands(clients) + " sockets"
		of := func(figure func(delivered) float64) (ours, theirs figures) {
			return ofStream(clients, piyasaName, figure), ofStream(clients, "centrifuge", figure)
		}
		rate := goal{text: "deliveries to " + sockets + ", beside centrifuge", atLeast: 2, cost: &goal{}}
		rate.ours, rate.theirs = of(func(m delivered) float64 { return m.perSecond })
		rate.cost.ours, rate.cost.theirs = of(delivered.perProcessor)
		latency := goal{text: fmt.Sprintf("p99 at %s deliveries/s to %s, beside centrifuge", thousands(pacedRate), sockets), atMost: 1}
		latency.ours, latency.theirs = of(func(m delivered) float64 { return milliseconds(m.paced) })
		memory := goal{text: "KiB of memory a socket, " + sockets, atMost: 12}
		memory.ours, _ = of(func(m delivered) float64 { return m.perSocket / 1024 })
		all = append(all, rate, latency, memory)
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
