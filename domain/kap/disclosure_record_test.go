package kap_test

import (
	"testing"

	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/internal/value/valuetest"
)

// What belongs to financial reports is dropped from other disclosures, and does
// not make the same line another.
func TestNormalizeCompletesARecord(t *testing.T) {
	r := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: 1, Type: kap.DG, Year: new("2025"), Period: new("3"),
		Consolidation: new("CS")}}
	r.Normalize()
	if err := r.Validate(); err != nil || r.Year != nil || r.Period != nil || r.Consolidation != nil {
		t.Errorf("%v: %+v", err, r)
	}
	r.Attachments, r.AttachmentCount = []attachment.Document{{}, {}}, 3
	r.Normalize()
	if member := valuetest.InvalidMember(t, r.Validate()); member != "attachment_count" {
		t.Errorf("three of two attachments: %q", member)
	}
}
