import { render } from 'preact';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { settings } from '../site/settings';

const QUERY = `query Home($ids: [ID!]!) {
  marketStatus { state nextOpenAt closesAt asOf }
  watchlist(ids: $ids) { instrumentId name quote { last currency changePct asOf } }
}`;

interface Data {
  marketStatus: { state: string; nextOpenAt: string | null; closesAt: string | null; asOf: string };
  watchlist: { instrumentId: string; name: string | null; quote: { last: string; currency: string; changePct: string | null; asOf: string } | null }[];
}

function Home() {
  const answer = useAnswer(signal => ask<Data>(QUERY, { ids: settings.watchlist ?? [] }, signal), [], 15);
  return (
    <Answer of={answer} label="Quotes">
      {({ data }) => (
        <>
          <p>Borsa Istanbul is {data.marketStatus.state}.</p>
          <div class="scroll">
            <table>
              <caption>Watchlist</caption>
              <thead>
                <tr>
                  <th scope="col">Instrument</th>
                  <th scope="col" class="number">
                    Last
                  </th>
                  <th scope="col" class="number">
                    Change
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.watchlist.map(({ instrumentId, name, quote }) => (
                  <tr key={instrumentId}>
                    <th scope="row">
                      {name} <code>{instrumentId}</code>
                    </th>
                    <td class="number">{quote ? `${quote.last} ${quote.currency}` : '–'}</td>
                    <td class={`number ${quote?.changePct?.startsWith('-') ? 'down' : 'up'}`}>{quote?.changePct ? `${quote.changePct}%` : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Answer>
  );
}

render(<Home />, document.getElementById('app')!);
