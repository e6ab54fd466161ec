// Package ipo answers questions about the IPOs of the Istanbul exchange, before,
// during and after them.
package ipo
