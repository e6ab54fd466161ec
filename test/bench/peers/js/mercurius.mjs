// Mercurius with its just-in-time compiler on Fastify, reading from Postgres.
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import mercurius from 'mercurius'
import * as data from './data.mjs'

const app = Fastify()
app.register(mercurius, {
  schema: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  jit: 1,
  resolvers: {
    Query: {
      quote: (_, { id }) => data.quote(id),
      watchlist: (_, { ids }) => data.instruments(ids),
      candles: (_, args) => args,
      disclosures: (_, { symbol, cursor, limit }) => data.page(symbol, cursor, limit),
    },
    CandleSeries: {
      bars: ({ id, from, to }) => data.bars(id, from, to),
      columns: ({ id, from, to }) => data.columns(id, from, to),
    },
  },
  loaders: {
    Instrument: {
      quote: { loader: (queries) => data.quotes(queries.map((q) => q.obj.instrumentId)), opts: { cache: false } },
      valuation: { loader: (queries) => data.valuations(queries.map((q) => q.obj.instrumentId)), opts: { cache: false } },
      disclosures: { loader: (queries) => data.newest(queries.map((q) => q.obj.symbol), queries[0].params.first), opts: { cache: false } },
    },
  },
})
console.log('listening on ' + await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) }))
