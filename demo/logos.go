package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"piyasa/domain/market"
)

// logoCoins is how many coins have a logo, by rank.
const logoCoins = 10

// appendLogos appends the logos of continuously traded stocks, of some coins, and of the
// founder of the funds; other instruments have none.
func (s *Simulation) appendLogos(lines []byte) []byte {
	encoder := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(oneBuffer)}
	for _, p := range s.series {
		switch {
		case p.Market == market.BIST && p.AssetType == market.Stock && !p.times.fixed,
			p.Market == market.Crypto && *p.CmcID < firstCoin+logoCoins:
			owner := market.LogoOwner{InstrumentID: p.InstrumentID}
			lines = appendRecord(lines, "logo", &market.LogoRecord{LogoOwner: owner, PNG: drawn(&encoder, string(p.InstrumentID))})
		}
	}
	return appendRecord(lines, "logo", &market.LogoRecord{LogoOwner: market.LogoOwner{Founder: founder}, PNG: drawn(&encoder, founder)})
}

// A logo is a symmetrical pattern of squares on a square.
const (
	logoSquares = 5 // per side
	logoPixels  = 6 // per side of a square
	logoMargin  = 1
)

// drawn returns a logo derived from a name.
func drawn(encoder *png.Encoder, name string) []byte {
	random := seeded(name + " logo")
	part := func() uint8 { return uint8(40 + random.IntN(140)) }
	side := logoSquares*logoPixels + 2*logoMargin
	picture := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White, color.RGBA{part(), part(), part(), 255}})
	for row := range logoSquares {
		for column := range (logoSquares + 1) / 2 {
			if random.IntN(2) == 0 {
				continue
			}
			for _, at := range []int{column, logoSquares - 1 - column} {
				fill(picture, logoMargin+at*logoPixels, logoMargin+row*logoPixels)
			}
		}
	}
	var out bytes.Buffer
	if err := encoder.Encode(&out, picture); err != nil {
		panic(err) // the picture is our own
	}
	return out.Bytes()
}

// fill fills the square with its corner at x and y.
func fill(picture *image.Paletted, x, y int) {
	for dy := range logoPixels {
		for dx := range logoPixels {
			picture.SetColorIndex(x+dx, y+dy, 1)
		}
	}
}

// oneBuffer reuses the encoder's buffer for the next logo.
type oneBuffer struct{ kept *png.EncoderBuffer }

// Get implements png.EncoderBufferPool.
func (b *oneBuffer) Get() *png.EncoderBuffer { return b.kept }

// Put implements png.EncoderBufferPool.
func (b *oneBuffer) Put(used *png.EncoderBuffer) { b.kept = used }
