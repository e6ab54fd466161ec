import type { FunctionComponent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Trouble, useAnswer, type Waiting } from '../site/answer';
import { askRoots } from '../site/api';
import { pageOf } from '../site/catalog';
import { useNow } from '../site/figures';
import { apiKey } from '../site/key';
import { Aligned, ColumnsChoice, decimals } from '../site/grid';
import { follow, type State } from '../site/live';
import { DAY, dayOf, now as clock } from '../site/server';
import { Stream } from '../site/stream';
import { type Column, Table } from '../site/table';
import { t } from '../site/words';
import { addList, alerts, changeList, emptyLink, isLost, leaveShared, linkedCount, linkTo, lists } from './lists';
import { MOST, MOST_LISTS, shared, show, shownList, titleOf } from './lists';
import { AT_FIRST, columnsOf, DAYS, type Drawn, oldBars, type Quote, type Quotes, type Row, type Shown } from './watchlist-columns';

export const QUOTE =
  'instrumentId market last currency change changePct prevClose open high low bid ask volume turnover asOf dataDelaySeconds';
const ROWS = `query Watchlist($ids: [ID!]!, $from: Date) {
  watchlist(ids: $ids) { instrumentId name quote { ${QUOTE} } candles(from: $from) { columns { t close } } }
}`;
export const LIVE = `subscription Quotes($ids: [ID!]!) {
  quoteStream(ids: $ids) { __typename ... on Subscribed { invalid } ... on QuoteEvent { data { ${QUOTE} } } ... on NoQuote { instrumentId nullReason } }
}`;

const LONG = 15; // years to search for bars of instruments without newer ones

const none = (reason: string) => ({ nullReason: reason });

type Quoted = Row & { quote: Quote | null };

/** A part of the page that is loaded when it is needed. */
function useLater<P>(load: () => Promise<FunctionComponent<P>>, needed: boolean): FunctionComponent<P> | undefined {
  const [part, setPart] = useState<FunctionComponent<P>>();
  useEffect(() => {
    if (needed) load().then(part => setPart(() => part));
  }, [needed]);
  return part;
}

