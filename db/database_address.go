package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Shown returns the address of a database without its password, to be printed.
func Shown(url string) string {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		if strings.HasPrefix(url, "sqlite:") {
			return url
		}
		return "an address that is not valid"
	}
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return "postgres://… (an address that is not valid)"
	}
	hosts := []string{hostShown(config.Host, config.Port)}
	for _, f := range config.Fallbacks { // each host has one with TLS and one without
		if host := hostShown(f.Host, f.Port); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return fmt.Sprintf("postgres://%s@%s/%s", config.User, strings.Join(hosts, ","), config.Database)
}

func hostShown(host string, port uint16) string {
	if port == 5432 {
		return host
	}
	return fmt.Sprintf("%s:%d", host, port)
}

// Missing reports whether url names an SQLite database whose file does not exist.
func Missing(url string) bool {
	path, ok := strings.CutPrefix(url, "sqlite:")
	if !ok || path == "" {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
