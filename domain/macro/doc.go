// Package macro answers questions about the economy as a whole: the calendar of its events, and
// the price indices, which restate amounts in the money of another month.
package macro
