//go:build race

package command_test

// raceFlags build what serves as make test builds the tests.
var raceFlags = []string{"-race", "-gcflags=modernc.org/...=-race=false"}
