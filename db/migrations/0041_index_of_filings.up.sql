-- filings_by_period has taken its place.
DROP INDEX filings_by_symbol;
