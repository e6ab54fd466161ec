// Reads a folder that `piyasa deliver` writes with DuckDB, Polars and hyparquet, and prints what each
// has read as one JSON object: of the bars, the newest close of each day, and how many rows there are.
import { readFile } from 'node:fs/promises'

import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import polars from 'nodejs-polars'

const folder = process.argv[2]
const manifest = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8'))
const segments = manifest.segments.filter(s => s.kind === 'bar').map(s => `${folder}/${s.path}`)

const found = {}

const duck = await (await DuckDBInstance.create()).connect()
const ask = async sql => (await duck.runAndReadAll(sql)).getRowObjectsJson()
const list = segments.map(s => `'${s}'`).join(', ')
found.duckdb = await ask(`
  WITH changes AS (SELECT * FROM read_parquet([${list}], union_by_name = true)),
    newest AS (SELECT * FROM changes WHERE key IS NOT NULL QUALIFY row_number() OVER (PARTITION BY key ORDER BY number DESC) = 1),
    moved AS (SELECT instrument_id, max(number) AS number FROM changes WHERE key IS NULL GROUP BY ALL)
  SELECT key, close, CAST(close_decimal AS VARCHAR) AS exact FROM newest ANTI JOIN moved
    ON moved.instrument_id = newest.instrument_id AND moved.number > newest.number
  WHERE NOT withdrawn ORDER BY key`)
found.typed = await ask(`SELECT count(*) AS rows, bool_and(close_decimal = CAST(close AS DECIMAL(38, 18))) AS same,
  min(CAST(t AS VARCHAR)) AS first FROM read_parquet([${list}], union_by_name = true) WHERE NOT withdrawn`)

found.polars = segments.reduce((rows, s) => rows + polars.readParquet(s).height, 0)

found.hyparquet = []
for (const s of segments) {
  for (const row of await parquetReadObjects({ file: await asyncBufferFromFile(s), compressors, columns: ['number', 'key', 'withdrawn', 'close'] })) {
    found.hyparquet.push([Number(row.number), row.key, row.withdrawn, row.close ?? null])
  }
}
console.log(JSON.stringify(found))
