package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
)

// Servers and ingesters may all be started at once on a fresh database.
func TestManyOpenAtOnce(t *testing.T) {
	dbtest.EachEmpty(t, func(t *testing.T, url string) {
		var all sync.WaitGroup
		var errs [5]error
		for i := range errs {
			all.Go(func() {
				s, err := db.Open(t.Context(), url)
				if errs[i] = err; err == nil {
					_, errs[i] = s.Look(t.Context())
					_ = s.Close()
				}
			})
		}
		all.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
		checkUsable(t, url)
	})
}

// A migration may be stopped at any moment: the next one finds a database
// that can be migrated.
func TestMigrateAfterAnInterruption(t *testing.T) {
	t.Parallel()
	dbtest.EachEmpty(t, func(t *testing.T, url string) {
		interrupted := 0
		for moment := time.Duration(0); ; moment += moment/10 + 200*time.Microsecond {
			ctx, cancel := context.WithTimeout(t.Context(), moment)
			_, err := db.Migrate(ctx, url)
			cancel()
			if err == nil {
				break
			}
			if interrupted++; moment > patience {
				t.Fatalf("interrupted %d times and then never finished: %v", interrupted, err)
			}
		}
		if interrupted == 0 {
			t.Error("nothing was interrupted")
		}
		checkUsable(t, url)
	})
}
