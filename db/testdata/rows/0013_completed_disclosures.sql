INSERT INTO disclosures (disclosure_index, type, class, symbols, filer_codes, published_at, attachment_count, effective_at, live, seq, completed_seq) VALUES
  (1600709, 'ODA', 'ODA', '["DMNSC"]', '["DMNSC"]', {{at "2026-03-18T15:30:00Z"}}, 0, {{at "2026-03-18T15:30:00Z"}}, TRUE, 3, 4);
INSERT INTO disclosure_codes (code, effective_at, disclosure_index) VALUES
  ('DMNSC', {{at "2026-03-18T15:30:00Z"}}, 1600709);
UPDATE heads SET seq = 4 WHERE feed = 'disclosures';
