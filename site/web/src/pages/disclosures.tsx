import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { inAddress, isDate, putInAddress } from '../site/address';
import { retry, Trouble } from '../site/answer';
import { ask, Failure, failureFrom } from '../site/api';
import { pageOf } from '../site/catalog';
import { useNow } from '../site/figures';
import { Take } from '../site/take';
import { apiKey } from '../site/key';
import { follow, type State } from '../site/live';
import { periodName } from '../site/market-names';
import { DAY, dayOf, now } from '../site/server';
import { Stream } from '../site/stream';
import { spoken, t } from '../site/words';
import { Document, Published, reasonOf, Said, Title, typeNames, type Text } from './document';
import { missingText } from './why';
import { inBrowser } from '../site/stored';

interface Row {
  disclosureIndex: number;
  type: string;
  symbols: string[];
  filerTitle: string | null;
  publishedAt: string | null;
  reason: string | null;
  relatedIndex: number | null;
  attachmentCount: number;
  year: string | null;
  period: string | null;
  subject: Text | null;
  summary: Text | null;
  instruments: { instrumentId: string }[] | null;
}

const ROW =
  'disclosureIndex type symbols filerTitle publishedAt reason relatedIndex attachmentCount year period ' +
  'subject { tr en } summary { tr en } instruments(first: 1) { instrumentId }';
const LIST = `query Disclosures($symbols: [String!], $type: DisclosureType, $q: String, $from: DateOrDateTime, $to: DateOrDateTime, $cursor: String) {
  disclosures(symbols: $symbols, type: $type, q: $q, from: $from, to: $to, cursor: $cursor, limit: 40) { nextCursor missingReason { message } items { ${ROW} } }
}`;
const NAMED = `query Named($text: String!) { instruments(search: $text, ranked: true, limit: 20) { instruments { instrumentId name } } }`;
const ARRIVING = `subscription Arriving($topics: [String!]!, $after: String) {
  disclosureStream(topics: $topics, after: $after) {
    ... on Subscribed { position } ... on DisclosureEvent { position data { disclosureIndex } }
    ... on ReplayDone { position truncated } ... on StoreWentBack { position lost }
  }
}`;

interface Arriving {
  position?: string | null;
  data?: { disclosureIndex: number };
  truncated?: boolean;
  lost?: number[] | null;
}

// ---- What the visitor has read
const STORED = 'piyasa:read';
const MOST_READ = 3000;

/** How many new ones are counted. */
const MOST_ARRIVED = 500;

/** For how many milliseconds disclosures gather before the page asks which of them pass the filters. */
const REST = 1000;

/** What the visitor has read: all disclosures up to a number, and some after it. */
interface Read {
  upTo: number;
  some: number[];
}

function stored(): Read {
  try {
    const { upTo, some } = JSON.parse(inBrowser.get(STORED) ?? '');
    if (Number.isInteger(upTo) && Array.isArray(some)) return { upTo, some: some.filter(Number.isInteger) };
  } catch {
    // nothing has been read
  }
  return { upTo: 0, some: [] };
}

function useRead() {
  const [read, setRead] = useState(stored);
  const change = (next: Read) => {
    const some = next.some.filter(index => index > next.upTo).slice(-MOST_READ);
    inBrowser.set(STORED, JSON.stringify({ upTo: next.upTo, some }));
    setRead({ upTo: next.upTo, some });
  };
  return {
    has: (index: number) => index <= read.upTo || read.some.includes(index),
    one: (index: number) => change({ ...stored(), some: [...stored().some.filter(other => other !== index), index] }),
    all: (upTo: number) => change({ upTo: Math.max(upTo, stored().upTo), some: stored().some }),
  };
}

