// Command check checks recorded histories: each file is one. It prints every
// violation and exits with status 1 if there are any.
package main

import (
	"fmt"
	"os"

	"piyasa/test/torture/history"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: check FILE…")
		os.Exit(2)
	}
	status := 0
	for _, path := range os.Args[1:] {
		entries, err := read(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			status = 1
			continue
		}
		violations := history.Check(entries)
		for _, v := range violations {
			fmt.Printf("%s: %s\n", path, v)
			status = 1
		}
		fmt.Printf("%s: %d entries, %d violations\n", path, len(entries), len(violations))
	}
	os.Exit(status)
}

func read(path string) ([]history.Entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return history.Read(file)
}
