-- Older versions built these, but for disclosures_of_company, in the migrations that made
-- their columns, and let nobody write meanwhile.
CREATE INDEX {{.Beside}} disclosures_cancelled ON disclosures (related_index) WHERE reason = 'CANC';
--bun:split
-- instruments_listed tells of each dividend, in the order of its ids, whether
-- the list has it: the key of instruments follows the database's collation.
CREATE INDEX {{.Beside}} instruments_listed ON instruments (instrument_id {{.Bytewise}}, market, asset_type);
--bun:split
CREATE UNIQUE INDEX {{.Beside}} disclosures_completed ON disclosures (completed_seq) WHERE completed_seq IS NOT NULL;
--bun:split
CREATE UNIQUE INDEX {{.Beside}} disclosures_filled ON disclosures (filled_seq) WHERE filled_seq IS NOT NULL;
--bun:split
-- Servers look for what has changed by its number.
CREATE UNIQUE INDEX {{.Beside}} dividends_by_seq ON dividends (seq);
--bun:split
CREATE INDEX {{.Beside}} disclosure_codes_by_number ON disclosure_codes (code, disclosure_index);
--bun:split
-- It states the type, as codes do; disclosures_by_company of older versions may not.
CREATE INDEX {{.Beside}} disclosures_of_company ON disclosures (company_id, effective_at, disclosure_index, type);
