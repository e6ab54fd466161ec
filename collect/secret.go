package collect

import (
	"errors"
	"fmt"
	"log/slog"
)

// Secret is a credential. It comes from the environment or from a file, and prints as "…".
type Secret struct{ text string }

// Reveal returns the credential, for a request.
func (s Secret) Reveal() string { return s.text }

// String implements fmt.Stringer.
func (Secret) String() string { return "…" }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return "…" }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue("…") }

// MarshalText implements encoding.TextMarshaler.
func (Secret) MarshalText() ([]byte, error) { return []byte("…"), nil }

// UnmarshalJSON reads {"env": "NAME"} or {"file": "PATH"}.
func (s *Secret) UnmarshalJSON(text []byte) error {
	var from struct {
		Env  string `json:"env"`
		File string `json:"file"`
	}
	if err := strictly(text, &from); err != nil || (from.Env == "") == (from.File == "") {
		return errors.New(`must be {"env": "NAME"} or {"file": "PATH"}, and never the secret itself`)
	}
	secret, err := readSecret(from.Env, from.File)
	if err != nil {
		return err
	}
	where := "the variable " + from.Env
	if from.File != "" {
		where = "the file " + from.File
	}
	if s.text = secret; s.text == "" {
		return fmt.Errorf("%s is empty", where)
	}
	return nil
}
