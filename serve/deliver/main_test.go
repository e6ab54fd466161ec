package deliver_test

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"piyasa/db/dbtest"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // failures are made on purpose
	os.Exit(dbtest.Main(m))
}
