-- How a source is, beside whether it is up; and until when a quote is current though it is
-- older than others, since its source publishes seldom.
ALTER TABLE source_status ADD COLUMN last_success {{.Instant}};
--bun:split
ALTER TABLE source_status ADD COLUMN newest_record {{.Instant}};
--bun:split
ALTER TABLE source_status ADD COLUMN next_due {{.Instant}};
--bun:split
ALTER TABLE source_status ADD COLUMN error TEXT;
--bun:split
ALTER TABLE quotes ADD COLUMN current_until {{.Instant}};
--bun:split
ALTER TABLE observations ADD COLUMN current_until {{.Instant}};
