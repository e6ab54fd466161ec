package market_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/test/fixture/need"
)

// picture is a black PNG with one corner in a shade.
func picture(t testing.TB, width, height int, shade uint8) []byte {
	t.Helper()
	of := image.NewGray(image.Rect(0, 0, width, height))
	of.SetGray(0, 0, color.Gray{Y: shade})
	var out bytes.Buffer
	need.NoError(t, png.Encode(&out, of))
	return out.Bytes()
}

// chunk is a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// padded is a picture with a chunk that makes it size bytes long.
func padded(t testing.TB, size int) []byte {
	t.Helper()
	raw := picture(t, 1, 1, 7)
	end := len(raw) - len(chunk("IEND", nil))
	filler := size - len(raw) - len(chunk("zzZz", nil))
	return slices.Concat(raw[:end], chunk("zzZz", make([]byte, filler)), raw[end:])
}

func TestPNG(t *testing.T) {
	small := picture(t, 3, 2, 1)
	header, end := len("\x89PNG\r\n\x1a\n")+len(chunk("IHDR", make([]byte, 13))), len(small)-len(chunk("IEND", nil))
	withWidth := func(width uint32) []byte {
		ihdr := bytes.Clone(small[16 : header-4])
		binary.BigEndian.PutUint32(ihdr, width)
		return slices.Concat(small[:8], chunk("IHDR", ihdr), small[header:])
	}
	for _, c := range []struct {
		name  string
		bytes []byte
		says  string // empty: it is one
	}{
		{"a small one", small, ""},
		{"one of the most pixels", picture(t, market.MaxLogoSide, market.MaxLogoSide, 9), ""},
		{"one of the most bytes", padded(t, market.MaxLogoBytes), ""},
		{"a chunk that nobody knows", padded(t, 500), ""},
		{"one byte more", padded(t, market.MaxLogoBytes+1), "at most 1048576 bytes"},
		{"far more", padded(t, 3<<20), "at most 1048576 bytes"},
		{"too wide", picture(t, market.MaxLogoSide+1, 1, 9), "at most 4096 by 4096 pixels; got 4097 by 1"},
		{"too high", picture(t, 1, market.MaxLogoSide+1, 9), "at most 4096 by 4096 pixels; got 1 by 4097"},
		{"a bomb", withWidth(1 << 30), "at most 4096 by 4096 pixels"},
		{"without width", withWidth(0), "a PNG image in base64"},
		{"nothing", nil, "a PNG image in base64"},
		{"the signature", small[:8], "a PNG image in base64"},
		{"half a header", small[:20], "a PNG image in base64"},
		{"text", []byte("<svg/>"), "a PNG image in base64"},
		{"a JPEG", []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00"), "a PNG image in base64"},
		{"a broken header", slices.Concat(small[:17], []byte{0xff}, small[18:]), "a PNG image in base64"},
		{"cut short", small[:len(small)-1], "a complete PNG image"},
		{"without its end", small[:end], "a complete PNG image"},
		{"something appended", append(bytes.Clone(small), 0), "nothing after it"},
		{"a page appended, and an end", slices.Concat(small, []byte("<script>"), small[end:]), "nothing after it"},
		{"without data", slices.Concat(small[:header], small[end:]), "image data"},
		{"a chunk longer than all", slices.Concat(small[:end], []byte("\xff\xff\xff\xffzzZz"), small[end:]), "a complete PNG image"},
		{"an end with content", slices.Concat(small[:end], chunk("IEND", []byte{1})), "a complete PNG image"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p market.PNG
			err := p.UnmarshalText([]byte(base64.StdEncoding.EncodeToString(c.bytes)))
			switch {
			case c.says == "" && (err != nil || !bytes.Equal(p, c.bytes)):
				t.Errorf("refused: %v", err)
			case c.says != "" && (err == nil || !strings.HasPrefix(err.Error(), "must be ") || !strings.Contains(err.Error(), c.says)):
				t.Errorf("said %v, want %q", err, c.says)
			case c.says != "" && p != nil:
				t.Error("refused, and kept")
			}
		})
	}
}

func TestPNGIsBase64(t *testing.T) {
	text := base64.StdEncoding.EncodeToString(picture(t, 1, 1, 1))
	for _, wrong := range []string{"%%", text[1:], "data:image/png;base64," + text, strings.TrimRight(text, "=")[:len(text)-5],
		text + "x"} {
		if err := new(market.PNG).UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("accepted %s", wrong)
		}
	}
}

// The digest of "abc", as FIPS 180-2 gives it.
func TestETagIsSHA256(t *testing.T) {
	if got := market.PNG("abc").ETag(); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("got %s", got)
	}
}

// Whatever is accepted has the bounds of a logo and ends where it says.
func FuzzPNG(f *testing.F) {
	small := picture(f, 2, 2, 3)
	for _, seed := range [][]byte{nil, small, small[:len(small)-4], padded(f, 300), append(bytes.Clone(small), small...)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p market.PNG
		if p.UnmarshalText([]byte(base64.StdEncoding.EncodeToString(raw))) != nil {
			return
		}
		config, err := png.DecodeConfig(bytes.NewReader(p))
		if err != nil || config.Width > market.MaxLogoSide || config.Height > market.MaxLogoSide || len(p) > market.MaxLogoBytes {
			t.Errorf("accepted %d bytes, %v, %v", len(p), config, err)
		}
		if !bytes.Equal(p, raw) || !bytes.HasSuffix(p, chunk("IEND", nil)) {
			t.Error("the bytes are others, or do not end")
		}
	})
}
