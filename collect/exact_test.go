package collect_test

import (
	"testing"

	"piyasa/collect"
)

// Members are known by their names as they are written, whatever follows them in another case.
func TestReadJSON(t *testing.T) {
	var in struct {
		Price string `json:"price"`
	}
	if err := collect.ReadJSON([]byte(`{"price":"10.50","PRICE":"99.00","Price":"98.00"}`), &in); err != nil || in.Price != "10.50" {
		t.Errorf("%v %+v", err, in)
	}
	for _, text := range []string{`{"price":"1","price":"2"}`, "{\"price\":\"\xde\"}", `{"price":"\ud800"}`, `{"price":"1"} {}`} {
		if err := collect.ReadJSON([]byte(text), &in); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
