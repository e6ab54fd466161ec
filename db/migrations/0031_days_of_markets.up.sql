-- The days of pairs, indices and commodities are those that trading days say, too.
INSERT INTO record_anew (instrument_id)
SELECT r.instrument_id FROM recordings r JOIN (SELECT DISTINCT market FROM trading_days WHERE market IN ('fx', 'index', 'cmdty')) d
  ON r.instrument_id LIKE d.market || ':%'
WHERE r.instrument_id NOT IN (SELECT instrument_id FROM record_anew);
