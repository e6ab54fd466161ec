-- A completion that streams do not send, of a back-fill or by one, is a change of the
-- lists all the same: filled_seq is its number in the feed.
ALTER TABLE disclosures ADD COLUMN filled_seq BIGINT;
