// Prints quotes, what is refused, and the first disclosures: node example.mjs [ID…].
import { Piyasa, PiyasaError } from 'piyasa';

const { PIYASA_URL = 'http://127.0.0.1:8080', PIYASA_KEY = '' } = process.env;
const ids = process.argv.length > 2 ? process.argv.slice(2) : ['bist:DMOST', 'fx:USDTRY'];

const market = new Piyasa(PIYASA_URL, PIYASA_KEY);
for (const { instrument_id, last, currency } of await market.quotes(ids)) console.log(instrument_id, last, currency);
for (const refused of [() => market.eod('bist:NOPE'), () => market.followDisclosures(['nope']).next()]) {
  await refused().catch(error => {
    if (!(error instanceof PiyasaError)) throw error;
    console.log(error.kind, error.message);
  });
}
let left = 30;
for await (const [, disclosure] of market.followDisclosures(['all'], { position: 0 })) {
  console.log(disclosure.disclosureIndex, disclosure.type);
  if (--left === 0) break;
}