// ---- Filters
const FILTERS = ['symbol', 'type', 'q', 'from', 'to'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

function inFilters(): Filters {
  const said = (name: string) => inAddress(name) ?? '';
  const day = (name: string) => (isDate(said(name)) ? said(name) : '');
  return {
    symbol: said('symbol'),
    type: Object.hasOwn(typeNames(), said('type')) ? said('type') : '',
    q: said('q'),
    from: day('from'),
    to: day('to'),
  };
}

const CODE = /^((bist|fund):)?[a-z0-9]{2,10}$/i;

/** The codes that were typed, separated by commas, if the text can be codes. */
function codesIn(typed: string): string[] | undefined {
  const parts = typed.split(/[,;]/).flatMap(part => part.trim() || []);
  return parts.length <= 20 && parts.every(part => CODE.test(part)) ? parts.map(part => part.toUpperCase().replace(/^.*:/, '')) : undefined;
}

interface Named {
  code: string;
  name: string | null;
}

/** The companies and funds that a name may mean, the closest first. */
async function named(text: string, signal: AbortSignal): Promise<Named[]> {
  type Found = { instrumentId: string; name: string | null };
  const { data } = await ask<{ instruments: { instruments: Found[] } | null }>(NAMED, { text }, signal);
  return (data.instruments?.instruments ?? []).flatMap(({ instrumentId, name }) => {
    const code = /^(?:bist|fund):(.+)$/.exec(instrumentId)?.[1];
    return code ? [{ code, name }] : [];
  });
}

/** First days of the usual ranges, by the service's clock. */
const since = (): [day: string, name: string][] => {
  const today = dayOf(now());
  return [
    [today, t('today')],
    [dayOf(now() - 6 * DAY), t('last 7 days')],
    [`${today.slice(0, 7)}-01`, t('this month')],
    [`${today.slice(0, 4)}-01-01`, t('this year')],
  ];
};

function FilterForm({ filters, change }: { filters: Filters; change: (filters: Filters) => void }) {
  const [typed, setTyped] = useState(filters);
  useEffect(() => setTyped(filters), [filters]);
  const field = (name: (typeof FILTERS)[number]) => ({
    name,
    value: typed[name],
    onInput: (event: Event) => setTyped({ ...typed, [name]: (event.currentTarget as HTMLInputElement).value }),
  });
  const submit = (event: Event) => {
    event.preventDefault();
    change(typed);
  };
  return (
    <form class="row filters" onSubmit={submit} aria-label={t('Filters')}>
      <label>
        {t('Words')} <input type="search" {...field('q')} placeholder={t('buyback, "capital increase", -fund')} size={24} maxLength={200} />
      </label>
      <label>
        {t('Company')} <input type="text" {...field('symbol')} placeholder={t('name or code')} size={14} maxLength={100} />
      </label>
      <label>
        {t('Type')}{' '}
        <select
          name="type"
          value={typed.type}
          onChange={event => {
            const next = { ...typed, type: event.currentTarget.value };
            setTyped(next);
            change(next);
          }}
        >
          <option value="">{t('All')}</option>
          {Object.entries(typeNames()).map(([type, name]) => (
            <option key={type} value={type}>
              {type}: {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="unseen">{t('Since')}</span>
        <select
          name="since"
          value={since().find(([day]) => day === typed.from && !typed.to)?.[0] ?? ''}
          onChange={event => {
            const next = { ...typed, from: event.currentTarget.value, to: '' };
            setTyped(next);
            change(next);
          }}
        >
          <option value="">{t('any time')}</option>
          {since().map(([day, name]) => (
            <option key={name} value={day}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('From')} <input type="date" {...field('from')} />
      </label>
      <label>
        {t('To')} <input type="date" {...field('to')} />
      </label>
      <button type="submit" class="main">
        {t('Show')}
      </button>
      {FILTERS.some(name => filters[name]) && (
        <button
          type="button"
          onClick={() => {
            const none = Object.fromEntries(FILTERS.map(name => [name, ''])) as Filters;
            setTyped(none);
            change(none);
          }}
        >
          {t('All of them')}
        </button>
      )}
    </form>
  );
}

/** The number that the path names: /disclosures/1234; undefined: it names none. */
function inPath(): number | undefined {
  const index = Number(/^\/disclosures\/(\d+)$/.exec(location.pathname)?.[1]);
  return index > 0 && index < 2 ** 31 ? index : undefined;
}

function Page() {
  const [filters, setFilters] = useState(inFilters);
  const [open, setOpen] = useState(inPath);
  const [rows, setRows] = useState<Row[]>();
  const [next, setNext] = useState<string | null>(null);
  const [reason, setReason] = useState<string>();
  const [meant, setMeant] = useState<Named[]>([]);
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const [arrived, setArrived] = useState<number[]>([]);
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const read = useRead();
  const now = useNow(10);
  const stop = useRef(new AbortController());
  const codes = codesIn(filters.symbol);
  const given = Object.fromEntries(
    FILTERS.filter(name => name !== 'symbol').flatMap(name => (filters[name].trim() ? [[name, filters[name].trim()]] : [])),
  );

  const variables = { ...given, ...(!!codes?.length && { symbols: codes }) };
  const asked = async (cursor: string | null, signal: AbortSignal) => {
    const company = filters.symbol.trim();
    if (!codes) {
      const [meant] = await named(company, signal);
      if (!meant) throw new Failure(t('No company or fund is found by “{text}”.', { text: company }), 404, t('Not found'));
      return change({ ...filters, symbol: meant.code });
    }
    const { data, errors } = await ask<{
      disclosures: { items: Row[]; nextCursor: string | null; missingReason: { message: string } | null } | null;
    }>(LIST, { ...variables, cursor }, signal);
    if (!data.disclosures) throw new Failure(errors[0]?.message ?? t('No reason was given.'), 422, t('Failed'));
    const { items, nextCursor, missingReason } = data.disclosures;
    const found = !items.length && !cursor && company ? await named(company, signal) : [];
    setMeant(found.some(({ code }) => codes.includes(code)) ? [] : found.slice(0, 5));
    setRows(before => [...(cursor ? (before ?? []) : []), ...items]);
    setNext(nextCursor);
    setReason(missingText(missingReason));
    setFailure(undefined);
    if (!cursor) setArrived(all => all.filter(index => !arrived.includes(index))); // those since the request may not be in its answer
  };
  const wanted = useRef<string | null>(null);
  const load = (cursor = wanted.current) => {
    wanted.current = cursor;
    stop.current.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    setBusy(true);
    asked(cursor, signal)
      .catch(error => {
        if (!signal.aborted) setFailure(failureFrom(error));
      })
      .finally(() => {
        if (!signal.aborted) setBusy(false);
      });
  };
  useEffect(() => {
    setRows(undefined);
    setFailure(undefined);
    setArrived([]);
    load(null);
    return () => stop.current.abort();
  }, [filters, apiKey.value]);
  useEffect(() => retry(failure, () => load()), [failure]);
  // Disclosures stored meanwhile are only counted, so that the list does not move under the reader.
  useEffect(() => {
    if (!apiKey.value) return;
    if (!codes) return;
    const topics = codes.length ? codes.map(code => `symbol:${code}`) : [filters.type ? `type:${filters.type}` : 'all'];
    const exact = Object.keys(given).every(name => name === 'type' && !codes.length); // a topic knows no other filters
    const stop = new AbortController();
    const count = (indices: number[]) =>
      setArrived(before => [...before, ...indices.filter(index => !before.includes(index))].slice(-MOST_ARRIVED));
    let after: string | undefined; // the position to resume from, so that nothing is left out between two connections
    let late = true; // without a position, what came since the list is not replayed
    const unseen = async () => {
      due = undefined;
      const { data } = await ask<{ disclosures: { items: Row[] } | null }>(LIST, variables, stop.signal);
      count((data.disclosures?.items ?? []).map(row => row.disclosureIndex));
    };
    let due: ReturnType<typeof setTimeout> | undefined;
    const look = () => (due ??= setTimeout(() => void unseen().catch(() => undefined), REST)); // the next disclosure asks or is counted
    const begin = () =>
      follow<{ disclosureStream: Arriving }>(ARRIVING, () => ({ topics, after }), {
        event: ({ disclosureStream: { position, data, truncated, lost } }) => {
          if (late || (data && !exact)) look();
          late = false;
          after = position ?? after;
          if (data && exact) count([data.disclosureIndex]);
          if (lost) setArrived(before => before.filter(index => !lost.includes(index)));
          if (!truncated) return;
          end(); // there is more after the position where the replay ended
          end = begin();
        },
        state: (state, why) => {
          setState([state, why]);
          if (state === 'refused' && after) {
            after = undefined; // the server may not have this position any more
            late = true;
            end();
            end = begin();
          }
        },
      });
    let end = begin();
    return () => {
      stop.abort();
      clearTimeout(due);
      end();
    };
  }, [filters, apiKey.value]);
  useEffect(() => {
    const went = () => {
      setOpen(inPath());
      setFilters(before => (FILTERS.every(name => before[name] === inFilters()[name]) ? before : inFilters()));
    };
    addEventListener('popstate', went);
    return () => removeEventListener('popstate', went);
  }, []);
  useEffect(() => {
    if (open) read.one(open);
  }, [open]);

  const change = (next: Filters) => {
    putInAddress(next);
    setFilters(next);
  };
  const go = (index: number | undefined) => {
    history.pushState(null, '', `/disclosures${index ? `/${index}` : ''}${location.search}`);
    setOpen(index);
  };
  const fresh = rows ? arrived.filter(index => !rows.some(row => row.disclosureIndex === index)).length : 0;
  const newest = Math.max(0, ...(rows ?? []).map(row => row.disclosureIndex));
  const odd = open === undefined && /^\/disclosures\/(.+)/.exec(location.pathname)?.[1];
  const elsewhere = open && rows && !rows.some(row => row.disclosureIndex === open);
  return (
    <>
      <div class="row">
        <h1>{t('Disclosures')}</h1>
        <Stream state={state[0]} why={state[1]} />
        <a class="end small" href="/streams">
          {t('Test the stream')}
        </a>
      </div>
      {odd && (
        <p class="note warn" role="status">
          {t('No disclosure has the number {text}.', { text: decodeURIComponent(odd) })}
        </p>
      )}
      <section class="card" aria-label={t('Filters')}>
        <FilterForm filters={filters} change={change} />
      </section>
      {elsewhere && (
        <article class="card reading" aria-labelledby="reading">
          <div class="row">
            <h2 id="reading">{t('Number {index}', { index: open })}</h2>
            <button type="button" class="end" onClick={() => go(undefined)}>
              {t('Close')}
            </button>
          </div>
          <Document index={open} alone />
        </article>
      )}
      <section class="card" aria-labelledby="list">
        <div class="row">
          <h2 id="list">{t('Newest first')}</h2>
          {fresh > 0 && (
            <button type="button" class="main" onClick={() => load(null)}>
              {t('{count} new', { count: fresh })}
            </button>
          )}
          <span class="end row">
            {newest > 0 && (
              <button type="button" onClick={() => read.all(newest)}>
                {t('Mark all as read')}
              </button>
            )}
          </span>
        </div>
        <p class="unseen" role="status">
          {rows && t('{count} shown', { count: rows.length })} {fresh > 0 && t('{count} new', { count: fresh })}
        </p>
        {failure && <Trouble failure={failure} again={() => load()} />}
        {!rows && !failure && <p class="muted awaited">{t('Disclosures')} …</p>}
        {rows?.length === 0 && <p class="muted">{reason ?? t('None passes these filters.')}</p>}
        {rows?.length === 0 && meant.length > 0 && (
          <p class="row">
            {t('Did you mean')}
            {meant.map(({ code, name }) => (
              <button type="button" key={code} onClick={() => change({ ...filters, symbol: code })}>
                {name ?? code} <code>{code}</code>
              </button>
            ))}
          </p>
        )}
        <ol class="feed">
          {rows?.map(row => (
            <Item
              key={row.disclosureIndex}
              row={row}
              now={now}
              open={open === row.disclosureIndex}
              unread={!read.has(row.disclosureIndex)}
              go={go}
            />
          ))}
        </ol>
        {next && (
          <button type="button" aria-disabled={busy} onClick={() => load(next)}>
            {t('Older ones')}
          </button>
        )}
        <Take
          of={t('Disclosures')}
          path={`/v1/kap-feed/disclosures?${new URLSearchParams({ ...given, ...(codes?.length && { symbols: codes.join() }), limit: '100' })}`}
        />
      </section>
    </>
  );
}

function Item({
  row,
  now,
  open,
  unread,
  go,
}: {
  row: Row;
  now: number;
  open: boolean;
  unread: boolean;
  go: (index: number | undefined) => void;
}) {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (open) place.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  const id = row.instruments?.[0]?.instrumentId;
  return (
    <li ref={place} class={unread ? 'unread' : ''} data-index={row.disclosureIndex}>
      <div class="row small">
        <span class="tag">{row.type}</span>
        {id ? <a href={pageOf(id)}>{row.symbols.join(' ')}</a> : <strong>{row.symbols.join(' ') || t('Market')}</strong>}
        {unread && <span class="tag up">{t('new')}</span>}
        <span class="end muted">
          <Published at={row.publishedAt} now={now} />
        </span>
      </div>
      <h3>
        <a
          href={`/disclosures/${row.disclosureIndex}`}
          aria-expanded={open}
          onClick={event => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            go(open ? undefined : row.disclosureIndex);
          }}
        >
          <Title of={row} />
        </a>
      </h3>
      <p class="small muted">
        {row.filerTitle && <span lang="tr">{row.filerTitle}</span>}
        {row.type === 'FR' && row.subject && row.year && ` · ${row.year} ${periodName(row.period)}`}
        {row.relatedIndex && reasonOf(row.reason) && (
          <>
            {' · '}
            <span class="tag warn">
              {reasonOf(row.reason)} {row.relatedIndex}
            </span>
          </>
        )}
        {row.attachmentCount > 0 && ` · ${t('documents: {count}', { count: row.attachmentCount })}`}
      </p>
      {row.summary && !open && (
        <p class="brief">
          <Said text={row.summary} />
        </p>
      )}
      {open && <Document index={row.disclosureIndex} />}
    </li>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
