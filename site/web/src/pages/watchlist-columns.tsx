import type { ComponentChildren } from 'preact';
import { Change, fresh, Num, When } from '../site/figures';
import { Aligned } from '../site/grid';
import { DAY, dayOf } from '../site/server';
import { t, written } from '../site/words';

export interface Quote {
  instrumentId: string;
  market: string;
  last: string;
  currency: string;
  change: string | null;
  changePct: string | null;
  prevClose: string | null;
  open: string | null;
  high: string | null;
  low: string | null;
  bid: string | null;
  ask: string | null;
  volume: string | null;
  turnover: string | null;
  asOf: string;
  dataDelaySeconds: number;
}

/** An instrument of the list, as the API answers. */
export interface Row {
  instrumentId: string;
  name: string | null;
  candles: { columns: { t: string[]; close: (string | null)[] } } | null;
  /** Why parts of it are missing: the errors of the API. */
  whys?: Partial<Record<'quote' | 'candles', string>>;
}

/** A row of the list; `as` is its id as the list writes it. */
export type Drawn = Row & { as: string; known: boolean };

export const DAYS = 90;

export type Quotes = Record<string, Quote | { nullReason: string }>;

/** A column of the list. */
export interface Shown {
  key: string;
  name: string;
  class: string;
  /** The exact text that the column is aligned by. */
  text?: (quote: Quote) => string | null;
  cell?: (row: Drawn, quote: Quote | undefined, longest: number) => ComponentChildren;
}

export const AT_FIRST = ['trend', 'last', 'change', 'observed'];

/** The columns of a list; a column without `cell` draws its text. */
export const columnsOf = (quotes: Quotes, now: number): Shown[] => {
  const number = (key: string, name: string, text: (quote: Quote) => string | null): Shown => ({ key, name, class: 'number', text });
  return [
    {
      key: 'trend',
      name: t('{days} days', { days: DAYS }),
      class: 'trend',
      cell: (row, quote) => <Sparkline closes={recent(row.candles).closes} old={!!oldBars(row, quote, now)} why={row.whys?.candles} />,
    },
    {
      ...number('last', t('Last'), quote => quote.last),
      class: 'number last',
      cell: (row, quote, longest) =>
        quote ? <Tick key={quote.last} quote={quote} longest={longest} /> : <Close row={row} quotes={quotes} />,
    },
    {
      ...number('change', t('Change'), quote => quote.changePct),
      cell: (_, quote) => (quote ? <Change pct={quote.changePct} /> : '–'),
    },
    number('amount', t('Change, amount'), quote => quote.change),
    {
      key: 'range',
      name: t('Range of the day'),
      class: 'number nowrap',
      cell: (_, quote) =>
        quote?.low && quote.high ? (
          <>
            <Num text={quote.low} /> – <Num text={quote.high} />
          </>
        ) : (
          <Num text={null} />
        ),
    },
    number('open', t('Open'), quote => quote.open),
    number('close', t('Close before'), quote => quote.prevClose),
    number('bid', t('Bid'), quote => quote.bid),
    number('ask', t('Ask'), quote => quote.ask),
    number('volume', t('Volume'), quote => quote.volume),
    number('turnover', t('Turnover'), quote => quote.turnover),
    {
      key: 'observed',
      name: t('Observed'),
      class: 'number seen muted',
      cell: (_, quote) => (
        <>
          <When at={quote?.asOf} now={now} />
          {!!quote?.dataDelaySeconds && fresh(quote.asOf, now) && (
            <span class="unseen">{t(', published {minutes} minutes late', { minutes: quote.dataDelaySeconds / 60 })}</span>
          )}
        </>
      ),
    },
  ];
};

/** What is shown instead of a last price. */
function Close({ row, quotes }: { row: Drawn; quotes: Quotes }) {
  const bars = recent(row.candles);
  const quote = quotes[row.instrumentId] as { nullReason: string } | undefined;
  return (
    <>
      {bars.last && <Num text={bars.closes.at(-1)} />}{' '}
      <span class="muted small">
        {bars.last && t('close of {day}', { day: bars.last })}
        {!bars.last && (row.whys?.quote ? <Barred why={row.whys.quote} /> : quote ? t(quote.nullReason.replaceAll('_', ' ')) : '–')}
      </span>
    </>
  );
}

/** What stands in place of a figure that the key may not have; a note above the table says the same once. */
const Barred = ({ why }: { why: string }) => (
  <span title={why}>
    –<span class="unseen"> {why}</span>
  </span>
);

const seen = new Map<string, string>();

/** A price, which is lit for a moment when it has changed. */
function Tick({ quote, longest }: { quote: Quote; longest: number }) {
  const before = seen.get(quote.instrumentId);
  seen.set(quote.instrumentId, quote.last);
  // Only the colour of the flash depends on this comparison of floats.
  const way = before === undefined || before === quote.last ? '' : Number(quote.last) > Number(before) ? 'rose' : 'fell';
  return (
    <span class={`tick ${way}`}>
      <Aligned text={quote.last} longest={longest} unit={quote.currency} />
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

/** The day of the newest bar if it is more than 5 days older than the quote or, without a quote, than now. */
export function oldBars({ candles }: Row, quote: Quote | undefined, now: number): string | undefined {
  const { last } = recent(candles);
  return last && Date.parse(last) < (quote ? Date.parse(quote.asOf) : now) - 5 * DAY ? last : undefined;
}

const WIDTH = 120;
const HEIGHT = 30;

/** A sparkline of closes, with the exact first and last one; the page of the instrument shows the others. */
function Sparkline({ closes, old, why }: { closes: (string | null)[]; old: boolean; why?: string }) {
  const points = closes.map((close, index) => [index, close === null ? NaN : Number(close)] as const).filter(([, y]) => !Number.isNaN(y));
  if (points.length < 2) return <span class="muted small">{why ? <Barred why={why} /> : t('no bars')}</span>;
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
      <span class="unseen">{t('from {first} to {last}', { first: written(stated[0]!), last: written(stated.at(-1)!) })}</span>
      <svg
        class={`spark ${old ? 'muted' : ys.at(-1)! < ys[0]! ? 'down' : 'up'}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" />
      </svg>
    </>
  );
}
