// Package queryplan runs operations breadth first, from tables that serve/queryplan/generate writes
// beside gqlgen's code, and answers with the bytes and the errors that gqlgen's own
// executor would give.
//
// An operation is compiled once into a plan: what is selected at each place, with fragments
// and conditions resolved. To run it, package queryplan asks each relation once at each place,
// for all parents there. Then it writes the answer in one pass, in the order in which the
// parents were gathered, so that it takes the answers of a relation one after the other. It
// reports errors as the pass meets them: their order is that of the answer.
//
// A subscription begins with its only field, and each event is written like the answer to a
// query whose field has already been resolved.
//
// Selections of more than 10,000 fields or 1,000 places with all fragments expanded, and null
// conditions, are rejected.
package queryplan
