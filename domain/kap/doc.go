// Package kap serves the official disclosure feed of the Istanbul exchange: which disclosures
// there are, how to find and page through them, what their documents say, and the topics of
// streams.
//
// Every disclosure has the number that the platform gave it, and a sequence number by the order
// of storing. The platform's number identifies it in REST and when a stream resumes by number.
// The sequence has no gaps and no late rows, so a client that resumes by it misses nothing.
package kap
