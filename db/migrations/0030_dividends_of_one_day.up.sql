-- Several dividends may have one ex date: occasion tells them apart, which is what
-- Occasion of a DividendRecord returns.
ALTER TABLE dividends RENAME TO single_dividends;
--bun:split
DROP INDEX dividends_by_ex_date;
--bun:split
DROP INDEX dividends_by_payment_date;
--bun:split
DROP INDEX dividends_by_seq;
--bun:split
CREATE TABLE dividends (
  instrument_id   TEXT {{.Bytewise}} NOT NULL,
  ex_date         {{.Date}} NOT NULL,
  occasion        TEXT {{.Bytewise}} NOT NULL,
  dividend_id     TEXT,
  kind            TEXT,
  installment     INTEGER NOT NULL,
  payment_date    {{.Date}},
  gross_per_share {{.Decimal}},
  net_per_share   {{.Decimal}},
  currency        TEXT NOT NULL,
  seq             BIGINT NOT NULL,
  PRIMARY KEY (instrument_id, ex_date, occasion)
) {{.Clustered}};
--bun:split
INSERT INTO dividends (instrument_id, ex_date, occasion, installment, payment_date, gross_per_share, net_per_share, currency, seq)
SELECT instrument_id, ex_date, '/' || installment, installment, payment_date, gross_per_share, net_per_share, currency, seq FROM single_dividends;
--bun:split
DROP TABLE single_dividends;
--bun:split
CREATE INDEX dividends_by_ex_date ON dividends (ex_date, instrument_id, installment, occasion);
--bun:split
CREATE INDEX dividends_by_payment_date ON dividends (payment_date, instrument_id, installment, ex_date, occasion);
--bun:split
CREATE UNIQUE INDEX dividends_by_seq ON dividends (seq);
