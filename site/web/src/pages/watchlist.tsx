import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Trouble, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf, Search } from '../site/catalog';
import { Change, Num, useNow, When } from '../site/figures';
import { apiKey } from '../site/key';
import { follow, type State } from '../site/live';
import { DAY, dayOf, now as clock } from '../site/server';
import { Stream } from '../site/stream';
import { settings } from '../site/settings';
import { Table } from '../site/table';

export interface Quote {
  instrumentId: string;
  market: string;
  last: string;
  currency: string;
  changePct: string | null;
  asOf: string;
  dataDelaySeconds: number;
}

interface Row {
  instrumentId: string;
  name: string | null;
  candles: { columns: { t: string[]; close: (string | null)[] } } | null;
}

const QUOTE = 'instrumentId market last currency changePct asOf dataDelaySeconds';
const ROWS = `query Watchlist($ids: [ID!]!, $from: Date) {
  watchlist(ids: $ids) { instrumentId name quote { ${QUOTE} } candles(from: $from) { columns { t close } } }
}`;
const MARKETS = ['BIST', 'FX', 'CRYPTO', 'INDEX', 'CMDTY', 'US', 'FUND'];
const CHOSEN = `query Choose { ${MARKETS.map(
  m => `${m}: instruments(market: ${m}, limit: 1000) { instruments { instrumentId coverageFrom quote { asOf turnover volume } } }`,
).join(' ')} }`;
const LIVE = `subscription Quotes($ids: [ID!]!) {
  quoteStream(ids: $ids) { __typename ... on Subscribed { invalid } ... on QuoteEvent { data { ${QUOTE} } } ... on NoQuote { instrumentId nullReason } }
}`;

const STORED = 'piyasa:watchlist';
const DAYS = 90;
const LONG = 15; // years, in which bars of what has no newer ones are looked for
const MOST = 50;

interface Candidate {
  instrumentId: string;
  coverageFrom: string | null;
  quote: { asOf: string; turnover: string | null; volume: string | null } | null;
}

/** What is most alive on this server: of each market the instruments with the freshest quotes, and of those the most traded. */
function liveliest(markets: Candidate[][]): string[] {
  const size = (of: Candidate) => Number(of.quote?.turnover ?? of.quote?.volume ?? 0);
  const day = (of: Candidate) => of.quote?.asOf.slice(0, 10) ?? '';
  const ranked = markets.map(list =>
    list
      .filter(one => one.quote ?? one.coverageFrom)
      .sort((a, b) => day(b).localeCompare(day(a)) || size(b) - size(a) || Number(!a.coverageFrom) - Number(!b.coverageFrom)),
  );
  const quoted = ranked.flatMap(list => list.filter(({ quote }) => quote).slice(0, 4));
  const chosen = quoted.length ? quoted : ranked.flatMap(list => list.slice(0, 2)); // some server has bars alone
  return chosen.map(({ instrumentId }) => instrumentId);
}

/** The ids of the watchlist: the visitor's own, those that the server offers, or what is most alive. */
export function useIds(empty: boolean): [string[] | undefined, (ids: string[] | undefined) => void] {
  const [own, setOwn] = useState(readIds);
  useEffect(() => {
    const changed = (event: StorageEvent) => event.key === STORED && setOwn(readIds()); // in another tab
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
  }, []);
  const change = (ids: string[] | undefined) => {
    if (ids) localStorage.setItem(STORED, JSON.stringify(ids));
    else localStorage.removeItem(STORED);
    setOwn(ids);
  };
  const offered = own ?? settings.watchlist;
  const chosen = useAnswer(
    async signal =>
      offered || !apiKey.value
        ? undefined
        : liveliest(
            Object.values((await ask<Record<string, { instruments: Candidate[] } | null>>(CHOSEN, {}, signal)).data).map(
              list => list?.instruments ?? [],
            ),
          ),
    [!offered, empty],
  );
  return [offered ?? chosen.value, change];
}

function readIds(): string[] | undefined {
  try {
    const ids = JSON.parse(localStorage.getItem(STORED) ?? 'null');
    return Array.isArray(ids) && ids.every(id => typeof id === 'string') ? ids.slice(0, MOST) : undefined;
  } catch {
    return undefined;
  }
}

