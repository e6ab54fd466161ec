// Package plan runs queries breadth first, from tables that plan/generate writes
// beside gqlgen's code.
package plan
