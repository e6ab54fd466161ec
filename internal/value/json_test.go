package value_test

import (
	"testing"

	"piyasa/internal/value"
)

func TestAppendJSON(t *testing.T) {
	b, err := value.AppendJSON([]byte("data: "), map[string]string{"a": "<A&B>\n"})
	if err != nil || string(b) != `data: {"a":"<A&B>\n"}` {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := value.AppendJSON(nil, func() {}); err == nil {
		t.Error("a function has JSON")
	}
}
