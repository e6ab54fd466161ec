package value_test

import (
	"testing"

	"piyasa/internal/value"
)

func TestOr(t *testing.T) {
	if got := value.Or(nil, 7); got != 7 {
		t.Errorf("without a value: %d", got)
	}
	if got := value.Or(new(0), 7); got != 0 {
		t.Errorf("of zero: %d", got)
	}
}

func TestNonEmpty(t *testing.T) {
	text := "x"
	if value.NonEmpty(nil) != nil || value.NonEmpty(new("")) != nil || value.NonEmpty(&text) != &text {
		t.Error("only text that is not empty counts")
	}
}

func TestList(t *testing.T) {
	if got := value.List[int](nil); got == nil || len(got) != 0 {
		t.Errorf("of nil: %v", got)
	}
	if got := value.List([]int{1}); len(got) != 1 || got[0] != 1 {
		t.Errorf("of a list: %v", got)
	}
}
