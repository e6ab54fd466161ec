package db_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// whole returns a disclosure with every member stated.
func whole(index int) *kap.Record {
	r := disclosure(index, "2026-03-18T06:00:00.250Z", "DMOST", "DMBNK")
	r.Type, r.Class, r.FilerCodes, r.FilerTitle = kap.FR, "FR", []string{"DMOST"}, new("Demo Otomotiv A.Ş.")
	r.Reason, r.RelatedIndex, r.Link, r.CompanyID = new(kap.Update), new(7), new("https://example.test/1"), new("K1")
	r.Subject, r.Summary = &kap.Localized{TR: new("Finansal Rapor"), EN: new("")}, &kap.Localized{}
	r.Year, r.Period, r.Consolidation = new("2025"), new("Annual"), new("CS")
	return r
}

// The parts that may come later.
var lateParts = map[string]func(*kap.Record){
	"attachments": func(r *kap.Record) {
		r.Attachments = []attachment.Document{{Name: "a.pdf", ContentType: new("application/pdf"), SizeBytes: new(12), Location: "a"},
			{Name: "b", Location: "b"}}
		r.AttachmentCount = 2
	},
	"facts": func(r *kap.Record) {
		r.Facts = []*kap.Fact{{Concept: "Revenue", Label: &kap.Localized{TR: new("Hasılat")}, Value: new("21000000000.00"),
			ContextID: "c1"}, {Concept: "x", ContextID: "c1"}}
	},
	"contexts": func(r *kap.Record) {
		r.Contexts = []*kap.Context{{ID: "c1", PeriodType: "duration", StartDate: value.MustDate("2025-01-01"),
			EndDate: value.MustDate("2025-12-31"), Dimensions: []*kap.Dimension{{Axis: "a", Member: "m"}}}}
	},
	"body": func(r *kap.Record) {
		r.Body = &kap.Content{SourceFormat: "flatData", FileType: "ODA_1", Content: json.RawMessage(`{"z": 1.50, "a": [ ]}`)}
	},
}

// storedDisclosure is everything that is kept of a disclosure, without its number in the store.
func storedDisclosure(t rapid.TB, s *db.Store, index int) *kap.Record {
	t.Helper()
	r := must[map[int]*kap.Record](t)(s.DisclosureRecords(background, []int{index}))[index]
	if r != nil {
		r.Seq = 0
	}
	if r != nil && r.Body != nil {
		r.Body = must[map[int]*kap.Content](t)(s.Contents(background, []int{index}))[index]
	}
	return r
}

// eachWay runs a test that stores records one after the other: in one batch, and
// in a batch of each.
func eachWay(t *testing.T, run func(t *testing.T, s *db.Store, put func(...*kap.Record) []db.Outcome)) {
	dbtest.Each(t, func(t *testing.T, url string) {
		t.Run("one batch", func(t *testing.T) {
			s := open(t, url)
			run(t, s, func(records ...*kap.Record) []db.Outcome { return putDisclosures(t, s, false, records...) })
		})
		t.Run("batches", func(t *testing.T) {
			s := open(t, url)
			emptying(t, url)(t)
			run(t, s, func(records ...*kap.Record) (out []db.Outcome) {
				for _, r := range records {
					out = append(out, putDisclosures(t, s, false, r)...)
				}
				return out
			})
		})
	})
}

