// Reads what the servers of this folder answer with. Each function is one
// prepared statement, however many parents ask.
import postgres from 'postgres'

// The instant of an observation stays text, as the digits of a price do anyway.
const instant = { to: 1184, from: [1184], serialize: String, parse: (s) => s.slice(0, 10) + 'T' + s.slice(11, 19) + 'Z' }

const sql = postgres(process.env.DATABASE_URL, {
  max: Number(process.env.CONNECTIONS ?? 8),
  types: { instant },
  connection: { TimeZone: 'UTC', DateStyle: 'ISO, YMD' },
})

const quoteColumns = sql`
  instrument_id AS "instrumentId", symbol, ticker, upper(market) AS market, currency, last, prev_close AS "prevClose", change,
  change_pct AS "changePct", open, high, low, bid, ask, volume, turnover, limit_up AS "limitUp", limit_down AS "limitDown",
  market_cap AS "marketCap", as_of AS "asOf", data_delay_seconds AS "dataDelaySeconds"`

const disclosureColumns = sql`
  d.disclosure_index AS "disclosureIndex", d.type, d.class, d.symbols, d.filer_codes AS "filerCodes", d.filer_title AS "filerTitle",
  d.published_at AS "publishedAt", d.reason, d.related_index AS "relatedIndex", d.subject_tr, d.subject_en, d.summary_tr, d.summary_en,
  d.link, d.attachment_count AS "attachmentCount", d.year, d.period, d.consolidation`

export async function quote(id) {
  const [row] = await sql`SELECT ${quoteColumns} FROM quotes WHERE instrument_id = ${id}`
  return row ?? null
}

// inOrder returns a row for each id, null where there is none.
function inOrder(ids, rows, key) {
  const byId = new Map()
  for (const row of rows) byId.set(row[key], row)
  return ids.map((id) => byId.get(id) ?? null)
}

export const instruments = async (ids) =>
  inOrder(ids, await sql`
    SELECT instrument_id AS "instrumentId", symbol, name, upper(market) AS market FROM instruments WHERE instrument_id = ANY(${ids})`, 'instrumentId')

export const quotes = async (ids) =>
  inOrder(ids, await sql`SELECT ${quoteColumns} FROM quotes WHERE instrument_id = ANY(${ids})`, 'instrumentId')

export async function valuations(ids) {
  const rows = await sql`
    SELECT instrument_id AS id, market_cap, pe_ratio, pb_ratio, net_debt, ev FROM valuations WHERE instrument_id = ANY(${ids})`
  const figures = rows.map((r) => ({
    id: r.id, marketCap: { value: r.market_cap }, peRatio: { value: r.pe_ratio }, pbRatio: { value: r.pb_ratio },
    netDebt: { value: r.net_debt }, ev: { value: r.ev },
  }))
  return inOrder(ids, figures, 'id')
}

function localize(row) {
  row.subject = row.subject_tr === null ? null : { tr: row.subject_tr, en: row.subject_en }
  row.summary = row.summary_tr === null ? null : { tr: row.summary_tr, en: row.summary_en }
  return row
}

// newest returns the newest disclosures of each symbol.
export async function newest(symbols, first) {
  const rows = await sql`
    SELECT u.n::int AS n, d.*
    FROM unnest(${symbols}::text[]) WITH ORDINALITY u (symbol, n)
    CROSS JOIN LATERAL (
      SELECT ${disclosureColumns} FROM disclosure_symbols s JOIN disclosures d USING (disclosure_index) WHERE s.symbol = u.symbol
      ORDER BY s.published_at DESC, s.disclosure_index DESC LIMIT ${first}
    ) d
    ORDER BY u.n`
  const lists = symbols.map(() => [])
  for (const row of rows) lists[row.n - 1].push(localize(row))
  return lists
}

// page returns the disclosures of a symbol after a cursor, newest first.
export async function page(symbol, cursor, limit) {
  let after = ['infinity', 0]
  if (cursor) after = Buffer.from(cursor, 'base64url').toString().split(' ')
  const rows = await sql`
    SELECT ${disclosureColumns}
    FROM (
      SELECT published_at, disclosure_index FROM disclosure_symbols
      WHERE symbol = ${symbol} AND (published_at, disclosure_index) < (${after[0]}::timestamptz, ${Number(after[1])}::int)
      ORDER BY published_at DESC, disclosure_index DESC LIMIT ${limit + 1}
    ) s
    JOIN disclosures d USING (disclosure_index)
    ORDER BY s.published_at DESC, s.disclosure_index DESC`
  const items = rows.slice(0, limit).map(localize)
  const last = items.at(-1)
  return {
    items, count: items.length,
    nextCursor: rows.length > limit ? Buffer.from(`${last.publishedAt} ${last.disclosureIndex}`).toString('base64url') : null,
  }
}

export const bars = (id, from, to) => sql`
  SELECT t, open, high, low, close, volume, turnover, trade_count AS "tradeCount" FROM bars
  WHERE instrument_id = ${id} AND t >= ${from}::date AND t < ${to}::date + 1 ORDER BY t`

const columnNames = ['t', 'open', 'high', 'low', 'close', 'volume', 'turnover', 'tradeCount']

// columns returns the same bars as a list for each column.
export async function columns(id, from, to) {
  const rows = await sql`
    SELECT t, open, high, low, close, volume, turnover, trade_count FROM bars
    WHERE instrument_id = ${id} AND t >= ${from}::date AND t < ${to}::date + 1 ORDER BY t`.values()
  return Object.fromEntries(columnNames.map((name, i) => [name, rows.map((row) => row[i])]))
}
