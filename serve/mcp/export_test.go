package mcp

// What tests look at.
var (
	Tokens    = tokens
	MaxAnswer = maxAnswer
)
