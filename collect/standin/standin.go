// Package standin has servers that stand in for upstreams. They speak the upstreams' protocols with
// all known quirks, on a clock of the caller's and on made-up data.
package standin

import (
	"net/http"
	"time"
)

// Maker makes the stand-in of an upstream, which takes the time from now.
type Maker func(now func() time.Time) http.Handler

// Makers make the stand-ins, by the name of the connector or template whose sources ask them.
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
