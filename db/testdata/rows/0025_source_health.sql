INSERT INTO quotes (instrument_id, as_of, last, currency, prev_close, change, change_pct, open, high, low, bid, ask, volume, turnover, limit_up, limit_down, market_cap, data_delay_seconds, seq, current_until) VALUES
  ('fx:USDTRY', {{at "2026-03-18T11:45:00.12Z"}}, '41.2464', 'TRY', '300.00', '5.20', '1.73', '301', '306', '299.95', '305.10', '305.20', '4050000', '1234567890.50', '330', '270', '30520000000', 900, 3, {{at "2026-03-18T15:00:00Z"}});
INSERT INTO observations (instrument_id, as_of, last, currency, prev_close, change, change_pct, open, high, low, bid, ask, volume, turnover, limit_up, limit_down, market_cap, data_delay_seconds, current_until) VALUES
  ('fx:USDTRY', {{at "2026-03-18T11:45:00.12Z"}}, '41.2464', 'TRY', '300.00', '5.20', '1.73', '301', '306', '299.95', '305.10', '305.20', '4050000', '1234567890.50', '330', '270', '30520000000', 900, {{at "2026-03-18T15:00:00Z"}});
INSERT INTO bars (instrument_id, resolution, t, open, high, low, close, recorded) VALUES
  ('fx:USDTRY', '1d', {{at "2026-03-17T21:00:00Z"}}, '41.2464', '41.2464', '41.2464', '41.2464', TRUE),
  ('fx:USDTRY', '5m', {{at "2026-03-18T11:45:00Z"}}, '41.2464', '41.2464', '41.2464', '41.2464', TRUE);
INSERT INTO recordings (instrument_id, recording) VALUES
  ('fx:USDTRY', '{"day":"2026-03-18","of_day":{"open":"41.2464","high":"41.2464","low":"41.2464"},"slot":"2026-03-18T11:45:00Z","of_slot":{"open":"41.2464","high":"41.2464","low":"41.2464"},"before":{"at":null,"price":null,"volume":null,"turnover":null},"last":{"at":"2026-03-18T11:45:00.120Z","price":"41.2464","volume":"4050000","turnover":"1234567890.50"}}');
INSERT INTO source_status (source, up, as_of, seq, last_success, newest_record, next_due, error) VALUES
  ('kap', FALSE, {{at "2026-03-18T11:45:00Z"}}, 3, {{at "2026-03-18T11:44:00Z"}}, {{at "2026-03-18T11:30:00.12Z"}}, {{at "2026-03-18T11:45:00Z"}}, 'the upstream failed (status 502)');
UPDATE heads SET seq = 3 WHERE feed = 'quotes';
UPDATE heads SET seq = 3 WHERE feed = 'sources';
INSERT INTO bar_changes (subject, resolution, seq, since, settled, corrected) VALUES
  ('fx:USDTRY', '1d', 3, {{at "2026-03-17T21:00:00Z"}}, {{at "2026-03-17T21:00:00Z"}}, 3),
  ('fx:USDTRY', '5m', 3, {{at "2026-03-18T11:45:00Z"}}, {{at "2026-03-18T11:45:00Z"}}, 3);
