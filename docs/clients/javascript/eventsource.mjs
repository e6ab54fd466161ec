// EventSource: disclosures over server-sent events, from the first stored one; it reconnects and resumes by itself.
import { EventSource } from 'eventsource'; // browsers have their own, which takes a token instead of the header: GET /v1/stream-token

const { PIYASA_URL = 'http://127.0.0.1:8080', PIYASA_KEY } = process.env;

const query = `subscription { disclosureStream(topics: ["symbol:DMOST"], afterSeq: 0) { ... on DisclosureEvent { position data { disclosureIndex subject { en } } } ... on ReplayDone { position } } }`;
const source = new EventSource(`${PIYASA_URL}/graphql?${new URLSearchParams({ query })}`, {
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'X-API-Key': PIYASA_KEY } }),
});

source.addEventListener('next', event => {
  const { data, errors } = JSON.parse(event.data);
  if (errors) throw new Error(errors[0].message);
  const of = data.disclosureStream;
  if (of.data) console.log(JSON.stringify({ position: event.lastEventId, ...of.data }));
  else if (of.position) source.close(); // the replay is complete; a real client goes on
});
source.addEventListener('error', ({ code, message }) => {
  if (code === 401 || code === 403) throw new Error(message); // retrying does not help
});
