package standin

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	cmcLogos    = "/static/img/coins/128x128/"
	cmcLogoSide = 128
	cmcLogoMost = 1 << 20 // bytes; one logo is larger
)

// CMCLogo returns the logo of a coin at a moment, and since when it has it; nil: it has none that
// can be used. Coin 3 has none, 4 an HTML page, 6 a logo of more than a MiB, 7 a JPEG, and 9 a
// truncated one. Coin 5 has a new logo each month.
func CMCLogo(id int, at time.Time) (logo []byte, since time.Time) {
	at = at.UTC()
	since = time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	shade := id
	if id == 5 {
		since = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		shade += int(at.Month())
	}
	switch id {
	case 3, 4, 6, 7, 9:
		return nil, since
	}
	return cmcImage(shade), since
}

// cmcImage returns an image of one colour.
func cmcImage(shade int) []byte {
	var b bytes.Buffer
	one := color.RGBA{uint8(shade * 37), uint8(shade * 91), uint8(shade * 53), 255}
	_ = png.Encode(&b, image.NewPaletted(image.Rect(0, 0, cmcLogoSide, cmcLogoSide), color.Palette{one})) // a buffer takes everything
	return b.Bytes()
}

// cmcLogo answers like the host of the logos, which must never get the key.
func cmcLogo(w http.ResponseWriter, r *http.Request, name string, at time.Time) {
	id, err := strconv.Atoi(strings.TrimSuffix(name, ".png"))
	switch {
	case r.Header.Get("X-CMC_PRO_API_KEY") != "":
		http.Error(w, "a key is out of place here", http.StatusBadRequest)
		return
	case err != nil, id < 1, id > cmcLast, id == 3:
		http.NotFound(w, r)
		return
	}
	logo, since := CMCLogo(id, at)
	switch id {
	case 4:
		faultyError(w, http.StatusOK)
		return
	case 6:
		logo = append(cmcImage(id), make([]byte, cmcLogoMost)...)
	case 7:
		logo = []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00")
	case 9:
		logo = cmcImage(id)
		logo = logo[:len(logo)-12]
	}
	w.Header().Set("Content-Type", "image/png")
	http.ServeContent(w, r, "", since, bytes.NewReader(logo))
}
