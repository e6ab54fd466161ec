// Package coverage says what is stored: how many records of each kind and market, from
// when to when, and what lacks between.
package coverage