/** Quotes that move. */
export function Watchlist({
  chosen: offered,
  onQuotes,
}: {
  chosen: Waiting<string[] | undefined>;
  onQuotes: (quotes: Quote[], state: State) => void;
}) {
  const ids = offered.value;
  const [quotes, setQuotes] = useState<Quotes>({});
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const [pressed, setEditing] = useState(false);
  const [alerting, setAlerting] = useState(false);
  const [said, setSaid] = useState('');
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const list = shownList();
  const lost = pressed && isLost();
  const editing = pressed && !shared.value && !lost;
  const [ended, setEnded] = useState(false); // another tab has deleted the list that was edited here
  useEffect(() => {
    if (!lost) return;
    setEditing(false);
    setEnded(true);
    show(list.key);
  }, [lost]);
  const from = useMemo(() => dayOf(clock() - DAYS * DAY), []);
  const subject = ids && [...ids].sort().join(); // the order does not change the query
  const asked = useAnswer(
    async signal => {
      if (!ids?.length) return [];
      const rows = async (ids: string[], from: string) => {
        const { data, errors } = await askRoots<{ watchlist: (Quoted | null)[] }>(ROWS, { ids, from }, signal);
        return data.watchlist.map((row, n) => {
          const whys = errors.filter(({ path }) => path?.[1] === n).map(({ path, message }) => [path?.[2], message]);
          return row && { ...row, whys: Object.fromEntries(whys) };
        });
      };
      const answer = await rows(ids, from);
      const found = answer.flatMap((row, n) => (row ? [{ ...row, as: ids[n]!, known: true }] : [])); // other servers may know the rest
      const still = found.filter(row => row.candles?.columns.t.length === 0);
      if (still.length) {
        const older = await rows(
          still.map(row => row.instrumentId),
          dayOf(clock() - LONG * 365 * DAY),
        );
        still.forEach((row, n) => (row.candles = older[n]?.candles ?? row.candles));
      }
      setQuotes(before => ({
        ...before,
        ...Object.fromEntries(
          found.map(({ instrumentId, quote, whys }) => [
            instrumentId,
            newer(before[instrumentId], quote ?? none(whys?.quote ?? 'not_priced')),
          ]),
        ),
      }));
      return found;
    },
    [subject, from],
    state[0] === 'live' ? 300 : 15, // without a stream, the page polls for quotes
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
  }, [subject, apiKey.value]);
  const now = useNow(5);
  const kept = useRef<{ of: string; rows: Drawn[] }>(undefined); // while a changed list is queried
  if (asked.value) kept.current = { of: list.key, rows: asked.value };
  const found = kept.current?.of === list.key ? kept.current.rows : [];
  const drawn = ids && rowsOf(ids, found, !!asked.value && !!list.ids);
  const rows = drawn?.length || asked.value || !ids?.length ? drawn : undefined;
  const priced = (row: Drawn) => {
    const quote = quotes[row.instrumentId];
    return quote && 'last' in quote ? quote : undefined;
  };
  const whys = [...new Set(rows?.flatMap(row => Object.values(row.whys ?? {})))];
  const followed = rows?.flatMap(row => priced(row) ?? []) ?? [];
  useEffect(() => onQuotes(followed, state[0]), [quotes, state[0], subject, asked.value]);

  const change = (to: (ids: string[]) => string[]) => changeList(list.key, ({ ids: stored }) => ({ ids: to(stored ?? ids ?? []) }));
  const without = (ids: string[], { instrumentId, as }: Drawn) => {
    const names = found.filter(row => row.instrumentId === instrumentId).map(row => row.as);
    return ids.filter(id => id !== as && !names.includes(id));
  };
  const body = useRef<HTMLElement>(null);
  const focused = useRef<[id: string, way: string]>(undefined); // a row that moves in the document loses the focus
  useEffect(() => {
    const [id, way] = focused.current ?? [];
    focused.current = undefined;
    if (id) body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"] [data-way="${way}"]`)?.focus();
  }, [ids]);
  const move = (row: Drawn, to: number, way?: string) => {
    const over = rows![to];
    if (!over) return;
    if (way) focused.current = [row.instrumentId, way];
    change(ids => {
      const others = without(ids, row); // also those that are not drawn yet
      return others.toSpliced(others.indexOf(over.as) + Number(to > rows!.indexOf(row)), 0, row.as);
    });
    setSaid(t('{name} is number {place} of {count}.', { name: row.name ?? row.as, place: to + 1, count: rows!.length }));
  };
  const dragged = (row: Drawn, from: number) => {
    const over = new AbortController();
    const lines = [...body.current!.querySelectorAll('tbody tr')];
    let to = from;
    const on = (type: string, then: (event: Event) => void) => addEventListener(type, then, { signal: over.signal });
    const end = () => {
      over.abort();
      setDrag(undefined);
    };
    on('pointermove', event => {
      const { clientX, clientY } = event as PointerEvent;
      const line = lines.indexOf(document.elementFromPoint(clientX, clientY)?.closest('tr')!);
      to = line < 0 ? from : line;
      setDrag({ from, to });
    });
    on('pointerup', () => {
      end();
      if (to !== from) move(row, to);
    });
    on('pointercancel', end);
    on('keydown', event => (event as KeyboardEvent).key === 'Escape' && end());
    setDrag({ from, to });
  };

  const all = columnsOf(quotes, now);
  const chosen = list.columns ?? AT_FIRST;
  const columns = all.filter(col => chosen.includes(col.key));
  const longest = (col: Shown) => Math.max(0, ...followed.map(quote => decimals(col.text?.(quote))));
  const Editing = useLater(() => import('./editing').then(({ Editing }) => Editing), editing);
  const Alerts = useLater(() => import('./alerts').then(({ Alerts }) => Alerts), alerting || alerts.value.length > 0);
  return (
    <section class="card watchlist tall" aria-labelledby="watchlist" ref={body}>
      <div class="row">
        <h2 id="watchlist">{t('Watchlist')}</h2>
        {!shared.value && lists.value.length > 1 && (
          <select
            aria-label={t('List')}
            value={list.key}
            onChange={event => {
              setEnded(false);
              show(event.currentTarget.value);
            }}
          >
            {lists.value.map(list => (
              <option key={list.key} value={list.key}>
                {titleOf(list)}
              </option>
            ))}
          </select>
        )}
        <Stream state={state[0]} why={state[1]} />
        <span class="row end">
          <button type="button" aria-pressed={alerting} onClick={() => setAlerting(!alerting)}>
            {t('Alerts')}
          </button>
          {!shared.value && (
            <button
              type="button"
              aria-pressed={editing}
              onClick={() => {
                show(list.key);
                setEditing(!editing);
                setEnded(false);
              }}
            >
              {t('Edit')}
            </button>
          )}
        </span>
      </div>
      {shared.value && <Shared />}
      <div role="status">
        {emptyLink.value && (
          <div class="note warn row">
            <span>{t('The link names no instrument. This is your own list.')}</span>
            <button type="button" class="end" onClick={leaveShared}>
              {t('Dismiss')}
            </button>
          </div>
        )}
        {ended && (
          <p class="note warn">{t('Another tab has deleted the list that you edited. This is “{name}”.', { name: titleOf(list) })}</p>
        )}
      </div>
      {Alerts && (
        <Alerts
          open={alerting}
          choices={(rows ?? [])
            .filter(row => row.known)
            .map(row => ({ id: row.instrumentId, name: row.name ?? row.as, quote: priced(row) }))}
        />
      )}
      {editing && Editing && <Editing list={list} ids={ids ?? []} change={change} />}
      <p class="unseen" role="status">
        {said}
      </p>
      {offered.failure && <Trouble failure={offered.failure} again={offered.again} />}
      {asked.failure && <Trouble failure={asked.failure} again={asked.again} old={asked.old} />}
      {whys.length > 0 && (
        <p class="note warn small" role="status">
          {t('Not shown:')} {whys.join(' ')}
        </p>
      )}
      {rows?.length === 0 && <p class="muted">{t('The list is empty: Edit adds instruments.')}</p>}
      {!rows && !offered.failure && !asked.failure && <p class="muted awaited">{t('Quotes …')}</p>}
      {!!rows?.length && (
        <Table
          label={t('Quotes')}
          take={`/v1/quotes?ids=${rows.map(row => row.as).join()}`}
          columns={[t('Instrument'), ...(editing ? [t('Remove, move')] : []), ...columns.map((col): Column => [col.name, col.class])]}
        >
          {rows.map((row, index) => {
            const quote = priced(row);
            const last = oldBars(row, quote, now);
            const name = row.name ?? row.as;
            return (
              <tr
                key={row.instrumentId}
                data-id={row.instrumentId}
                class={drag ? (drag.from === index ? 'dragged' : drag.to === index ? (drag.to < drag.from ? 'before' : 'after') : '') : ''}
                onKeyDown={event => {
                  const step = editing && event.altKey && { ArrowUp: -1, ArrowDown: 1 }[event.key];
                  if (!step) return;
                  event.preventDefault();
                  move(row, index + step, step < 0 ? 'up' : 'down');
                }}
              >
                <th scope="row">
                  {editing && (
                    <span
                      class="grip"
                      aria-hidden="true"
                      onPointerDown={event => {
                        event.preventDefault();
                        dragged(row, index);
                      }}
                    >
                      ⠿
                    </span>
                  )}
                  {row.known ? <a href={pageOf(row.instrumentId)}>{name}</a> : <span class="muted">{t('not known here')}</span>}
                  <span class="id">
                    {row.instrumentId}
                    {last && ` · ${t('bars to {day}', { day: last })}`}
                  </span>
                </th>
                {editing && (
                  <td class="nowrap">
                    <button type="button" onClick={() => change(ids => without(ids, row))} aria-label={t('Remove {name}', { name })}>
                      ✕
                    </button>
                    {(['up', 'down'] as const).map(way => {
                      const to = index + (way === 'up' ? -1 : 1);
                      return (
                        <button
                          type="button"
                          key={way}
                          data-way={way}
                          aria-disabled={to < 0 || to >= rows.length}
                          aria-label={way === 'up' ? t('Move {name} up', { name }) : t('Move {name} down', { name })}
                          onClick={() => move(row, to, way)}
                        >
                          {way === 'up' ? '↑' : '↓'}
                        </button>
                      );
                    })}
                  </td>
                )}
                {columns.map(col => (
                  <td key={col.key} class={col.class}>
                    {col.cell ? col.cell(row, quote, longest(col)) : <Aligned text={quote && col.text!(quote)} longest={longest(col)} />}
                  </td>
                ))}
              </tr>
            );
          })}
        </Table>
      )}
      {!!ids?.length && (
        <div class="row tools">
          {!shared.value && (
            <ColumnsChoice
              columns={all}
              chosen={chosen}
              choose={(key, shown) =>
                changeList(list.key, () => ({
                  columns: all.filter(col => (col.key === key ? shown : chosen.includes(col.key))).map(col => col.key),
                }))
              }
            />
          )}
          <button type="button" class="end" data-copy={`{ORIGIN}${linkTo(list, ids)}`}>
            {t('Copy a link to this list')}
          </button>
        </div>
      )}
    </section>
  );
}

