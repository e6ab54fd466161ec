package stream_test

import (
	"testing"

	"piyasa/domain/kap"
)

// What is stored first in an empty database is news like everything after it.
func TestFirstDisclosureOfAll(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	c.say(`{"action":"subscribe","ids":["all"]}`)
	c.hears("subscribed [all] []")
	s.put(false, filing(1, kap.ODA), filing(2, kap.ODA))
	s.put(false, filing(3, kap.ODA))
	c.hears("L1", "L2", "L3")
}
