INSERT INTO statements (instrument_id, currency, fiscal_year, fiscal_month, filed_at, consolidation, start_date, end_date, basis, template, layout,
  figures, seq) VALUES
  ('bist:DMOST', 'TRY', 2026, 5, {{at "2026-03-10T15:00:00Z"}}, 'CS', '2025-10-01', '2026-02-28', 'nominal', 'industrial',
   'b3088f6e098dfc3be0f3cecd1216fa09', '5', 2);
UPDATE heads SET seq = 2 WHERE feed = 'statements';
