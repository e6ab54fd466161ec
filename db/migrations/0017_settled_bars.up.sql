-- bar_changes says when the bars of an instrument at a resolution, or the days of
-- an index by its code, last changed (seq), from which bar on (since), and when
-- one before settled last did (corrected). So who has read the bars before settled
-- need not read them again because of a newer price.
ALTER TABLE bar_changes RENAME TO daily_changes;
--bun:split
DROP INDEX bar_changes_by_seq;
--bun:split
CREATE TABLE bar_changes (
  subject    TEXT NOT NULL,
  resolution TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  since      {{.Instant}},
  settled    {{.Instant}},
  corrected  BIGINT NOT NULL,
  PRIMARY KEY (subject, resolution)
) {{.Clustered}};
--bun:split
INSERT INTO bar_changes (subject, resolution, seq, corrected)
SELECT subject, '1d', seq, seq FROM daily_changes;
--bun:split
DROP TABLE daily_changes;
--bun:split
CREATE INDEX bar_changes_by_seq ON bar_changes (seq);
