INSERT INTO disclosures (disclosure_index, type, class, symbols, filer_codes, published_at, attachment_count, effective_at, live, seq, added_symbols) VALUES
  (1600711, 'ODA', 'ODA', '["DMOST","DMNSC"]', '["DMOST","DMNSC"]', {{at "2026-03-18T15:50:00Z"}}, 0, {{at "2026-03-18T15:50:00Z"}}, TRUE, 5, 2);
INSERT INTO disclosure_codes (code, effective_at, disclosure_index, added) VALUES
  ('DMNSC', {{at "2026-03-18T15:50:00Z"}}, 1600711, TRUE),
  ('DMOST', {{at "2026-03-18T15:50:00Z"}}, 1600711, TRUE);
UPDATE heads SET seq = 5 WHERE feed = 'disclosures';
