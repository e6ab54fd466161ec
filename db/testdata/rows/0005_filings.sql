INSERT INTO filings (disclosure_index, symbol, year, period, end_date, consolidation, currency, template, tms29_applied, measuring_month, seq, balance_sheet, income_statement, cash_flow) VALUES
  (1600707, 'DMOST', '2025', '12', '2025-12-31', 'CS', 'TRY', 'industrial', TRUE, '2025-12', 1, '[{"code":"1A","label":{"tr":"Dönen Varlıklar","en":""},"value":"1","value_type":"monetary","null_reason":null}]', '[{"code":"3C","label":{"tr":"Satışlar","en":"Revenue"},"value":"-2.5","value_type":"per_share","null_reason":null}]', '[{"code":"4C","label":{"tr":"Nakit","en":"Cash"},"value":"0","value_type":"non_monetary","null_reason":null}]');
INSERT INTO news (news_id, title, published_at, symbols, summary, sentiment, link, seq) VALUES
  ('n-1', 'Başlık', {{at "2026-03-18T11:45:00Z"}}, '["DMOST"]', 'Özet', '{"label":"positive","score":"0.75"}', 'https://example.test/n-1', 1);
INSERT INTO news_codes (code, published_at, news_id) VALUES
  ('DMOST', {{at "2026-03-18T11:45:00Z"}}, 'n-1');
INSERT INTO inflation_points (month, series_id, value, unit, source, fetched_at, seq) VALUES
  ('2026-02', 'TUFE', '3012.45', '2003=100', 'TÜİK', {{at "2026-03-03T07:00:00Z"}}, 1);
INSERT INTO source_status (source, up, as_of, seq) VALUES
  ('distributor', TRUE, {{at "2026-03-18T11:45:00Z"}}, 1);
UPDATE heads SET seq = 1 WHERE feed = 'filings';
UPDATE heads SET seq = 1 WHERE feed = 'news';
UPDATE heads SET seq = 1 WHERE feed = 'inflation';
UPDATE heads SET seq = 1 WHERE feed = 'sources';
