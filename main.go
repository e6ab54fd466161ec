// Command piyasa serves market data over GraphQL and REST, and takes it in.
// `piyasa --help` lists what it can do.
package main

import (
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // authorities to trust on a machine that names none, such as an empty image

	"piyasa/command"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(command.Main(version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
