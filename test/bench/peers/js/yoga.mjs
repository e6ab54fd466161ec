// GraphQL Yoga with a just-in-time compiler, reading from Postgres.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { useGraphQlJit } from '@envelop/graphql-jit'
import { createSchema, createYoga } from 'graphql-yoga'
import * as data from './data.mjs'

// together collects what the parents of one answer ask for into one call.
function together(load) {
  let waiting = null
  return (key) => new Promise((resolve, reject) => {
    if (!waiting) {
      waiting = []
      process.nextTick(() => {
        const asked = waiting
        waiting = null
        load(asked.map((a) => a.key)).then((found) => asked.forEach((a, i) => a.resolve(found[i])), (e) => asked.forEach((a) => a.reject(e)))
      })
    }
    waiting.push({ key, resolve, reject })
  })
}

const schema = createSchema({
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
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
    Instrument: {
      quote: (instrument, _, context) => (context.quotes ??= together(data.quotes))(instrument.instrumentId),
      valuation: (instrument, _, context) => (context.valuations ??= together(data.valuations))(instrument.instrumentId),
      disclosures: (instrument, { first }, context) => (context.newest ??= together((symbols) => data.newest(symbols, first)))(instrument.symbol),
    },
  },
})
const yoga = createYoga({ schema, plugins: [useGraphQlJit()], logging: false, graphiql: false, landingPage: false })
const server = createServer(yoga)
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
