package demo

import (
	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Secret is the API key of every demo, fixed so that the examples in the docs work
// unchanged. It gives access to synthetic data only.
const Secret access.Secret = "piyasa_live_demoDEMOdemoDEMOdemoDEMOdemoDEMOdemoDEMO"

// Sample is a stock for examples.
const Sample market.ID = "bist:DMOST"

// Key returns the key with that secret and all scopes.
func Key(now value.Instant) *access.Key {
	return &access.Key{
		ID: access.NewKeyID(), Name: "demo", Prefix: Secret.Prefix(), Hash: Secret.Hash(),
		Plan: "enterprise", Scopes: access.ParseScopes("all,operate"), CreatedAt: now.Time().Unix(),
	}
}
