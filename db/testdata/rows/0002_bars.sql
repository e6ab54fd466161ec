INSERT INTO bars (instrument_id, resolution, t, open, high, low, close, volume, turnover, trade_count) VALUES
  ('crypto:1600707', '2h', {{at "2026-03-17T11:00:00Z"}}, '1', '2', '0.5', '1.50', '10', '15.00', 7);
INSERT INTO index_bars (code, date, open, high, low, close) VALUES
  ('XU100', '2026-03-18', '9000.10', '9100', '8999', '9050.55');
UPDATE heads SET seq = 3 WHERE feed = 'bars';
