// Package plan runs queries breadth first, from tables that plan/generate writes
// beside gqlgen's code, and answers with the bytes and the errors of gqlgen's
// executor.
//
// An operation is compiled once into a plan: what is selected at each place,
// fragments and conditions settled. To run it, each relation is asked once at
// each place, for all parents there; then the answer is written in one pass,
// in the order in which the parents were gathered, so that the answers of a
// relation are simply taken one after the other. Errors are reported as the
// pass meets them: their order is that of the answer.
//
// gqlgen parses, validates and introspects. It also runs what a plan cannot
// express: subscriptions, operations with __schema or __type, selections of
// more than 10,000 fields or 1,000 places with all fragments expanded, and
// conditions that are null.
package plan
