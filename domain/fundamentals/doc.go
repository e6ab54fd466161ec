// Package fundamentals is what companies report and what follows from it:
// financial statements and the periods derived from them, valuations, and
// dividends.
//
// Two rules run through all of it. A figure is exact: sums and differences of
// what was filed, and quotients rounded once. And a figure that cannot be
// stated is null with a reason: an input that is missing, or inputs that count
// in different money, never make a number.
package fundamentals
