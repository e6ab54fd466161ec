package services_test

import (
	"os"
	"testing"

	"piyasa/db/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }
