package value_test

import (
	"reflect"
	"slices"
	"testing"

	"piyasa/internal/value"
)

func TestEnum(t *testing.T) {
	type colour string
	if words := value.EnumOf(reflect.TypeFor[colour]()); words != nil {
		t.Errorf("an enum before it is declared: %v", words)
	}
	declared := value.Enum[colour]("red", "green")
	if !slices.Equal(declared, []colour{"red", "green"}) || value.ListOf(declared) != "red, green" {
		t.Error(declared)
	}
	for text, ok := range map[string]bool{"red": true, "green": true, "": false, "Red": false, "red ": false, "blue": false} {
		got, err := value.Word[colour](text)
		if (err == nil) != ok || ok && string(got) != text || !ok && err.Error() != "must be one of red, green" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
