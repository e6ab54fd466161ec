package collect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// strictly reads one JSON value, none of whose members is unknown.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("must be one JSON value and nothing after it")
	}
	return nil
}
