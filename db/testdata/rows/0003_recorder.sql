INSERT INTO observations (instrument_id, as_of, last, currency, prev_close, change, change_pct, open, high, low, bid, ask, volume, turnover, limit_up, limit_down, market_cap, data_delay_seconds) VALUES
  ('bist:DMOST', {{at "2026-03-18T11:45:00.12Z"}}, '305.20', 'TRY', '300.00', '5.20', '1.73', '301', '306', '299.95', '305.10', '305.20', '4050000', '1234567890.50', '330', '270', '30520000000', 900);
INSERT INTO observations (instrument_id, as_of, last, currency, change_pct, turnover) VALUES
  ('crypto:1600707', {{at "2026-03-18T11:45:00Z"}}, '0.000012300', 'USD', '-0.50', '1000000');
INSERT INTO bars (instrument_id, resolution, t, close, volume, turnover, recorded) VALUES
  ('bist:DMOST', '5m', {{at "2026-03-18T11:45:00Z"}}, '305.20', '4050000', '1234567890.50', TRUE);
INSERT INTO bars (instrument_id, resolution, t, open, high, low, close, turnover, recorded) VALUES
  ('crypto:1600707', '1d', {{at "2026-03-18T00:00:00Z"}}, '0.000012300', '0.000012300', '0.000012300', '0.000012300', '1000000', TRUE);
INSERT INTO bars (instrument_id, resolution, t, close, recorded) VALUES
  ('crypto:1600707', '2h', {{at "2026-03-18T11:00:00Z"}}, '0.000012300', TRUE);
INSERT INTO recordings (instrument_id, recording) VALUES
  ('bist:DMOST', '{"day":"2026-03-18","of_day":{"open":"305.20","high":"305.20","low":"305.20"},"slot":"2026-03-18T11:45:00Z","of_slot":{"open":"305.20","high":"305.20","low":"305.20"},"before":{"at":null,"price":null,"volume":null,"turnover":null},"last":{"at":"2026-03-18T11:45:00.120Z","price":"305.20","volume":"4050000","turnover":"1234567890.50"}}'),
  ('crypto:1600707', '{"day":"2026-03-18","of_day":{"open":"0.000012300","high":"0.000012300","low":"0.000012300"},"slot":"2026-03-18T11:00:00Z","of_slot":{"open":"0.000012300","high":"0.000012300","low":"0.000012300"},"before":{"at":null,"price":null,"volume":null,"turnover":null},"last":{"at":"2026-03-18T11:45:00Z","price":"0.000012300","volume":null,"turnover":"1000000"}}');
INSERT INTO kept (market, since) VALUES ('bist', {{at "2026-03-11T12:00:00Z"}});
