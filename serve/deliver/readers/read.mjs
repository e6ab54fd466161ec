// Reads a folder that `piyasa deliver` writes with DuckDB, as docs/warehouse.md shows it, with Polars and
// with hyparquet, and prints what each has read as one JSON object.
import { readFile } from 'node:fs/promises'

import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import polars from 'nodejs-polars'

const folder = process.argv[2]
const manifest = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8'))
const files = manifest.files.filter(f => f.kind === 'bar').map(f => `${folder}/${f.path}`)
const page = await readFile('../../../docs/warehouse.md', 'utf8')
const blocks = [...page.matchAll(/```sql\n(.*?)```/gs)].map(m => m[1].replaceAll('/data/lake', folder))

const found = {}

const duck = await (await DuckDBInstance.create()).connect()
const ask = async sql => (await duck.runAndReadAll(sql)).getRowObjectsJson()
for (const block of blocks) {
  for (const statement of block.split(/;\n/).filter(s => s.trim())) {
    await ask(statement)
  }
}
found.duckdb = await ask('SELECT key, close, CAST(close_decimal AS VARCHAR) AS exact FROM bar ORDER BY key')
found.typed = await ask(`SELECT bool_and(close_decimal = CAST(close AS DECIMAL(38, 18))) AS same
  FROM read_parquet(getvariable('bars'), union_by_name = true) WHERE NOT withdrawn AND close_decimal IS NOT NULL`)

// as the page does it in Python
const changes = polars.concat(files.map(file => polars.readParquet(file).select('number', 'key', 'withdrawn', 'instrument_id')))
const { col } = polars
found.rows = changes.height
const moved = changes.filter(col('key').isNull()).groupBy('instrument_id').agg(col('number').max().alias('moved'))
found.polars = changes.filter(col('key').isNotNull()).sort('number').unique({ subset: ['key'], keep: 'last' })
  .join(moved, { on: 'instrument_id', how: 'left' })
  .filter(col('withdrawn').not().and(col('moved').isNull().or(col('number').gt(col('moved'))))).height

found.hyparquet = 0
for (const file of files) {
  found.hyparquet += (await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })).length
}
console.log(JSON.stringify(found))
