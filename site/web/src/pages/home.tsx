import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Answer, Trouble, useAnswer } from '../site/answer';
import { ask, askAll } from '../site/api';
import { pageOf } from '../site/catalog';
import { age, fresh, lasting, useNow, When } from '../site/figures';
import { apiKey, refusedKey } from '../site/key';
import { idle } from '../site/server';
import { follow, type State } from '../site/live';
import { askForKey } from '../site/site';
import { marketName } from '../site/market-names';
import { Stream } from '../site/stream';
import { Table } from '../site/table';
import { inLanguage, spoken, t } from '../site/words';
import { FirstKey, FirstOutcome, FirstSteps, useEmpty } from './first-steps';
import { useIds } from './liveliest';
import { Watchlist } from './watchlist';
import type { Quote } from './watchlist-columns';

const STATE = `query State { marketStatus { state session { timezone open close } nextOpenAt closesAt asOf dataDelaySeconds } sources { sources { name up lastSuccess newestRecord lagSeconds error } } }`;

interface StateData {
  marketStatus: null | {
    state: string;
    session: { open: string | null; close: string | null };
    nextOpenAt: string | null;
    closesAt: string | null;
    asOf: string;
    dataDelaySeconds: number;
  };
  sources: null | {
    sources: {
      name: string;
      up: boolean;
      lastSuccess: string | null;
      newestRecord: string | null;
      lagSeconds: number | null;
      error: string | null;
    }[];
  };
}

function Home() {
  const [quotes, setQuotes] = useState<Quote[]>([]);
  const [streamState, setStreamState] = useState<State>('connecting');
  const state = useAnswer(signal => ask<StateData>(STATE, {}, signal), [], 30);
  const empty = useEmpty();
  const chosen = useIds(empty);
  const ids = chosen.value;
  // What is below the list is drawn after it, so that it does not move.
  const settled = quotes.length > 0 || streamState !== 'connecting' || !!chosen.failure;
  const refused = !!apiKey.value && refusedKey.value === apiKey.value;
  const keyed = apiKey.value && !refused;
  return (
    <>
      <div class="hero">
        <div>
          <h1>{t('Market data, exact and honest')}</h1>
          <p class="muted lead">
            {t('Decimals are text from end to end. An unknown figure is null, with its reason. Nothing is lost between two connections.')}
          </p>
        </div>
        <div class="hero-side">{state.value?.data.marketStatus && <Market {...state.value.data.marketStatus} old={!!state.old} />}</div>
      </div>
      <FirstOutcome />
      {empty && <FirstSteps />}
      {!empty && !keyed && (
        <div class="note warn row" role={refused ? 'alert' : undefined}>
          <div>
            <strong>{refused ? t('The server refused this key.') : t('Enter an API key to see data.')}</strong>{' '}
            <code>piyasa keys create --name me --plan pro --scopes all</code> {t('makes one.')}
            <FirstKey />
          </div>
          <button type="button" class="main end" onClick={askForKey}>
            {t('Enter a key')}
          </button>
        </div>
      )}
      {!empty && keyed && (
        <div class="columns">
          <div class="stack">
            <Watchlist
              chosen={chosen}
              onQuotes={(quotes, state) => {
                setQuotes(quotes);
                setStreamState(state);
              }}
            />
            {settled && <Try ids={ids} />}
          </div>
          <div class="stack">
            <Newest />
            <section class="card" aria-labelledby="fresh">
              <h2 id="fresh">{t('How fresh')}</h2>
              <Freshness quotes={quotes} state={streamState} />
              <Answer of={state} label={t('Sources')}>
                {({ data, errors }) =>
                  data.sources ? <Sources sources={data.sources.sources} old={!!state.old} /> : <p class="muted">{errors[0]?.message}</p>
                }
              </Answer>
            </section>
          </div>
        </div>
      )}
      {(settled || empty || !keyed) && <Doors />}
    </>
  );
}

function Market({ state, closesAt, nextOpenAt, asOf, old }: NonNullable<StateData['marketStatus']> & { old: boolean }) {
  const now = useNow(5);
  if (old) {
    return (
      <p class="market">
        <span class="dot" aria-hidden="true" /> {t('Borsa Istanbul:')} <strong>{t('unknown')}</strong>
        <span class="muted">
          , {state} {age(asOf, now)}
        </span>
      </p>
    );
  }
  return (
    <p class="market">
      <span class={`dot ${state}`} aria-hidden="true" /> {t('Borsa Istanbul is')}{' '}
      <strong>{t(state === 'holiday' ? 'on holiday' : state)}</strong>
      <span class="muted">
        {state === 'open'
          ? closesAt && `, ${t('closes {when}', { when: age(closesAt, now) })}`
          : nextOpenAt && `, ${t('opens {when}', { when: age(nextOpenAt, now) })}`}
      </span>
    </p>
  );
}

interface Disclosure {
  disclosureIndex: number;
  type: string;
  symbols: string[];
  filerTitle: string | null;
  publishedAt: string | null;
  subject: { tr: string | null; en: string | null } | null;
  instruments: { instrumentId: string }[] | null;
}

const DISCLOSURE = 'disclosureIndex type symbols filerTitle publishedAt subject { tr en } instruments(first: 1) { instrumentId }';
const NEWEST = `query Newest { disclosures(limit: 8) { items { ${DISCLOSURE} } } }`;
const ARRIVING = `subscription Arriving { disclosureStream(topics: ["all"]) { ... on DisclosureEvent { data { ${DISCLOSURE} } } } }`;

