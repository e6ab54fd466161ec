INSERT INTO calendar_events (event_id, name, country, currency, importance, is_speaking, seq) VALUES
  (42, 'Nonfarm Payrolls', '{"name":"United States","code":"US"}', 'USD', 3, FALSE, 1);
INSERT INTO calendar_items (event_id, time, actual, forecast, previous, unit, seq) VALUES
  (42, {{at "2026-04-03T12:30:00Z"}}, '151.5', '140', '-1e1', 'K', 2);
INSERT INTO funds (code, instrument_id, name, founder, category, currency, price, price_date, portfolio_size, investor_count, share_count, management_fee_pct, risk_level, is_participation, inception_date, as_of, returns, seq) VALUES
  ('DMA', 'fund:DMA', 'Demo Altın Fonu', 'Demo Portföy', 'Altın', 'TRY', '1.234567', '2026-03-17', '1000000.10', 12, '810000.5', '2.19', 6, TRUE, '2019-06-03', {{at "2026-03-18T06:30:00Z"}}, '{"1w":"0.1","2w":"0.2","1m":"-0.3","3m":"4","6m":"5","1y":"6","3y":"70","5y":"800.80"}', 1);
INSERT INTO fund_flows (code, date, net_flow, inflow, outflow, investor_count, seq) VALUES
  ('DMA', '2026-03-17', '-100.50', '10', '110.50', 12, 2);
INSERT INTO fund_holdings (fund_code, instrument_id, report_month, weight_pct, market_value, seq) VALUES
  ('DMA', 'bist:DMOST', '2026-02', '3.21', '32100', 3);
INSERT INTO ipos (id, company, symbol, instrument_id, price, price_low, price_high, currency, lots, offer_size, demand_start, demand_end, first_trade_date, lead_underwriter, as_of, distribution_method, use_of_proceeds, discount_pct, free_float_pct, documents, seq) VALUES
  ('demo-2026', 'Demo Enerji', 'DMENR', 'bist:DMENR', '20.50', '18', '22', 'TRY', '5000000', '102500000', '2026-03-16', '2026-03-18', '2026-03-25', 'Demo Yatırım', {{at "2026-03-18T06:30:00Z"}}, 'Eşit', 'Yatırım', '15', '25', '[{"name":"izahname.pdf","content_type":"application/pdf","size_bytes":99,"location":"files/2"}]', 1);
UPDATE heads SET seq = 2 WHERE feed = 'calendar';
UPDATE heads SET seq = 3 WHERE feed = 'funds';
UPDATE heads SET seq = 1 WHERE feed = 'ipos';
