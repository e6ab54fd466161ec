-- Filings of a period, which say whether its statements are of the group or of the company alone.
CREATE INDEX {{.Beside}} filings_by_period ON filings (symbol, end_date);
