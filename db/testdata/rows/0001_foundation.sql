INSERT INTO instruments (instrument_id, symbol, ticker, name, market, asset_type, currency, source, session, delay, coverage_from, sector, sector_code, price_mechanism, fund_code, founder, category, underlying_index, is_participation, segment, unit, region, cmc_id, slug, seq) VALUES
  ('crypto:1600707', '1600707', 'DEMO', 'Demo Şğüıİ', 'crypto', 'CRYPTO', 'USD', 'borsa', '{"timezone":"UTC","open":"10:00","close":"18:00","always_open":true}', 60, '2013-04-29', 'Gıda', 'gida', 'continuous', 'DMA', 'Demo Portföy', 'Altın', 'XU030', FALSE, 'YILDIZ', 'ons', 'TR', 1600707, 'demo', 1);
INSERT INTO instruments (instrument_id, symbol, name, market, asset_type, currency, seq) VALUES
  ('bist:DMOST', 'DMOST', 'Demo Otomotiv Sanayi', 'bist', 'STOCK', 'TRY', 2),
  ('fx:USDTRY', 'USDTRY', 'USD/TRY', 'fx', 'FX', 'TRY', 3);
INSERT INTO sectors (code, name, name_en, members, successors, seq) VALUES
  ('gida', 'Gıda', 'Food', '["bist:DMOST"]', '["gida-icecek"]', 4);
INSERT INTO bist_indices (code, name, verified, synced_at, members, seq) VALUES
  ('XU030', 'BIST 30', TRUE, {{at "2025-10-15T15:00:00Z"}}, '[{"symbol":"DMOST","sector":"Transportation"},{"symbol":"DMNSC","sector":null}]', 5);
INSERT INTO trading_days (market, date, open, close, seq) VALUES
  ('bist', '2026-03-19', '10:00', '12:40', 6);
INSERT INTO quotes (instrument_id, as_of, last, currency, prev_close, change, change_pct, open, high, low, bid, ask, volume, turnover, limit_up, limit_down, market_cap, data_delay_seconds, seq) VALUES
  ('bist:DMOST', {{at "2026-03-18T11:45:00.12Z"}}, '305.20', 'TRY', '300.00', '5.20', '1.73', '301', '306', '299.95', '305.10', '305.20', '4050000', '1234567890.50', '330', '270', '30520000000', 900, 1);
INSERT INTO quotes (instrument_id, as_of, last, currency, change_pct, turnover, seq) VALUES
  ('crypto:1600707', {{at "2026-03-18T11:45:00Z"}}, '0.000012300', 'USD', '-0.50', '1000000', 2);
UPDATE heads SET seq = 6 WHERE feed = 'catalog';
UPDATE heads SET seq = 2 WHERE feed = 'quotes';
INSERT INTO keys (id, name, prefix, hash, plan, scopes, test, created_at, revoked_at) VALUES
  ('key_revoked', 'old', 'piyasa_live_ab', 'a6c13a9b5d0c8c3a7b1f3d4e5f60718293a4b5c6d7e8f90123456789abcdef01', 'pro', '["fx"]', FALSE, 1773835200, 1773838800);
UPDATE heads SET seq = 1 WHERE feed = 'keys';
INSERT INTO observations (instrument_id, as_of, last, currency, prev_close, change, change_pct, open, high, low, bid, ask, volume, turnover, limit_up, limit_down, market_cap, data_delay_seconds) VALUES
  ('bist:DMOST', {{at "2026-03-18T11:30:00Z"}}, '304.20', 'TRY', '300.00', '4.20', '1.4', '301', '306', '299.95', '304.10', '304.20', '4000000', '1234560000.50', '330', '270', '30420000000', 900);
