INSERT INTO disclosures (disclosure_index, type, class, symbols, filer_codes, published_at, attachment_count, effective_at, live, seq, added_symbols, filled_seq) VALUES
  (1600710, 'DG', 'DG', '["DMNSC"]', '["DMNSC"]', {{at "2026-03-18T15:40:00Z"}}, 0, {{at "2026-03-18T15:40:00Z"}}, TRUE, 6, 0, 7);
INSERT INTO disclosure_codes (code, effective_at, disclosure_index, added) VALUES
  ('DMNSC', {{at "2026-03-18T15:40:00Z"}}, 1600710, FALSE);
UPDATE heads SET seq = 7 WHERE feed = 'disclosures';
