// Package kap is the official disclosure feed of the Istanbul exchange: what
// was disclosed, how it is found and paged, what its documents say, and the
// topics that its streams follow.
//
// Every disclosure has the number that the platform gave it, and a sequence
// number that says when it was stored. The platform's number identifies it in
// REST and when a stream resumes by number. The sequence has no gaps and no late
// rows, so a client that resumes by it misses nothing.
package kap
