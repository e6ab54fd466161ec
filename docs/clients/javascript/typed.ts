// The types that codegen.mjs and openapi-typescript generate: `Decimal` is a string, and null must be looked at.
import createClient from 'openapi-fetch';
import type { ValuationQuery, ValuationQueryVariables } from './generated/graphql.js';
import type { paths } from './generated/openapi.js';

const { PIYASA_URL = 'http://127.0.0.1:8080', PIYASA_KEY = '' } = process.env;
const headers = { 'X-API-Key': PIYASA_KEY };

async function valuation(variables: ValuationQueryVariables): Promise<ValuationQuery> {
  const query = 'query Valuation($id: ID!) { valuation(id: $id) { currency peRatio { value nullReason } ebitda { value nullReason } } }';
  const answer = await fetch(`${PIYASA_URL}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: ValuationQuery; errors?: { message: string }[] };
  if (errors) throw new Error(errors[0]?.message);
  return data;
}

const pe: string | null | undefined = (await valuation({ id: 'bist:DMOST' })).valuation?.peRatio.value;

const client = createClient<paths>({ baseUrl: PIYASA_URL, headers });
const { data, error } = await client.GET('/v1/quotes/{instrument_id}', {
  params: { path: { instrument_id: 'bist:DMOST' }, query: { currency: 'USD' } },
});
if (error) throw new Error(error.detail);
if (typeof data === 'string') throw new Error('CSV'); // which the route has, too, for who asks for it
const last: string = data.last;

console.log(JSON.stringify({ pe, last, currency: data.currency }));
