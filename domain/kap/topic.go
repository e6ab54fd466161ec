package kap

import "strings"

// Topic is what a stream follows: all, type:<TYPE> or symbol:<CODE>, in
// canonical form.
type Topic string

// All is the topic of every disclosure.
const All Topic = "all"

// ParseTopic reads a topic. Keywords are lower case; types and codes may have
// any case, and aliases of types become the type. ok is false for anything
// else, including a code behind a market's prefix.
func ParseTopic(text string) (topic Topic, ok bool) {
	keyword, rest, _ := strings.Cut(text, ":")
	switch keyword {
	case "all":
		return All, text == "all"
	case "type":
		t, ok := parseType(upper(rest))
		return typeTopic(t), ok
	case "symbol":
		code, ok := parseCode(rest)
		return symbolTopic(code), ok
	}
	return "", false
}

func typeTopic(t Type) Topic        { return Topic("type:" + t) }
func symbolTopic(code string) Topic { return Topic("symbol:" + code) }

// Topics returns the topics of a disclosure.
func (d *Disclosure) Topics() []Topic {
	topics := make([]Topic, 0, 2+len(d.Symbols))
	topics = append(topics, All, typeTopic(d.Type))
	for _, code := range d.Symbols {
		topics = append(topics, symbolTopic(code))
	}
	return topics
}

// Selection is a set of topics as a query: everything, or the disclosures of some types or with
// some codes.
type Selection struct {
	All   bool
	Types []Type
	Codes []string
}

// Empty reports whether it selects nothing.
func (s Selection) Empty() bool { return !s.All && len(s.Types) == 0 && len(s.Codes) == 0 }

// Select returns the selection of canonical topics.
func Select[T ~string](topics []T) Selection {
	var s Selection
	for _, t := range topics {
		keyword, rest, _ := strings.Cut(string(t), ":")
		switch keyword {
		case "all":
			s.All = true
		case "type":
			s.Types = append(s.Types, Type(rest))
		case "symbol":
			s.Codes = append(s.Codes, rest)
		}
	}
	return s
}

// Replay selects stored disclosures to send again.
type Replay struct {
	Of      Selection // at least one topic
	BySeq   bool      // After and the order are of sequence numbers; else of the platform's
	After   int64
	UpToSeq int64 // the last sequence number to look at; if by the platform's number, it also includes later back-fills
	Limit   int
}
