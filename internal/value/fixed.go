package value

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// MaxFixedDigits is the most digits of a decimal with a fixed scale.
const MaxFixedDigits = 38

// Fixed returns the decimal times ten to the power of scale, as a big-endian two's complement for
// columns with a fixed scale; ok is false if d has more than scale decimals, or more than
// MaxFixedDigits digits in all, or is null.
func (d Decimal) Fixed(scale int) (n [16]byte, ok bool) {
	text, negative := strings.CutPrefix(d.text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	if text == "" || len(fraction) > scale || whole != "0" && len(whole)+scale > MaxFixedDigits {
		return n, false
	}
	var high, low uint64
	times10 := func(digit byte) {
		carry, product := bits.Mul64(low, 10)
		sum, overflow := bits.Add64(product, uint64(digit), 0)
		high, low = high*10+carry+overflow, sum
	}
	for i := range len(whole) {
		times10(whole[i] - '0')
	}
	for i := range scale {
		if i < len(fraction) {
			times10(fraction[i] - '0')
		} else {
			times10(0)
		}
	}
	if negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	binary.BigEndian.PutUint64(n[:8], high)
	binary.BigEndian.PutUint64(n[8:], low)
	return n, true
}
