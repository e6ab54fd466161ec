//go:build !race

package command_test

// raceFlags build the binary under test as make test builds the tests.
var raceFlags []string
