// Package standin has servers that stand in for upstreams. They speak the protocols with
// every quirk that is known of them, on a clock of their own, and on data that they make up.
package standin

import (
	"net/http"
	"time"
)

// Maker makes the stand-in of an upstream that lives on a clock.
type Maker func(now func() time.Time) http.Handler

// Makers make the stand-ins, by the name of the connector that asks them, or of the template of one that does.
var Makers = map[string]Maker{
	"bist-bulletin":     BistBulletin,
	"bist-indices":      BistIndices,
	"bist-index-values": BistIndexValues,
	"bist-limits":       BistLimits,
	"cmc":               CMC,
	"ecb":               ECB,
	"evds":              EVDS,
	"fred-indices":      FRED,
	"json":              JSON,
	"lbma-metals":       LBMA,
	"spk":               SPK,
	"tcmb":              TCMB,
	"tefas":             TEFAS,
	"tuik":              TUIK,
	"vyk":               VYK,
}
