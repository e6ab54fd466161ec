// Apollo Client: a watchlist, kept by the ids that piyasa has, and read from the cache again; and disclosures as they are
// stored, by a subscription over HTTP, which needs no other link.
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';

const { PIYASA_URL = 'http://127.0.0.1:8080', PIYASA_KEY } = process.env;

const client = new ApolloClient({
  link: new HttpLink({ uri: `${PIYASA_URL}/graphql`, headers: { 'X-API-Key': PIYASA_KEY } }),
  cache: new InMemoryCache({
    typePolicies: {
      Instrument: { keyFields: ['instrumentId'] },
      Quote: { keyFields: ['instrumentId', 'currency'] }, // the same price in two currencies is two objects
      Disclosure: { keyFields: ['disclosureIndex'] },
      DisclosureDetail: { keyFields: ['disclosureIndex'] },
      CompanyProfile: { keyFields: ['symbol'] },
      Sector: { keyFields: ['code'] },
      BistIndex: { keyFields: ['code'] },
      FundProfile: { keyFields: ['code'] },
      IpoDetail: { keyFields: ['id'] },
      CalendarEvent: { keyFields: ['eventId'] },
      Query: { fields: { instrument: { read: (known, { args, toReference }) => known ?? toReference({ __typename: 'Instrument', instrumentId: args.id }) } } },
    },
  }),
});

const { data } = await client.query({
  query: gql`query Watchlist($ids: [ID!]!) { watchlist(ids: $ids) { instrumentId name quote { instrumentId currency last asOf } } }`,
  variables: { ids: ['bist:DMOST', 'crypto:900001'] },
});

// The instrument is in the cache under its id: nothing is asked again.
const again = await client.query({
  query: gql`query Name($id: ID!) { instrument(id: $id) { instrumentId name } }`,
  variables: { id: 'bist:DMOST' },
  fetchPolicy: 'cache-only',
});

// Each event is one part of the answer. A real client stores the position, and begins again with `after` when the stream ends.
const disclosures = [];
const end = await new Promise((resolve, reject) => {
  const subscription = client
    .subscribe({
      query: gql`subscription { disclosureStream(topics: ["symbol:DMOST"], afterSeq: 0) { ... on DisclosureEvent { position data { disclosureIndex } } ... on ReplayDone { position } } }`,
      fetchPolicy: 'no-cache', // events are no state
    })
    .subscribe({
      next({ data, error }) {
        if (error) return reject(error);
        const { position, data: disclosure } = data.disclosureStream;
        if (disclosure) return void disclosures.push(disclosure.disclosureIndex);
        if (!position) return; // it has begun
        subscription.unsubscribe(); // the replay is complete; a real client goes on
        resolve(position);
      },
      error: reject,
      complete: () => reject(new Error('the stream ended')),
    });
});

console.log(JSON.stringify({ watchlist: data.watchlist, cached: again.data?.instrument, disclosures, end }));
client.stop();
