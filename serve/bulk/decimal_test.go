package bulk_test

import (
	"math/big"
	"strings"
)

// decimalOf returns the decimal of a big-endian two's complement.
func decimalOf(n []byte, scale int32) string {
	i := new(big.Int).SetBytes(n)
	if n[0] >= 0x80 {
		i.Sub(i, new(big.Int).Lsh(big.NewInt(1), uint(8*len(n))))
	}
	text := new(big.Rat).SetFrac(i, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(int(scale))
	if text = strings.TrimRight(text, "0"); strings.HasSuffix(text, ".") {
		return strings.TrimSuffix(text, ".")
	}
	return text
}
