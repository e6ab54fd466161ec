package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"
)

// Key is an API key as the service keeps it: everything but the secret.
type Key struct {
	ID        string  `json:"id"`         // names the key to its operator
	Name      string  `json:"name"`       // a label for the operator
	Prefix    string  `json:"prefix"`     // start of the secret, for display
	Hash      string  `json:"-"`          // SHA-256 of the secret, hex
	Plan      string  `json:"plan"`       // name of the plan that limits it
	Scopes    []Scope `json:"scopes"`     // what it may read
	Test      bool    `json:"test"`       // restricted to the test plan's stocks where a rule says so
	CreatedAt int64   `json:"created_at"` // Unix seconds
	RevokedAt *int64  `json:"revoked_at"` // Unix seconds; nil while the key is live
}

// Has reports whether the key carries scope.
func (k *Key) Has(scope Scope) bool { return slices.Contains(k.Scopes, scope) }

// AppendRights appends a text of the rights that answers may depend on: keys with equal texts
// get the same answers.
func (k *Key) AppendRights(b []byte) []byte {
	for _, scope := range k.Scopes {
		b = append(append(b, scope...), ' ')
	}
	if k.Test {
		b = append(b, "test"...)
	}
	return append(b, '\n')
}

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretLength = 40
	shownPrefix  = len("piyasa_live_") + 4
)

// Secret is the text of a new key. It is shown once and never stored.
type Secret string

// NewSecret returns the secret of a new live or test key, from the system's
// randomness.
func NewSecret(test bool) Secret {
	if test {
		return Secret("piyasa_test_" + randomText(secretLength))
	}
	return Secret("piyasa_live_" + randomText(secretLength))
}

// NewKeyID returns the id of a new key.
func NewKeyID() string { return "key_" + randomText(12) }

// Hash returns what the store keeps of s.
func (s Secret) Hash() string {
	sum := s.sum()
	return hex.EncodeToString(sum[:])
}

func (s Secret) sum() [sha256.Size]byte {
	var text [64]byte // longer than any of our secrets, to avoid an allocation
	return sha256.Sum256(append(text[:0], s...))
}

// sum decodes the hash for look-ups; ok is false if it is invalid.
func (k *Key) sum() (sum [sha256.Size]byte, ok bool) {
	n, err := hex.Decode(sum[:], []byte(k.Hash[:min(len(k.Hash), hex.EncodedLen(len(sum)))]))
	return sum, err == nil && n == len(sum) && len(k.Hash) == hex.EncodedLen(len(sum))
}

// Prefix returns the part of s that may be displayed.
func (s Secret) Prefix() string { return string(s[:min(shownPrefix, len(s))]) }

// randomText returns n random letters and digits.
func randomText(n int) string {
	out := make([]byte, n)
	for i := range out {
		c, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			panic("access: no randomness: " + err.Error()) // the system is broken; a weak key would be worse
		}
		out[i] = base62[c.Int64()]
	}
	return string(out)
}
