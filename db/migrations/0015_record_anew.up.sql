-- record_anew is whose bars were made by an older rule: of coins, whose slots
-- now state their first price, and of indices, whose days are their sessions.
CREATE TABLE record_anew (
  instrument_id TEXT PRIMARY KEY
);
--bun:split
INSERT INTO record_anew (instrument_id)
SELECT instrument_id FROM quotes WHERE instrument_id LIKE 'crypto:%' OR instrument_id LIKE 'index:%';
--bun:split
DELETE FROM recordings WHERE instrument_id IN (SELECT instrument_id FROM record_anew);
