-- A statement may say on which day its flows begin, and whether it is of the group or of the
-- company alone; consolidation is empty where it does not. Two that are filed at one moment
-- are told apart by it.
ALTER TABLE statements RENAME TO undated_statements;
--bun:split
DROP INDEX statements_by_seq;
--bun:split
CREATE TABLE statements (
  instrument_id TEXT NOT NULL,
  currency      TEXT NOT NULL,
  fiscal_year   INTEGER NOT NULL,
  fiscal_month  INTEGER NOT NULL,
  filed_at      {{.Instant}} NOT NULL,
  consolidation TEXT NOT NULL,
  start_date    {{.Date}},
  end_date      {{.Date}} NOT NULL,
  basis         TEXT NOT NULL,
  template      TEXT NOT NULL,
  layout        TEXT NOT NULL REFERENCES statement_layouts (layout),
  figures       TEXT NOT NULL,
  seq           BIGINT NOT NULL,
  PRIMARY KEY (instrument_id, currency, fiscal_year, fiscal_month, filed_at, consolidation)
);
--bun:split
INSERT INTO statements (instrument_id, currency, fiscal_year, fiscal_month, filed_at, consolidation, end_date, basis, template, layout, figures, seq)
SELECT instrument_id, currency, fiscal_year, fiscal_month, filed_at, '', end_date, basis, template, layout, figures, seq FROM undated_statements;
--bun:split
DROP TABLE undated_statements;
--bun:split
CREATE INDEX statements_by_seq ON statements (seq);
