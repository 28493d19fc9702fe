// Runs the SQL of a file in DuckDB and prints the rows of each statement that has some, as JSON.
import { DuckDBInstance } from '@duckdb/node-api'
import { readFileSync } from 'node:fs'
const c = await (await DuckDBInstance.create()).connect()
const all = await c.extractStatements(readFileSync(process.argv[2], 'utf8'))
const out = []
for (let i = 0; i < all.count; i++) {
  const r = await (await all.prepare(i)).run()
  const rows = await r.getRowObjectsJson()
  if (rows.length) out.push(rows)
}
console.log(JSON.stringify(out))
