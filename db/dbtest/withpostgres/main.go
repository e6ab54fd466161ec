// Command withpostgres runs a command with a Postgres cluster of its own:
//
//	go run ./db/dbtest/withpostgres psql {postgres} -c 'select 1'
//
// The cluster's URL is in the command's environment as PIYASA_TEST_POSTGRES and
// in place of every argument {postgres}. Its exit status is the command's.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"piyasa/db/dbtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(status)
}

func run(words []string) (status int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	url, stop, err := dbtest.StartPostgres()
	if err != nil {
		return 1, err
	}
	defer stop()
	for i, word := range words {
		if word == "{postgres}" {
			words[i] = url
		}
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), "PIYASA_TEST_POSTGRES="+url)
	if err := command.Start(); err != nil {
		return 127, err
	}
	go forward(signals, command.Process)
	err = command.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if how, ok := exit.Sys().(syscall.WaitStatus); ok && how.Signaled() {
			return 128 + int(how.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// forward passes on signals except those of the keyboard: a terminal also sends them to the
// command, and many programs take a second one for "at once".
func forward(signals <-chan os.Signal, to *os.Process) {
	terminal, err := os.Open("/dev/tty")
	if err == nil {
		terminal.Close()
	}
	for s := range signals {
		if err == nil && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
			continue
		}
		_ = to.Signal(s) // the command may just have ended
	}
}
