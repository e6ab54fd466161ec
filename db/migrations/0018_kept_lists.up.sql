-- A completion that streams do not send, of a back-fill or by one, is a change of the
-- lists all the same: filled_seq is its number in the feed.
ALTER TABLE disclosures ADD COLUMN filled_seq BIGINT;
--bun:split
CREATE UNIQUE INDEX disclosures_filled ON disclosures (filled_seq) WHERE filled_seq IS NOT NULL;
--bun:split
-- Servers look for what has changed by its number.
CREATE UNIQUE INDEX dividends_by_seq ON dividends (seq);
