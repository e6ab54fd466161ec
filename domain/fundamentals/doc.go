// Package fundamentals serves what companies report and what is derived from it:
// financial statements and derived periods, valuations, and dividends.
//
// Two rules apply everywhere. Figures are exact: sums and differences of filed
// figures, and quotients that are rounded once. And a figure that cannot be
// stated is null with a reason: a missing input, or inputs in different money,
// never result in a number.
package fundamentals
