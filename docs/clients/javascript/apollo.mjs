// Apollo Client: a watchlist, kept by the ids that piyasa has, and read from the cache again.
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

console.log(JSON.stringify({ watchlist: data.watchlist, cached: again.data?.instrument }));
client.stop();
