// Package macro answers questions about the economy as a whole: the calendar of
// its events, and the price indices, which restate amounts of one month in the
// money of another.
package macro
