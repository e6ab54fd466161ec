package market

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image/png"
)

// Bounds of a logo.
const (
	MaxLogoBytes = 1 << 20
	MaxLogoSide  = 4096 // pixels
)

// PNG is a whole PNG image within the bounds of a logo.
type PNG []byte

// ETag returns the lower-case hexadecimal SHA-256 of the bytes.
func (p PNG) ETag() string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:])
}

var errPNG = errors.New("must be a PNG image in base64")

// UnmarshalText implements encoding.TextUnmarshaler for base64. It checks the
// bytes, not a declared type.
func (p *PNG) UnmarshalText(text []byte) error {
	if size := base64.StdEncoding.DecodedLen(len(text)); size > MaxLogoBytes+2 { // 2: of padding
		return errTooLarge(size)
	}
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return errPNG
	}
	if err := checkPNG(raw); err != nil {
		return err
	}
	*p = raw
	return nil
}

// errTooLarge returns the error of an image of about size bytes.
func errTooLarge(size int) error {
	return fmt.Errorf("must be a PNG image of at most %d bytes; got about %d", MaxLogoBytes, size)
}

// checkPNG returns why raw is not a PNG image within the bounds of a logo, or
// nil.
func checkPNG(raw []byte) error {
	if len(raw) > MaxLogoBytes {
		return errTooLarge(len(raw))
	}
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	switch {
	case err != nil:
		return errPNG
	case config.Width > MaxLogoSide || config.Height > MaxLogoSide:
		return fmt.Errorf("must be a PNG image of at most %d by %d pixels; got %d by %d",
			MaxLogoSide, MaxLogoSide, config.Width, config.Height)
	case !isWhole(raw):
		return errors.New("must be a complete PNG image: image data, the chunk IEND, and nothing after it")
	}
	return nil
}

// signatureSize is how many bytes come before the first chunk of a PNG.
const signatureSize = 8

// isWhole reports whether the chunks of a PNG (length, type, data, checksum) lead exactly to
// its end. It is false for a truncated image and for one with appended bytes.
func isWhole(raw []byte) bool {
	hasData := false
	for rest := raw[signatureSize:]; len(rest) >= 12; {
		size, kind := uint64(binary.BigEndian.Uint32(rest)), string(rest[4:8])
		if size+12 > uint64(len(rest)) {
			return false
		}
		rest = rest[size+12:]
		switch kind {
		case "IDAT":
			hasData = true
		case "IEND":
			return hasData && size == 0 && len(rest) == 0
		}
	}
	return false
}
