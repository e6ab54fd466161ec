// Package funds answers questions about Turkish funds: their profiles and returns, the flows of
// their investors, and their holdings.
package funds
