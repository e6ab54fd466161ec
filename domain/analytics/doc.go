// Package analytics computes figures from prices: technical indicators, periodic
// windows, and the returns and medians of sectors.
//
// The arithmetic (Compute, Windows, Returns, Median) consists of pure functions
// on exact decimals. Service reads the bars, caches the figures of daily bars
// and recomputes them when bars change.
package analytics
