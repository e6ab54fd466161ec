package rest

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
)

// PNG is the media type of logos.
const PNG = "image/png"

// logoMaxAge is how long caches may keep a logo without revalidation.
const logoMaxAge = 24 * time.Hour

type logoID struct {
	ID string `path:"id" description:"A canonical id such as bist:DMOST, or one with a coin's ticker; fund: ids return the founder's logo. ETF aliases are not accepted."`
}

// logoParams adds the key, which the gate reads; like the id, it may be given once.
type logoParams struct {
	logoID
	APIKey *string `query:"api_key"`
}

// logo returns the route of the images that call returns.
func logo(call func(context.Context, string) (*market.Logo, error)) Route {
	read := decoderOf(reflect.TypeFor[logoParams](), "png")
	return Route{
		Pattern: "/v1/logos/{id}", Counterpart: "logo",
		Summary: "The logo of an instrument (a fund's is its founder's); the GraphQL counterpart returns its address",
		Scope:   string(access.AssetsLogos), Charge: Charge{Units: access.Unit}, Media: []string{PNG}, KeyInQuery: true,
		problems: []problem.Kind{problem.AmbiguousTicker}, params: reflect.TypeFor[logoID](), Known: []string{"api_key", "format"},
		Prepare: func(r *http.Request, _ string) Prepared {
			params := paramsFrom[logoParams](r, read)
			return Prepared{params, PNG, func(ctx context.Context) (*Answer, error) {
				found, err := call(ctx, params.ID)
				if err != nil {
					return nil, err
				}
				return &Answer{Media: found.ContentType, Keep: &Keep{ETag: found.ETag, MaxAge: logoMaxAge, Read: found.Image}}, nil
			}}
		},
	}
}
