-- corporate_actions holds what changes what one share of an instrument is, or one point of an
-- index, which its code stands for; occasion is what Occasion of a CorporateAction returns.
CREATE TABLE corporate_actions (
  instrument_id    TEXT {{.Bytewise}} NOT NULL,
  occasion         TEXT {{.Bytewise}} NOT NULL,
  action_id        TEXT,
  kind             TEXT NOT NULL,
  ex_date          {{.Date}} NOT NULL,
  new              {{.Decimal}},
  old              {{.Decimal}},
  price            {{.Decimal}},
  currency         TEXT,
  "order"          INTEGER,
  disclosure_index INTEGER,
  seq              BIGINT NOT NULL,
  PRIMARY KEY (instrument_id, occasion)
) {{.Clustered}};
--bun:split
CREATE UNIQUE INDEX corporate_actions_by_seq ON corporate_actions (seq);
