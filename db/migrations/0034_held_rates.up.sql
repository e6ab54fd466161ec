-- Rates that state until when they are current, and withdrawals: bars are converted by them.
CREATE INDEX {{.Beside}} observations_held ON observations (instrument_id, as_of) WHERE current_until IS NOT NULL OR last IS NULL;