const none = (reason: string) => ({ nullReason: reason });

/** Quotes that move. */
export function Watchlist({
  ids,
  change,
  onQuotes,
}: {
  ids: string[] | undefined;
  change: (ids: string[] | undefined) => void;
  onQuotes: (quotes: Quote[], state: State) => void;
}) {
  const [quotes, setQuotes] = useState<Record<string, Quote | { nullReason: string }>>({});
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const [editing, setEditing] = useState(false);
  const from = useMemo(() => dayOf(clock() - DAYS * DAY), []);
  const asked = useAnswer(
    async signal => {
      if (!ids?.length) return { data: { watchlist: [] as (Row & { quote: Quote | null })[] }, errors: [] };
      const rows = (ids: string[], from: string) => ask<{ watchlist: (Row & { quote: Quote | null })[] }>(ROWS, { ids, from }, signal);
      const answer = await rows(ids, from);
      answer.data.watchlist = answer.data.watchlist.filter(row => row); // some other server knew the ids
      const still = answer.data.watchlist.filter(row => row.candles?.columns.t.length === 0).map(row => row.instrumentId);
      if (still.length) {
        const older = await rows(still, dayOf(clock() - LONG * 365 * DAY));
        for (const row of answer.data.watchlist)
          row.candles = older.data.watchlist.find(other => other.instrumentId === row.instrumentId)?.candles ?? row.candles;
      }
      setQuotes(before => ({
        ...before,
        ...Object.fromEntries(
          answer.data.watchlist.map(({ instrumentId, quote }) => [instrumentId, newer(before[instrumentId], quote ?? none('not_priced'))]),
        ),
      }));
      return answer;
    },
    [ids, from],
    state[0] === 'live' ? 300 : 15, // without a stream, quotes are asked for
  );
  useEffect(() => {
    if (!ids?.length || !apiKey.value) return;
    return follow<{ quoteStream: { __typename: string; data?: Quote; instrumentId?: string; nullReason?: string } }>(
      LIVE,
      () => ({ ids }),
      {
        event: ({ quoteStream: event }) => {
          if (event.data) setQuotes(before => ({ ...before, [event.data!.instrumentId]: event.data! }));
          else if (event.__typename === 'NoQuote') setQuotes(before => ({ ...before, [event.instrumentId!]: none(event.nullReason!) }));
        },
        state: (state, why) => setState([state, why]),
      },
    );
  }, [JSON.stringify(ids), apiKey.value]);
  useEffect(
    () =>
      onQuotes(
        Object.values(quotes).filter((quote): quote is Quote => 'last' in quote),
        state[0],
      ),
    [quotes, state[0]],
  );
  const now = useNow(5);
  const drawn = useRef<(Row & { quote: Quote | null })[]>(undefined); // stays while a changed list is asked for
  if (asked.value) drawn.current = asked.value.data.watchlist;
  const rows = drawn.current?.filter(row => ids?.includes(row.instrumentId));
  const remove = (id: string) => change(ids!.filter(other => other !== id));
  return (
    <section class="card watchlist" aria-labelledby="watchlist">
      <div class="row">
        <h2 id="watchlist">Watchlist</h2>
        <Stream state={state[0]} why={state[1]} />
        <button type="button" class="end" aria-pressed={editing} onClick={() => setEditing(!editing)}>
          Edit
        </button>
      </div>
      {editing && (
        <div class="editing">
          <Search action={{ label: 'Add', take: id => ids && !ids.includes(id) && ids.length < MOST && change([...ids, id]) }} />
          {readIds() && (
            <button type="button" onClick={() => change(undefined)}>
              Back to the first list
            </button>
          )}
        </div>
      )}
      {asked.failure && <Trouble failure={asked.failure} again={asked.again} />}
      {rows?.length === 0 && <p class="muted">The list is empty: Edit adds instruments.</p>}
      {!rows && !asked.failure && <p class="muted awaited">Quotes …</p>}
      {!!rows?.length && (
        <Table
          label="Quotes"
          take={`/v1/quotes?ids=${rows.map(row => row.instrumentId).join()}`}
          columns={[
            'Instrument',
            [`${DAYS} days`, 'trend'],
            ['Last', 'number'],
            ['Change', 'number'],
            ['Observed', 'number seen'],
            ...(editing ? ['Remove'] : []),
          ]}
        >
          {rows.map(({ instrumentId, name, candles }) => {
            const quote = quotes[instrumentId];
            const priced = quote && 'last' in quote ? quote : undefined;
            const bars = recent(candles);
            return (
              <tr key={instrumentId} data-id={instrumentId}>
                <th scope="row">
                  <a href={pageOf(instrumentId)}>{name ?? instrumentId}</a>
                  <span class="id">
                    {instrumentId}
                    {bars.last && bars.last < from && ` · bars to ${bars.last}`}
                  </span>
                </th>
                <td class="trend">
                  <Sparkline closes={bars.closes} />
                </td>
                <td class="number last">
                  {priced ? (
                    <Tick key={priced.last} quote={priced} />
                  ) : (
                    <>
                      {bars.last && <Num text={bars.closes.at(-1)} />}{' '}
                      <span class="muted small">
                        {bars.last
                          ? `close of ${bars.last}`
                          : quote
                            ? (quote as { nullReason: string }).nullReason.replaceAll('_', ' ')
                            : '–'}
                      </span>
                    </>
                  )}
                </td>
                <td class="number">{priced ? <Change pct={priced.changePct} /> : '–'}</td>
                <td class="number seen muted">
                  <When at={priced?.asOf} now={now} />
                  {!!priced?.dataDelaySeconds && <span class="unseen">, published {priced.dataDelaySeconds / 60} minutes late</span>}
                </td>
                {editing && (
                  <td>
                    <button type="button" onClick={() => remove(instrumentId)} aria-label={`Remove ${name ?? instrumentId}`}>
                      ✕
                    </button>
                  </td>
                )}
              </tr>
            );
          })}
        </Table>
      )}
    </section>
  );
}

