-- bar_changes says when the daily bars of an instrument, or of an index by its
-- code, last changed.
CREATE TABLE bar_changes (
  subject TEXT PRIMARY KEY,
  seq     BIGINT NOT NULL
);
--bun:split
INSERT INTO bar_changes (subject, seq)
SELECT subject, (SELECT seq FROM heads WHERE feed = 'bars')
FROM (SELECT DISTINCT instrument_id AS subject FROM bars WHERE resolution = '1d' UNION SELECT DISTINCT code FROM index_bars) AS known;
--bun:split
CREATE INDEX bar_changes_by_seq ON bar_changes (seq);