// A disclosure never changes: other content is refused and named, the stored
// one stays, and the number of the feed does not move.
func TestDisclosuresNeverChange(t *testing.T) {
	changes := map[string]func(*kap.Record){
		"type": func(r *kap.Record) { r.Type = kap.ODA }, "class": func(r *kap.Record) { r.Class = "ODA" },
		"symbols": func(r *kap.Record) {
			r.Symbols = []string{"DMBNK", "DMOST"}
		}, "filer_codes": func(r *kap.Record) { r.FilerCodes = []string{} },
		"filer_title":  func(r *kap.Record) { r.FilerTitle = nil },
		"published_at": func(r *kap.Record) { r.PublishedAt = value.MustInstant("2026-03-18T06:00:00.251Z") },
		"reason":       func(r *kap.Record) { r.Reason = new(kap.Corrects) }, "related_index": func(r *kap.Record) { r.RelatedIndex = nil },
		"subject": func(r *kap.Record) {
			r.Subject = &kap.Localized{TR: new("Finansal Rapor")}
		}, "summary": func(r *kap.Record) { r.Summary = nil },
		"link": func(r *kap.Record) {
			r.Link = new("https://example.test/2")
		}, "company_id": func(r *kap.Record) { r.CompanyID = new("K2") },
		"year": func(r *kap.Record) { r.Year = nil }, "period": func(r *kap.Record) { r.Period = new("annual") },
		"consolidation":    func(r *kap.Record) { r.Consolidation = new("NC") },
		"attachment_count": func(r *kap.Record) { r.Attachments, r.AttachmentCount = nil, 3 },
		"attachments":      func(r *kap.Record) { r.Attachments = slices.Clone(r.Attachments); r.Attachments[0].Location = "c" },
		"facts":            func(r *kap.Record) { r.Facts = r.Facts[:1] },
		"contexts":         func(r *kap.Record) { r.Contexts = []*kap.Context{{ID: "c1", PeriodType: "instant"}} },
		"body": func(r *kap.Record) {
			r.Body = &kap.Content{SourceFormat: "flatData", FileType: "ODA_1", Content: json.RawMessage(`{"z": 1.5, "a": [ ]}`)}
		},
	}
	full := func() *kap.Record {
		r := whole(7)
		for _, add := range lateParts {
			add(r)
		}
		return r
	}
	eachWay(t, func(t *testing.T, s *db.Store, put func(...*kap.Record) []db.Outcome) {
		before := heads(t, s)[db.FeedDisclosures]
		records, members := []*kap.Record{full(), full()}, []string{"", ""}
		for member, change := range changes {
			r := full()
			change(r)
			records, members = append(records, r, full()), append(members, member, "")
		}
		for i, out := range put(records...) {
			result := db.Unchanged
			if i == 0 {
				result = db.Stored
			} else if members[i] != "" {
				result = db.Refused
			}
			if out.Result != result || refusedMember(t, out) != members[i] {
				t.Errorf("%q: %+v", members[i], out)
			}
		}
		same(t, "stored", storedDisclosure(t, s, 7), full())
		if moved := heads(t, s)[db.FeedDisclosures] - before; moved != 1 {
			t.Errorf("the feed moved by %d", moved)
		}
	})
}

// Body, facts, contexts and attachments may come later, each once, in any
// order, alone or together; a copy without them takes nothing away.
func TestPartsComeLater(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, s *db.Store, put func(...*kap.Record) []db.Outcome) {
		name, index, completed, before := t.Name(), 0, 0, heads(t, s)[db.FeedDisclosures]
		rapid.Check(t, func(t *rapid.T) {
			index++
			records, wanted, have := []*kap.Record{whole(index)}, []db.Result{db.Stored}, map[string]bool{}
			for _, names := range rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"attachments", "facts", "contexts",
				"body"}), 0, 4, rapid.ID), 1, 6).Draw(t, "parts") {
				r, result := whole(index), db.Unchanged
				for _, name := range names {
					lateParts[name](r)
					if !have[name] {
						have[name], result = true, db.Stored
					}
				}
				records, wanted = append(records, r), append(wanted, result)
			}
			want(t, put(records...), wanted...)
			expected := whole(index)
			for name := range have {
				lateParts[name](expected)
			}
			same(t, "stored", storedDisclosure(t, s, index), expected)
			if have["attachments"] && !strings.HasSuffix(name, "one_batch") { // what lists have shown has changed
				completed++
			}
		})
		if moved := heads(t, s)[db.FeedDisclosures] - before; moved != int64(index+completed) {
			t.Errorf("%d disclosures, %d of them completed, moved the feed by %d", index, completed, moved)
		}
	})
}

// A count alone is taken while none is known; attachments then have to agree.
func TestAttachmentCount(t *testing.T) {
	counted := func(n int, names ...string) *kap.Record {
		r := disclosure(1, "2026-03-18T06:00:00Z")
		r.AttachmentCount = n
		for _, name := range names {
			r.Attachments = append(r.Attachments, attachment.Document{Name: name, Location: name})
		}
		r.Normalize()
		need.NoError(t, r.Validate())
		return r
	}
	eachWay(t, func(t *testing.T, s *db.Store, put func(...*kap.Record) []db.Outcome) {
		out := put(counted(0), counted(0), counted(2), counted(0), counted(3), counted(0, "a"), counted(0, "a", "b"), counted(2, "a", "b"),
			counted(2), counted(0), counted(0, "b", "a"))
		want(t, out, db.Stored, db.Unchanged, db.Stored, db.Unchanged, db.Refused, db.Refused, db.Stored, db.Unchanged, db.Unchanged,
			db.Unchanged, db.Refused)
		for i, member := range map[int]string{4: "attachment_count", 5: "attachment_count", 10: "attachments"} {
			if refusedMember(t, out[i]) != member {
				t.Errorf("line %d: %+v", i+1, out[i])
			}
		}
		if r := storedDisclosure(t, s, 1); r.AttachmentCount != 2 || len(r.Attachments) != 2 {
			t.Errorf("stored %s", encoded(r))
		}
	})
}
