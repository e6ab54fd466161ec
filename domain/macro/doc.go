// Package macro answers what is measured of the economy as a whole: the calendar
// of its events, and the price indices, which say how much money a figure of one
// month is in another.
package macro
