package demo

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"testing"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/content"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// On any day there are offerings in every state, and those that trade lead to
// their stocks.
func TestOfferingsInEveryState(t *testing.T) {
	for _, at := range []string{"2026-03-18T12:00:00.250Z", "2026-03-22T09:00:00Z", "2026-10-29T09:00:00Z"} {
		now := value.MustInstant(at)
		s := New(fixed(now))
		live := liveOf(t, load(t, now))
		service := &ipo.Service{Market: &market.Service{Live: live, Now: fixed(now)}, Live: ipo.NewLive(),
			Links: attachment.Links{Now: fixed(now)}}
		lines := s.appendIPOs(nil)
		service.Live.PutRecords(recordsOf[ipo.Record](t, "ipo", lines))
		service.Live.PutSources(recordsOf[market.SourceStatus](t, "source_status", lines))
		list, err := service.Ipos(caller(t.Context()), ipo.Filter{})
		need.NoError(t, err)
		states := map[ipo.State]int{}
		for _, i := range list.Ipos {
			states[i.State]++
			if (i.State == ipo.Completed) != (i.InstrumentID != nil) {
				t.Errorf("%s: %s is %s and leads to %v", at, i.ID, i.State, i.InstrumentID)
			}
		}
		if states[ipo.Upcoming] != 2 || states[ipo.Active] != 2 || states[ipo.Completed] != 2 || list.Stale {
			t.Errorf("%s: %v, stale %t", at, states, list.Stale)
		}
		detail, err := service.Ipo(caller(t.Context()), "dmdep")
		if err != nil || len(detail.Documents) != 3 || detail.State != ipo.Active {
			t.Errorf("%s: %+v, %v", at, detail, err)
		}
	}
}

// The documents that offerings name are there, and are PDF files whose table
// finds their objects.
func TestDocumentsOfOfferings(t *testing.T) {
	folder := t.TempDir()
	need.NoError(t, WriteDocuments(folder))
	files, err := content.Open(folder)
	need.NoError(t, err)
	read := 0
	for _, r := range recordsOf[ipo.Record](t, "ipo", New(fixed(session)).appendIPOs(nil)) {
		for _, d := range r.Documents {
			file, _, err := files.Open(t.Context(), d.Location)
			if err != nil {
				t.Fatalf("%s: %v", d.Location, err)
			}
			text, err := io.ReadAll(file)
			if err = errors.Join(err, file.Close()); err != nil || !bytes.HasPrefix(text, []byte("%PDF-1.4\n")) {
				t.Errorf("%s: %v, %.20q", d.Location, err, text)
			}
			places := regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`).FindAllSubmatch(text, -1)
			for i, place := range places {
				at, _ := strconv.Atoi(string(place[1]))
				if !bytes.HasPrefix(text[at:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
					t.Errorf("%s: at %d is %.10q", d.Location, at, text[at:])
				}
			}
			if len(places) != 5 {
				t.Errorf("%s has %d objects", d.Location, len(places))
			}
			read++
		}
	}
	if read != 4 {
		t.Errorf("%d documents", read)
	}
}

func TestLogosAreSmallImages(t *testing.T) {
	seen, owners := map[string]bool{}, map[market.LogoOwner]bool{}
	for _, r := range recordsOf[struct {
		market.LogoOwner
		PNG []byte `json:"png"`
	}](t, "logo", New(fixed(session)).appendLogos(nil)) {
		picture, err := png.Decode(bytes.NewReader(r.PNG))
		if err != nil || picture.Bounds().Dx() != 32 || len(r.PNG) > 400 {
			t.Errorf("%v: %d bytes, %v", r.LogoOwner, len(r.PNG), err)
		}
		if seen[string(r.PNG)] {
			t.Errorf("%v has the logo of another", r.LogoOwner)
		}
		seen[string(r.PNG)], owners[r.LogoOwner] = true, true
	}
	if len(owners) != 59+logoCoins+1 {
		t.Errorf("%d logos", len(owners))
	}
	for owner, want := range map[market.LogoOwner]bool{
		{InstrumentID: Sample}: true, {InstrumentID: "crypto:900001"}: true, {Founder: founder}: true, {InstrumentID: "bist:DMDOK"}: false,
	} {
		if owners[owner] != want {
			t.Errorf("%v: a logo %t", owner, owners[owner])
		}
	}
}
