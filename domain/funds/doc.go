// Package funds answers what Turkish funds report: profiles and returns, the flows
// of their investors, and what they hold.
package funds
