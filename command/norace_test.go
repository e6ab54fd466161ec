//go:build !race

package command_test

// raceFlags build the binary under test as the tests are built.
var raceFlags []string