function Newest() {
  const [arrived, setArrived] = useState<Disclosure[]>([]);
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const live = state[0] === 'live';
  const answer = useAnswer(signal => askAll<{ disclosures: { items: Disclosure[] } }>(NEWEST, {}, signal), [], live ? undefined : 60);
  const before = useRef(live);
  useEffect(() => {
    if (before.current !== live) answer.again(); // fetches what came between two connections; what is shown stays
    before.current = live;
  }, [live]);
  useEffect(() => {
    if (!apiKey.value) return;
    return follow<{ disclosureStream: { data?: Disclosure } }>(ARRIVING, () => ({}), {
      event: ({ disclosureStream: { data } }) => data && setArrived(before => [data, ...before].slice(0, 8)),
      state: (state, why) => setState([state, why]),
    });
  }, [apiKey.value]);
  const now = useNow(10);
  const known = new Map([...arrived, ...(answer.value?.disclosures.items ?? [])].map(row => [row.disclosureIndex, row]));
  const rows = [...known.values()]
    .sort((a, b) => (b.publishedAt ?? '').localeCompare(a.publishedAt ?? '') || b.disclosureIndex - a.disclosureIndex)
    .slice(0, 6);
  return (
    <section class="card" aria-labelledby="newest">
      <div class="row">
        <h2 id="newest">{t('Newest disclosures')}</h2>
        <Stream state={state[0]} why={state[1]} />
        <a class="end small" href="/disclosures">
          {t('Follow them')}
        </a>
      </div>
      {answer.failure && <Trouble failure={answer.failure} again={answer.again} old={answer.old} />}
      {answer.value && !rows.length && <p class="muted">{t('None is stored yet.')}</p>}
      <ul class="news">
        {rows.map(row => (
          <li key={row.disclosureIndex} class={arrived.includes(row) ? 'arrived' : ''}>
            <span class="row">
              <span class="tag">{row.type}</span>
              <strong>
                {row.instruments?.[0] ? (
                  <a href={`${pageOf(row.instruments[0].instrumentId)}#disclosure-${row.disclosureIndex}`}>{row.symbols.join(' ')}</a>
                ) : (
                  row.symbols.join(' ') || t('Market')
                )}
              </strong>
              <span class="end muted small">
                <When at={row.publishedAt} now={now} />
              </span>
            </span>
            <span>{inLanguage(row.subject?.tr, row.subject?.en) ?? t('Without a subject')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The newest quote of each market of the watchlist. */
function Freshness({ quotes, state }: { quotes: Quote[]; state: State }) {
  const now = useNow(2);
  const newest = new Map<string, Quote>();
  for (const quote of quotes) if (!(newest.get(quote.market)?.asOf! > quote.asOf)) newest.set(quote.market, quote);
  if (!newest.size) return null;
  return (
    <Table
      label={`${t('Newest quotes by market')}${state === 'live' ? '' : `, ${t('not streamed')}`}`}
      class="small"
      columns={[t('Market'), [t('Newest quote'), 'number'], [t('Published'), 'number']]}
      take={`/v1/quotes?ids=${[...newest.values()].map(quote => quote.instrumentId).join()}`}
    >
      {[...newest].sort().map(([market, quote]) => (
        <tr key={market}>
          <th scope="row">{marketName({ market })}</th>
          <td class="number">
            <When at={quote.asOf} now={now} />
          </td>
          <td class="number muted">
            {!fresh(quote.asOf, now)
              ? '–'
              : quote.dataDelaySeconds
                ? t('{time} late', { time: lasting(quote.dataDelaySeconds) })
                : t('at once')}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Sources({ sources, old }: { sources: NonNullable<StateData['sources']>['sources']; old: boolean }) {
  const now = useNow(10);
  if (!sources.length) return null;
  return (
    <ul class="sources small">
      {sources.map(source => (
        <li key={source.name} class="row">
          <span class={`dot ${old || idle(source) ? '' : source.up ? 'open' : 'failed'}`} aria-hidden="true" />
          {t('source')} <code>{source.name}</code>
          <span class={source.up || old ? 'muted' : 'down'}>
            {old ? t('unknown') : source.up ? t(idle(source) ? 'nothing yet' : 'up') : (source.error ?? t('down'))}
            {source.newestRecord && `, ${t('newest record {when}', { when: age(source.newestRecord, now) })}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** An example request for an instrument of this server. */
function Try({ ids }: { ids: string[] | undefined }) {
  if (!ids?.length) return null;
  const curl = `curl -H 'X-API-Key: {KEY}' '{ORIGIN}/v1/quotes?ids=${ids.slice(0, 2).join()}'`;
  const sample = curl.replace('{ORIGIN}', location.origin).replace('{KEY}', apiKey.value ? `${apiKey.value.slice(0, 16)}…` : '$KEY');
  return (
    <section class="card try" aria-labelledby="try">
      <h2 id="try">{t('One request away')}</h2>
      <pre tabIndex={0}>{sample}</pre>
      <div class="row">
        <button type="button" data-copy={curl}>
          {t('Copy curl')}
        </button>
        <button type="button" data-copy="{KEY}">
          {t('Copy key')}
        </button>
      </div>
    </section>
  );
}

function Doors() {
  return (
    <section class="doors-below" aria-label={t('Where to go on')}>
      {DOORS.map(([path, name, text]) => (
        <a class="card door" href={path} key={path}>
          <strong>{t(name)}</strong>
          <span class="muted">{t(text)}</span>
        </a>
      ))}
    </section>
  );
}

const DOORS = [
  ['/graphiql', 'GraphiQL', 'Every figure and relation in one request, with documentation and live queries.'],
  ['/docs', 'Docs', 'Routes, methods, streams, and how to operate it.'],
  ['/disclosures', 'Disclosures', 'Read and search them, and see new ones arrive.'],
  ['/status', 'Status', 'Sources, streams, the store, and what your key may do.'],
] as const;

spoken.then(() => render(<Home />, document.getElementById('app')!));
