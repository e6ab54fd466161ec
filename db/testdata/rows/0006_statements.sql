INSERT INTO statement_layouts (layout, lines) VALUES
  ('b3088f6e098dfc3be0f3cecd1216fa09', '[{"code":"3C","label_tr":"Satış Gelirleri","group":"income_statement","kind":"flow","role":"revenue"}]');
INSERT INTO statements (instrument_id, currency, fiscal_year, fiscal_month, filed_at, end_date, basis, template, layout, figures, seq) VALUES
  ('bist:DMOST', 'TRY', 2025, 9, {{at "2025-11-05T15:00:00Z"}}, '2025-09-30', 'inflation_adjusted', 'industrial', 'b3088f6e098dfc3be0f3cecd1216fa09', '123456', 1);
INSERT INTO market_metrics (instrument_id, date, market_cap, pe_ratio, as_of, source, seq) VALUES
  ('bist:DMOST', '2025-10-15', '1500000000', '-3.2', {{at "2025-10-15T15:00:00Z"}}, 'distributor', 1);
UPDATE heads SET seq = 1 WHERE feed = 'statements';
UPDATE heads SET seq = 1 WHERE feed = 'metrics';
