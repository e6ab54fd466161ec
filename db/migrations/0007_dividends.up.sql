INSERT INTO heads (feed, seq) VALUES ('dividends', 0);
--bun:split
-- dividends have the installment 0 where they are paid at once.
CREATE TABLE dividends (
  instrument_id   TEXT {{.Bytewise}} NOT NULL,
  ex_date         {{.Date}} NOT NULL,
  installment     INTEGER NOT NULL,
  payment_date    {{.Date}},
  gross_per_share {{.Decimal}},
  net_per_share   {{.Decimal}},
  currency        TEXT NOT NULL,
  seq             BIGINT NOT NULL,
  PRIMARY KEY (instrument_id, ex_date, installment)
) {{.Clustered}};
--bun:split
CREATE INDEX dividends_by_ex_date ON dividends (ex_date, instrument_id, installment);
--bun:split
CREATE INDEX dividends_by_payment_date ON dividends (payment_date, instrument_id, installment, ex_date);
