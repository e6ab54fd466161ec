package market

import (
	"context"
	"net/url"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

// LogoStore reads the bytes of logos.
type LogoStore interface {
	// Logo returns the newest logo of an owner, or nil.
	Logo(context.Context, LogoOwner) (*LogoImage, error)
}

// Logo is the address and the version of an instrument's logo.
type Logo struct {
	InstrumentID ID
	URL          string // absolute
	ETag         string // strong, in its quotes as HTTP spells it
	ContentType  string
	read         func(context.Context) (*LogoImage, error)
}

// Image reads the bytes and their current ETag, for the transport that serves
// them. Problems: not-found.
func (l *Logo) Image(ctx context.Context) (etag string, png []byte, err error) {
	image, err := l.read(ctx)
	if err != nil {
		return "", nil, err
	}
	if image == nil {
		return "", nil, noLogo(l.InstrumentID)
	}
	return quoted(image.ETag), image.PNG, nil
}

// quoted returns an ETag in its quotes.
func quoted(etag string) string { return `"` + etag + `"` }

// noLogo returns the problem of an instrument without a logo.
func noLogo(id ID) error { return problem.New(problem.NotFound, "%s has no logo.", id) }

// Logo returns the logo of an instrument; a fund has that of its founder. ETF
// aliases do not resolve. Needs assets:logos. Problems: not-found (unknown, or
// without a logo), ambiguous-ticker.
func (s *Service) Logo(ctx context.Context, id string) (*Logo, error) {
	if err := access.Enter(ctx, access.AssetsLogos); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	in, err := snapshot.Catalog.Resolve(id, CanonicalForm)
	if err != nil {
		return nil, err
	}
	logo := s.logo(snapshot, in)
	if logo == nil {
		return nil, noLogo(in.InstrumentID)
	}
	access.Charge(ctx, access.Unit)
	return logo, nil
}

// LogoOf returns the logo of an instrument, or nil. Needs assets:logos; a logo
// costs one unit.
func (s *Service) LogoOf(ctx context.Context, in *Instrument) (*Logo, error) {
	if err := access.Enter(ctx, access.AssetsLogos); err != nil {
		return nil, err
	}
	logo := s.logo(s.Live.Snapshot(), in)
	if logo != nil {
		access.Charge(ctx, access.Unit)
	}
	return logo, nil
}

// logo returns the logo of an instrument, or nil.
func (s *Service) logo(snapshot *Snapshot, in *Instrument) *Logo {
	tag := snapshot.logos[in.InstrumentID]
	if tag == nil {
		return nil
	}
	return &Logo{
		InstrumentID: in.InstrumentID, URL: s.Live.logoURL(in.InstrumentID), ETag: quoted(tag.ETag), ContentType: "image/png",
		read: func(ctx context.Context) (*LogoImage, error) { return s.Logos.Logo(ctx, tag.LogoOwner) },
	}
}

// SetLogos replaces all logos.
func (l *Live) SetLogos(tags []*LogoTag) {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.logos)
	l.putLogos(tags)
}

// PutLogos adds or replaces logos.
func (l *Live) PutLogos(tags []*LogoTag) {
	if len(tags) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.putLogos(tags)
}

// putLogos adds or replaces logos. The caller must hold l.mu.
func (l *Live) putLogos(tags []*LogoTag) {
	for _, tag := range tags {
		l.logos[tag.LogoOwner] = tag
	}
	next := *l.snapshot.Load()
	l.arrange(&next)
	l.snapshot.Store(&next)
}

// logoOf returns the logo that an instrument shows, or nil.
func (l *Live) logoOf(in *Instrument) *LogoTag {
	owner := LogoOwner{InstrumentID: in.InstrumentID}
	if in.Market == Fund {
		if in.Founder == nil {
			return nil
		}
		owner = LogoOwner{Founder: *in.Founder}
	}
	return l.logos[owner]
}

// logoURL returns the address of an instrument's logo.
func (l *Live) logoURL(id ID) string {
	return l.BaseURL + "/v1/logos/" + url.PathEscape(string(id))
}
