package db_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// companyReach returns the reach of the companies that have codes, each of which had
// another code before, and one that now is somebody else's.
func companyReach(codes ...string) *kap.Reach {
	r := new(kap.Reach)
	for _, code := range codes {
		r.Origins = append(r.Origins, kap.Origin{CompanyID: "K" + code}, kap.Origin{Code: "X" + code},
			kap.Origin{Code: code, Not: []string{"KX", "KY"}})
	}
	return r
}

// scanned finds a step of a plan that reads a whole table, or all disclosures
// in the order of time.
var scanned = regexp.MustCompile(`(?m)^.*(Seq Scan|SCAN (disclosure_row|disclosures|disclosure_codes|filings|f|c|d)\b|disclosures_by_time).*$`)

// pickedBy are the indexes that have the disclosures of one type of a company or a code
// together.
var pickedBy = []string{"disclosures_by_company_type", "disclosure_codes_by_type"}

// Whatever code or company is asked for, its disclosures and filings are found
// by indices: no statement grows with what others have filed.
func TestDisclosuresOfCompaniesAreFoundByIndices(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		manyDisclosures(t, s, 20_000)
		batch, out := new(db.Batch), make([]db.Outcome, 2000)
		for i := range out {
			f := filing(i+1, fmt.Sprintf("S%03d", i%500))
			db.Put(batch, f, &out[i])
		}
		need.NoError(t, s.Store(t.Context(), batch))
		plan := planner(t, url)
		oda, after := kap.ODA, &kap.Place{EffectiveAt: value.MustInstant("2025-01-10T00:00:00Z"), DisclosureIndex: 12_961}
		for name, read := range map[string]func(*db.Store) error{
			"a company": func(s *db.Store) error {
				_, err := s.Disclosures(background, kap.Query{Limit: 26, Of: companyReach("S007")})
				return err
			},
			"its later pages": func(s *db.Store) error {
				_, err := s.Disclosures(background, kap.Query{Limit: 26, Of: companyReach("S007"), Type: &oda, After: after,
					Ascending: true, From: value.MustInstant("2025-01-02T00:00:00Z")})
				return err
			},
			"twenty companies": func(s *db.Store) error {
				_, err := s.Disclosures(background, kap.Query{Limit: 101, Of: companyReach(codes(20)...)})
				return err
			},
			"a type of a company": func(s *db.Store) error {
				_, err := s.Disclosures(background, kap.Query{Limit: 26, Of: companyReach("S007"), Type: &oda})
				return err
			},
			"an edge": func(s *db.Store) error {
				_, err := s.NewestDisclosures(background, [][]kap.Origin{companyReach("S007").Origins,
					companyReach(codes(2)...).Origins}, 20)
				return err
			},
			"filings": func(s *db.Store) error {
				_, err := s.FilingSummaries(background, companyReach("S007").Origins)
				return err
			},
		} {
			var statements []string
			need.NoError(t, read(s.Watched(func(statement string) { statements = append(statements, statement) })))
			for _, statement := range statements {
				p := plan(statement)
				if scanned.MatchString(p) {
					t.Errorf("%s: %s\nin the plan\n%s", name, scanned.FindString(p), p)
				}
				if dbtest.IsPostgres(url) && name != "filings" && !strings.Contains(p, "BitmapOr") {
					t.Errorf("%s: rows are read one by one:\n%s", name, p)
				}
				for _, index := range pickedBy {
					if name == "a type of a company" && !strings.Contains(p, index) {
						t.Errorf("%s: %s is not used:\n%s", name, index, p)
					}
				}
			}
			if len(statements) == 0 {
				t.Errorf("%s: no statement", name)
			}
		}
	})
}

// However many disclosures below have no time of publication, the one that a disclosure
// without one takes is found by an index.
func TestNearestPublishedDisclosureIsFoundByAnIndex(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		manyDisclosures(t, s, 5000)
		plan := planner(t, url)
		var statements []string
		late := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: 1_000_000, Type: kap.ODA, Class: "ODA"}}
		put(t, s.Watched(func(statement string) { statements = append(statements, statement) }), late)
		statements = slices.DeleteFunc(statements, func(statement string) bool {
			return !strings.Contains(statement, "published_at IS NOT NULL")
		})
		if len(statements) != 1 {
			t.Fatalf("%d statements look for it: %s", len(statements), statements)
		}
		if p := plan(statements[0]); !strings.Contains(p, "disclosures_published") {
			t.Errorf("%s\nin the plan\n%s", statements[0], p)
		}
	})
}

// planner returns what tells the plan of a statement, once the database has looked at
// its tables.
func planner(t *testing.T, url string) func(statement string, args ...any) string {
	raw := dbtest.Raw(t, url)
	raw.SetMaxOpenConns(1) // so that settings hold
	explain, settings := "EXPLAIN QUERY PLAN ", []string{"ANALYZE"}
	if dbtest.IsPostgres(url) { // which reads tables as small as these whole unless told otherwise
		explain, settings = "EXPLAIN ", append(settings, "SET enable_seqscan = off", "SET enable_mergejoin = off",
			"SET enable_hashjoin = off")
	}
	for _, setting := range settings {
		if _, err := raw.Exec(setting); err != nil {
			t.Fatal(err)
		}
	}
	return func(statement string, args ...any) string {
		rows, err := raw.Query(explain+statement, args...)
		need.NoError(t, err)
		defer rows.Close()
		var lines []string
		for rows.Next() {
			var line, rest string
			var err error
			if dbtest.IsPostgres(url) {
				err = rows.Scan(&line)
			} else {
				err = rows.Scan(&rest, &rest, &rest, &line)
			}
			need.NoError(t, err)
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n")
	}
}