/** The rows in the order of the list, each instrument once; for a visitor's own list also the ids that this server does not know. */
function rowsOf(ids: string[], found: Drawn[], whole: boolean): Drawn[] {
  const rows = ids.flatMap((id): Drawn[] => {
    const row = found.find(row => row.as === id);
    return row ? [row] : whole ? [{ as: id, instrumentId: id, name: null, candles: null, known: false }] : [];
  });
  return rows.filter((row, n) => rows.findIndex(other => other.instrumentId === row.instrumentId) === n);
}

/** Says that the list came from a link, and lets the visitor add it to their own. */
function Shared() {
  const list = shared.value!;
  const full = lists.value.length >= MOST_LISTS;
  return (
    <div class="note row">
      <span>{t('“{name}” came with a link, and is not kept. Your own lists are as they were.', { name: list.name })}</span>
      {linkedCount > MOST && (
        <span>{t('{count} of {all}: a list has at most {count} instruments.', { count: MOST, all: linkedCount })}</span>
      )}
      {full && <span>{t('There are {count} lists, as many as there can be: delete one to keep this one.', { count: MOST_LISTS })}</span>}
      <span class="row end">
        <button type="button" class="main" aria-disabled={full} onClick={() => addList(list) && leaveShared()}>
          {t('Keep it')}
        </button>
        <button type="button" onClick={leaveShared}>
          {t('My lists')}
        </button>
      </span>
    </div>
  );
}

/** The newer of two quotes: an answer may be older than a quote that the stream sent meanwhile. */
const newer = <T extends object>(before: T | undefined, after: T): T =>
  before && 'asOf' in before && 'asOf' in after && String(before.asOf) > String(after.asOf) ? before : after;
