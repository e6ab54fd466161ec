package value_test

import (
	"testing"

	"piyasa/internal/value"
)

// Constants that are none do not start.
func TestMust(t *testing.T) {
	for name, must := range map[string]func(){
		"a decimal": func() { value.MustDecimal("1e3") },
		"a date":    func() { value.MustDate("2026-02-30") },
		"a moment":  func() { value.MustInstant("2026-03-18") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			must()
		}()
	}
}
