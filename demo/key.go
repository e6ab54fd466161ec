package demo

import (
	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/value"
)

// Secret is the key of every demonstration, fixed so that what is written about
// it can be tried as it stands. It opens synthetic data only.
const Secret access.Secret = "piyasa_live_demoDEMOdemoDEMOdemoDEMOdemoDEMOdemoDEMO"

// Sample is a stock for examples.
const Sample market.ID = "bist:DMOST"

// Key is the key with the secret, with every right there is.
func Key(now value.Instant) *access.Key {
	return &access.Key{
		ID: access.NewKeyID(), Name: "demo", Prefix: Secret.Prefix(), Hash: Secret.Hash(),
		Plan: "enterprise", Scopes: access.ParseScopes("all"), CreatedAt: now.Time().Unix(),
	}
}
