-- Roles for Postgres, each with what it needs and no more. Run this with psql as the role
-- that owns the tables (it needs CREATEROLE), after `piyasa migrate`, and again after each
-- update: what a later migration adds, nobody but servers may read until then. The roles
-- cannot log in themselves; make those that do members of them:
--
--   CREATE ROLE gateway LOGIN PASSWORD '…' IN ROLE piyasa_gateway;
--   CREATE ROLE feed    LOGIN PASSWORD '…' IN ROLE piyasa_ingest;
--   CREATE ROLE admin   LOGIN PASSWORD '…' IN ROLE piyasa_keys;
--   CREATE ROLE keeper  LOGIN PASSWORD '…' IN ROLE piyasa_gateway, piyasa_ingest; -- the `serve` that deletes expired observations
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['piyasa_gateway', 'piyasa_ingest', 'piyasa_keys'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    END IF;
  END LOOP;
END $$;

-- Before Postgres 15 everybody may make tables in this schema; its owner can end that.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO piyasa_gateway, piyasa_ingest, piyasa_keys;

-- Whether the database is prepared; that the secret exists, but not what it is.
GRANT SELECT ON bun_migrations, record_anew, epochs, heads, unsearched TO piyasa_ingest, piyasa_keys;
GRANT SELECT (name) ON secrets TO piyasa_ingest, piyasa_keys;

-- `piyasa serve` reads, counts what keys use, and shares their limits with others.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO piyasa_gateway;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO piyasa_gateway;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO piyasa_gateway; -- pg_dump reads them, too
GRANT INSERT, UPDATE ON usage, usage_months TO piyasa_gateway;
GRANT INSERT, UPDATE, DELETE ON usage_writers, servers, shared_buckets TO piyasa_gateway;
-- Keys register webhooks. Who delivers them is a member of piyasa_gateway and piyasa_ingest.
GRANT INSERT, DELETE ON webhooks TO piyasa_gateway;

-- Who stores something numbers it, and begins a new epoch where the store went back.
GRANT UPDATE ON heads TO piyasa_ingest, piyasa_keys;
GRANT INSERT, DELETE ON epochs TO piyasa_ingest, piyasa_keys;

-- `piyasa ingest` stores records. It deletes what is withdrawn or expired, and no
-- disclosure.
GRANT SELECT, INSERT, UPDATE ON disclosures, disclosure_parts, disclosure_words TO piyasa_ingest;
GRANT INSERT, DELETE ON unsearched TO piyasa_ingest;
GRANT SELECT, INSERT ON disclosure_codes, statement_layouts TO piyasa_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  collectors,
  adjustments, bar_changes, bars, bist_indices, calendar_events, calendar_items, commits, companies, company_codes, corporate_actions, dividends, filings, former_meanings, fund_flows,
  fund_holdings, funds, index_bars, index_links, inflation_points, instruments, ipos, kept, left_catalog, logos, market_metrics, news, news_codes, observations,
  price_limits, quotes, recordings, renames, sectors, superseded,
  sinks, source_states, source_status, statements, trading_days, withdrawn
  TO piyasa_ingest;
GRANT SELECT, UPDATE (state) ON webhooks TO piyasa_ingest;

-- `piyasa keys` and `piyasa usage`: keys are made, revoked and rotated, and never deleted.
GRANT SELECT, INSERT ON keys TO piyasa_keys;
GRANT UPDATE (hash, prefix, revoked_at) ON keys TO piyasa_keys;
GRANT SELECT (key_id), DELETE ON webhooks TO piyasa_keys; -- those of a key that is revoked
GRANT SELECT ON usage, usage_months TO piyasa_keys;
