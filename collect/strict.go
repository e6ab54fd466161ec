package collect

import (
	"bytes"
	"encoding/json"
)

// strictly reads one JSON value, none of whose members is unknown or stated twice.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	return CheckJSON(text)
}
