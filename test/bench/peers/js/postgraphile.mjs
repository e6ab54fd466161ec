// PostGraphile, with the schema that it makes from the tables and functions.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const server = createServer()
const graph = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({
    connectionString: process.env.DATABASE_URL, schemas: ['public'],
    poolConfig: { max: Number(process.env.CONNECTIONS ?? 8), options: '-c TimeZone=UTC' },
  })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
})
await graph.createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
