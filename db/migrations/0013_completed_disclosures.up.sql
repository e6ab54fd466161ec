-- A disclosure whose row in lists is completed after streams carried it is told
-- again: completed_seq is a number of the feed, like seq.
ALTER TABLE disclosures ADD COLUMN completed_seq BIGINT;
