// graphql-ws: quotes as they change, until three have come.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws'; // Node 22 and browsers have their own

const { PIYASA_URL = 'http://127.0.0.1:8080', PIYASA_KEY } = process.env;

const client = createClient({
  url: `${PIYASA_URL.replace('http', 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: { 'X-API-Key': PIYASA_KEY },
  keepAlive: 30_000,
  retryAttempts: Infinity,
  shouldRetry: error => error?.code !== 4401, // another key is needed
});

const query = `subscription ($ids: [ID!]!) { quoteStream(ids: $ids) { __typename ... on QuoteEvent { data { instrumentId last asOf } } ... on StreamError { code message } } }`;
let left = 3;
for await (const { data, errors } of client.iterate({ query, variables: { ids: ['crypto:900001', 'crypto:900002', 'fx:USDTRY'] } })) {
  if (errors) throw new Error(errors[0].message);
  if (data.quoteStream.__typename !== 'QuoteEvent') continue;
  console.log(JSON.stringify(data.quoteStream.data));
  if (--left === 0) break;
}
await client.dispose();
