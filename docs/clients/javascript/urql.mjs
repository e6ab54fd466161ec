// urql: one quote in another currency.
import { Client, cacheExchange, fetchExchange, gql } from '@urql/core';

const { PIYASA_URL = 'http://127.0.0.1:8080', PIYASA_KEY } = process.env;

const client = new Client({
  url: `${PIYASA_URL}/graphql`,
  preferGetMethod: false,
  exchanges: [cacheExchange, fetchExchange],
  fetchOptions: { headers: { 'X-API-Key': PIYASA_KEY } },
});

const query = gql`query ($id: ID!, $currency: Currency) { quote(id: $id, currency: $currency) { instrumentId last currency fxRate asOf dataDelaySeconds } }`;
const { data, error } = await client.query(query, { id: 'fx:EURUSD', currency: 'TRY' }).toPromise();
if (error) throw error; // error.graphQLErrors[0].extensions.problem says what was wrong and what is allowed
console.log(JSON.stringify(data));
