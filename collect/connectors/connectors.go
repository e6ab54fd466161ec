// Package connectors lists the upstreams that piyasa knows.
package connectors

import (
	"piyasa/collect"
	"piyasa/collect/bist"
	"piyasa/collect/cmc"
	"piyasa/collect/ecb"
	"piyasa/collect/evds"
	"piyasa/collect/files"
	"piyasa/collect/jsonhttp"
	"piyasa/collect/spk"
	"piyasa/collect/tcmb"
	"piyasa/collect/tuik"
	"piyasa/collect/vyk"
)

// Makers make the sources of a configuration, by the name of their connector.
var Makers = collect.Makers{
	"bist-bulletin": bist.NewBulletin,
	"bist-indices":  bist.NewIndices,
	"bist-limits":   bist.NewLimits,
	"cmc":           cmc.New,
	"ecb":           ecb.New,
	"evds":          evds.New,
	"files":         files.New,
	"json":          jsonhttp.New,
	"spk":           spk.New,
	"tcmb":          tcmb.New,
	"tuik":          tuik.New,
	"vyk":           vyk.New,
}