/** The newer of two quotes: an answer may be older than what the stream has sent meanwhile. */
const newer = <T extends object>(before: T | undefined, after: T): T =>
  before && 'asOf' in before && 'asOf' in after && String(before.asOf) > String(after.asOf) ? before : after;

const seen = new Map<string, string>();

/** A price, which is lit for a moment when it has changed. */
function Tick({ quote }: { quote: Quote }) {
  const before = seen.get(quote.instrumentId);
  seen.set(quote.instrumentId, quote.last);
  // Only the colour of the flash depends on this comparison of floats.
  const way = before === undefined || before === quote.last ? '' : Number(quote.last) > Number(before) ? 'rose' : 'fell';
  return (
    <span class={`tick ${way}`}>
      <Num text={quote.last} unit={quote.currency} />
    </span>
  );
}

/** The closes of the days before the newest bar, and its day. */
function recent(candles: Row['candles']): { closes: (string | null)[]; last?: string } {
  const t = candles?.columns.t ?? [];
  const end = Date.parse(t.at(-1) ?? '');
  const first = t.findIndex(at => Date.parse(at) > end - DAYS * DAY);
  return t.length ? { closes: candles!.columns.close.slice(first), last: dayOf(end) } : { closes: [] };
}

const WIDTH = 120;
const HEIGHT = 30;

/** The course of closes, with the first and the last as they were sent; the others are in the page of the instrument. */
function Sparkline({ closes }: { closes: (string | null)[] }) {
  const points = closes.map((close, index) => [index, close === null ? NaN : Number(close)] as const).filter(([, y]) => !Number.isNaN(y));
  if (points.length < 2) return <span class="muted small">no bars</span>;
  const ys = points.map(([, y]) => y);
  const low = Math.min(...ys);
  const span = Math.max(...ys) - low || 1;
  const stated = closes.filter(close => close !== null);
  const path = points
    .map(
      ([x, y], n) =>
        `${n ? 'L' : 'M'}${((x / (closes.length - 1)) * WIDTH).toFixed(1)} ${(HEIGHT - 2 - ((y - low) / span) * (HEIGHT - 4)).toFixed(1)}`,
    )
    .join('');
  return (
    <>
      <span class="unseen">
        from {stated[0]} to {stated.at(-1)}
      </span>
      <svg
        class={`spark ${ys.at(-1)! < ys[0]! ? 'down' : 'up'}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" />
      </svg>
    </>
  );
}
