// Package coverage reports what is stored: how many records of each kind and market, from when
// to when, and which are missing in between.
package coverage
