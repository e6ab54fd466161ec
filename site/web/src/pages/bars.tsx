import { useMemo, useRef, useState } from 'preact/hooks';
import { useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask, Failure } from '../site/api';
import { pageOf, Search } from '../site/catalog';
import { age, useNow } from '../site/figures';
import { dayOf } from '../site/server';
import { actionsOf } from './actions';
import type { Bar, Happening } from './chart';
import { Choice } from './choice';
import { before, EARLIEST, extentOf, today, type Extent } from './extent';
import type { Factor } from './factors';
import type { Instrument, Quote } from './instrument';
import { linesOf, noLines, selectionOf, STUDIES, type SentLine, type Study, type StudyLine } from './studies';
import { inLanguage, t, writtenDay } from '../site/words';

const RANGES = { '1d': '1d', '5d': '5d', '1m': '1m', '6m': '6m', ytd: 'YTD', '1y': '1y', '5y': '5y', all: 'All' } as const;
type Range = keyof typeof RANGES;
const ORDER = Object.keys(RANGES) as Range[];
const DAYS: Partial<Record<Range, number>> = { '1d': 1, '5d': 7, '1m': 31, '6m': 183, '1y': 365, '5y': 1826 };

/** Lengths of bars: their names in GraphQL, and the ranges that they suit. */
const RESOLUTIONS = {
  '5m': ['M5', '1d', '5d'],
  '2h': ['H2', '1d', '1m'],
  '1d': ['D1', '5d', 'all'],
  '1w': ['W1', '6m', 'all'],
  '1mo': ['MO1', 'ytd', 'all'],
} as const;
export type Resolution = keyof typeof RESOLUTIONS;

const suits = (resolution: Resolution, range: Range) => {
  const [, least, most] = RESOLUTIONS[resolution];
  return ORDER.indexOf(range) >= ORDER.indexOf(least) && ORDER.indexOf(range) <= ORDER.indexOf(most);
};

/** The resolutions of a market. */
const resolutionsOf = (market: string) =>
  (Object.keys(RESOLUTIONS) as Resolution[]).filter(
    resolution => (resolution !== '5m' || !['CRYPTO', 'US', 'FUND'].includes(market)) && (resolution !== '2h' || market === 'CRYPTO'),
  );

/** The default resolution of a range. */
const usual = (range: Range, of: Resolution[]) =>
  range === '5y' || range === 'all' ? '1w' : range === '1d' || range === '5d' ? of[0]! : '1d';

/** How many days old the newest bar may be before ranges end with it instead of today; a longer bar begins earlier. */
const SLACK = { '5m': 10, '2h': 10, '1d': 10, '1w': 17, '1mo': 41 } as const;

function firstDay(range: Range, end: string): string {
  if (range === 'all') return EARLIEST;
  return range === 'ytd' ? `${end.slice(0, 4)}-01-01` : before(end, DAYS[range]!);
}

const ADJUST = { NONE: 'As stored', SPLITS: 'Splits', ALL: 'Splits and dividends' } as const;
type Adjust = keyof typeof ADJUST;

const FIGURES = ['open', 'high', 'low', 'close', 'volume', 'turnover'] as const;
const SAID =
  'currency availableFrom adjustNote meaningChanged { what from to on } factors { exDate kind actionId factor volumeFactor nullReason }';

/** How many of the newest bars a range may have, at most. */
const countOf = (range: Range, resolution: Resolution) =>
  resolution === '5m' ? 1000 : range === 'all' ? 5000 : Math.ceil(((DAYS[range] ?? 366) * 5) / 7) + 10;

/** A query of several instruments, some of which may fail; with lines of indicators of the first. */
const query = (
  count: number,
  lines: string,
) => `query Bars(${Array.from({ length: count }, (_, n) => `$id${n}: ID!`).join(', ')}, $resolution: Resolution,
  $from: Date, $to: Date, $currency: Currency, $adjust: Adjust${lines && ', $indicators: [IndicatorName!], $periods: [Int!], $last: Int'}) {
  ${lines}
  ${Array.from(
    { length: count },
    (_, n) => `s${n}: candles(id: $id${n}, resolution: $resolution, from: $from, to: $to, currency: $currency, adjust: $adjust) {
      ${SAID} columns { t date ${FIGURES.join(' ')} } }`,
  ).join('\n')}
}`;

type Columns = { t: string[]; date: (string | null)[] } & Record<(typeof FIGURES)[number], (string | null)[]>;

/** Bars of an instrument, as they were sent. */
export interface Series {
  id: string;
  currency: string;
  availableFrom: string | null;
  adjustNote: string | null;
  meaningChanged: { what: string; from: string | null; to: string | null; on: string } | null;
  factors: Factor[];
  bars: Bar[];
}

interface Asked {
  ids: string[];
  range: Range;
  resolution: Resolution;
  currency: string;
  adjust: Adjust;
  /** The indicators that are drawn. */
  studies: Study[];
}

interface Drawn extends Asked {
  series: Series[];
  lines: StudyLine[];
  refused: string[];
  from: string;
  to?: string;
  /** The days that have daily bars, if this range has none. */
  extent?: Extent;
}

const short = (resolution: Resolution) => resolution === '5m' || resolution === '2h';

/** The variables of a query for a range, but for the instruments. */
const variablesOf = ({ resolution, currency, adjust }: Asked, from: string, to: string | undefined) => ({
  resolution: RESOLUTIONS[resolution][0],
  from,
  to,
  currency: currency || null,
  adjust,
});

async function between(asked: Asked, from: string, to: string | undefined, signal: AbortSignal) {
  const { ids, range, resolution, studies } = asked;
  const at = short(resolution) ? 't' : 'date';
  const lines = studies.length
    ? `lines: indicators(id: $id0, indicators: $indicators, periods: $periods, resolution: $resolution, adjust: $adjust) {
      series(last: $last) { indicator component period at: ${at} value } }`
    : '';
  const selected = lines && { ...selectionOf(studies), last: countOf(range, resolution) };
  const variables = { ...variablesOf(asked, from, to), ...Object.fromEntries(ids.map((id, n) => [`id${n}`, id])), ...selected };
  type Sent = Omit<Series, 'id' | 'bars'> & { columns: Columns };
  type All = Record<string, Sent | null> & { lines?: { series: SentLine[] | null } | null };
  const { data, errors } = await ask<All>(query(ids.length, lines), variables, signal);
  if (!data.s0) throw new Failure(errors[0]?.message ?? t('No reason was given.'), 422, t('Failed'));
  const series = ids.flatMap((id, n): Series[] => {
    const one = data[`s${n}`];
    if (!one) return [];
    const { columns, ...said } = one;
    const bars = columns.t.map((t, n) => ({
      at: short(resolution) ? t : (columns.date[n] ?? dayOf(Date.parse(t))),
      ...(Object.fromEntries(FIGURES.map(figure => [figure, columns[figure][n]!])) as Omit<Bar, 'at'>),
    }));
    return [{ id, ...said, bars }];
  });
  return {
    series,
    lines: linesOf(studies, data.lines?.series ?? []),
    refused: errors.map(({ path, message }) => `${ids[Number(String(path?.[0]).slice(1))] ?? ''} ${message}`.trim()),
  };
}

const dayIn = (bar: Bar) => (bar.at.length === 10 ? bar.at : dayOf(Date.parse(bar.at)));

/** Queries a range that ends with the newest bar. */
async function load(asked: Asked, signal: AbortSignal): Promise<Drawn> {
  const { range, resolution } = asked;
  const later = (day: string) => (day > EARLIEST ? day : EARLIEST);
  const slack = SLACK[resolution];
  const newestOf = (series: Series[]) => series[0]!.bars.at(-1);
  let from = later(before(firstDay(range, today()), slack));
  let to: string | undefined;
  let answer = await between(asked, from, to, signal);
  let newest = newestOf(answer.series);
  let extent: Extent | undefined;
  if (range !== 'all' && (!newest || dayIn(newest) < before(today(), slack))) {
    extent = await extentOf(asked.ids[0]!, signal);
    if (extent && !short(resolution)) {
      from = later(firstDay(range, extent.last));
      to = extent.last;
      answer = await between(asked, from, to, signal);
      newest = newestOf(answer.series);
    }
  }
  if (newest) {
    const days = [...new Set(answer.series[0]!.bars.map(dayIn))];
    const counted = range === '1d' ? days.at(-1)! : range === '5d' ? days.slice(-5)[0]! : firstDay(range, dayIn(newest));
    from = resolution === '1w' ? before(counted, 6) : resolution === '1mo' ? before(counted, 30) : counted;
    for (const one of answer.series) one.bars = one.bars.filter(bar => dayIn(bar) >= from);
    // The request to copy begins with the first bar that is drawn: a week with only its end in the
    // range is not drawn.
    from = answer.series.map(({ bars }) => (bars[0] ? dayIn(bars[0]) : from)).sort()[0]!;
  }
  return { ...asked, ...answer, from, to, extent };
}

/** The REST path with the same answer. */
function pathOf({ ids, resolution, currency, adjust, from, to }: Drawn): string {
  const of = ids.length > 1 ? `?ids=${ids.join()}&` : `/${ids[0]}?`;
  const more = Object.entries({ to, currency, adjust: adjust === 'NONE' ? '' : adjust.toLowerCase() });
  return `/v1/candles${of}resolution=${resolution}&from=${from}${more.map(([name, text]) => (text ? `&${name}=${text}` : '')).join('')}`;
}

/** The REST path that answers the lines that are drawn; undefined: there are none. */
function linesPathOf({ ids, range, resolution, adjust, studies, lines }: Drawn): string | undefined {
  if (!lines.length) return undefined;
  const { indicators, periods } = selectionOf(studies);
  const more = { ...(periods && { periods: periods.join() }), ...(adjust !== 'NONE' && { adjust: adjust.toLowerCase() }) };
  const query = new URLSearchParams({
    indicators: indicators.join().toLowerCase(),
    ...more,
    resolution,
    last: `${countOf(range, resolution)}`,
  });
  return `/v1/stocks/${ids[0]}/indicators?${query}`;
}

const MOST = 4;
const listed = (text: string) => text.split(',').filter(Boolean).slice(0, MOST);

/** The chart of an instrument. The address keeps every choice. */
export function Bars({ instrument, currency, quote }: { instrument: Instrument; currency: string; quote?: Quote }) {
  const { market, corporateActions, dividends, instrumentId } = instrument;
  const resolutions = resolutionsOf(market);
  const adjustable = market === 'BIST' || market === 'US' || !!corporateActions?.length || !!dividends?.length;
  const [range, setRange] = useInAddress<Range>('range', '1y', RANGES);
  const [chosen, setChosen] = useInAddress<Resolution | ''>('resolution', '', text => resolutions.includes(text as Resolution));
  const [adjust, setAdjust] = useInAddress<Adjust>('adjust', 'NONE', ADJUST);
  const [compared, setCompared] = useInAddress<string>('compare', '', text => text.length < 300);
  const [log, setLog] = useInAddress<'linear' | 'log'>('scale', 'linear', text => text === 'log');
  const [studies, setStudies] = useInAddress<string>('indicators', '', text => text.split(',').every(name => Object.hasOwn(STUDIES, name)));
  const drawnStudies = useMemo(() => studies.split(',').filter(name => name in STUDIES) as Study[], [studies]);
  const [open, setOpen] = useState<'compare' | 'indicators' | undefined>(drawnStudies.length ? 'indicators' : undefined);
  const others = listed(compared).filter(id => id !== instrumentId);
  const resolution = chosen && suits(chosen, range) ? chosen : usual(range, resolutions);
  const why = noLines(market, resolution, currency);
  const asked: Asked = { ids: [instrumentId, ...others], range, resolution, currency, adjust, studies: why ? [] : drawnStudies };
  const answer = useAnswer(
    signal => Promise.all([load(asked, signal), import('./chart'), adjust === 'NONE' ? null : import('./factors')]),
    [asked],
    short(resolution) ? 60 : 300,
  );
  const drawn = useRef(answer.value); // kept while another range is queried
  if (answer.value || answer.failure) drawn.current = answer.value;
  const happenings = useMemo(() => happeningsOf(instrument), [instrument]);
  const now = useNow(30);

  const goTo = (range: Range) => {
    setRange(range);
    if (chosen && !suits(chosen, range)) setChosen('');
  };
  const choose = (resolution: Resolution) => {
    const to = suits(resolution, range) ? range : resolution === '5m' || resolution === '2h' ? '5d' : resolution === '1d' ? '1y' : '5y';
    setRange(to);
    setChosen(resolution === usual(to, resolutions) ? '' : resolution);
  };
  const names = Object.fromEntries(resolutions.map(name => [name, name])) as Record<Resolution, string>;
  const wider = ORDER.slice(ORDER.indexOf(range) + 1).find(range => suits(resolution, range) && range !== 'ytd');
  return (
    <section class="card charted" aria-labelledby="bars">
      <div class="row">
        <h2 id="bars">{t('Bars')}</h2>
        <Choice label={t('Range')} of={RANGES} value={range} choose={goTo} />
        <div class="end">
          <Choice label={t('Length of a bar')} of={names} value={resolution} choose={choose} />
        </div>
      </div>
      <div class="row chosen">
        {adjustable && <Choice label={t('Adjusted for')} of={ADJUST} value={adjust} choose={setAdjust} />}
        <button
          type="button"
          aria-disabled={others.length > 0}
          aria-pressed={log === 'log' && !others.length}
          onClick={() => setLog(log === 'log' ? 'linear' : 'log')}
        >
          {t('Log scale')}
        </button>
        {(['Indicators', 'Compare'] as const).map(name => {
          const key = name.toLowerCase() as 'compare' | 'indicators';
          return (
            <button type="button" key={name} aria-expanded={open === key} onClick={() => setOpen(open === key ? undefined : key)}>
              {t(name)}
            </button>
          );
        })}
        {others.map(id => (
          <span class="tag" key={id}>
            <a href={pageOf(id)}>{id}</a>{' '}
            <button
              type="button"
              class="plain"
              aria-label={t('Compare with {id} no more', { id })}
              onClick={() => setCompared(others.filter(other => other !== id).join())}
            >
              ✕
            </button>
          </span>
        ))}
      </div>
      {why && (open === 'indicators' || studies) && <p class="note small">{why}</p>}
      {open === 'indicators' && !why && (
        <fieldset class="segmented chosen">
          <legend class="unseen">{t('Indicators')}</legend>
          {(Object.entries(STUDIES) as [Study, string][]).map(([study, name]) => {
            const on = drawnStudies.includes(study);
            return (
              <button
                type="button"
                key={study}
                aria-pressed={on}
                onClick={() => setStudies((on ? drawnStudies.filter(other => other !== study) : [...drawnStudies, study]).join())}
              >
                {name}
              </button>
            );
          })}
        </fieldset>
      )}
      {open === 'compare' && (
        <div class="editing">
          {others.length < MOST ? (
            <Search
              action={{
                label: t('Compare'),
                take: id => id !== instrumentId && !others.includes(id) && setCompared([...others, id].join()),
              }}
            />
          ) : (
            <p class="small muted">
              {MOST} {t('are compared: take one off to add another.')}
            </p>
          )}
        </div>
      )}
      <Answer of={{ ...answer, value: drawn.current }} label={t('Bars')}>
        {([drawn, { Chart }, factors]) => {
          const series = drawn.series[0]!;
          const newest = series.bars.at(-1);
          const old = newest && dayIn(newest) < before(today(), SLACK[drawn.resolution]);
          return (
            <>
              {drawn.refused.map(text => (
                <p class="note warn small" key={text}>
                  {t('Not drawn:')} {text}
                </p>
              ))}
              {old && (
                <p class="small muted" role="status">
                  {drawn.range === 'all' ? t('All bars') : t(RANGES[drawn.range])}
                  {t(', to the newest bar of')} <strong>{writtenDay(dayIn(newest))}</strong>: {age(`${dayIn(newest)}T12:00:00Z`, now)}.
                </p>
              )}
              {newest ? (
                <Chart
                  of={drawn}
                  market={market}
                  happenings={happenings}
                  path={pathOf(drawn)}
                  linesPath={linesPathOf(drawn)}
                  quote={quote}
                  log={log === 'log'}
                  earlier={wider && (() => (setChosen(resolution === usual(wider, resolutions) ? '' : resolution), setRange(wider)))}
                  note={noteOf(instrument, series)}
                />
              ) : (
                <div class="note">
                  {drawn.extent && `${t('There are no {resolution} bars in this range.', { resolution: t(drawn.resolution) })} `}
                  {drawn.extent ? (
                    <button type="button" onClick={() => (setChosen('1d'), setRange('all'))}>
                      {t('Daily bars from')} {drawn.extent.first} {t('to')} {drawn.extent.last}
                      {t(': show them')}
                    </button>
                  ) : (
                    t('No bars are stored.')
                  )}
                </div>
              )}
              {factors && <factors.Factors {...series} asked={{ id: series.id, ...variablesOf(drawn, drawn.from, drawn.to) }} />}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

/** Notes on bars besides their figures. */
function noteOf({ adjustment }: Instrument, { availableFrom, meaningChanged }: Series): string | null {
  const notes = [];
  if (meaningChanged) {
    const { what, from, to, on } = meaningChanged;
    notes.push(
      t('Days before {on} are left out: {what} changed from {from} to {to}.', {
        on,
        what: t(what.toLowerCase()),
        from: from ?? t('what is not stated'),
        to: to ?? t('what is not stated'),
      }),
    );
  }
  if (availableFrom) notes.push(t('History starts on {day}.', { day: writtenDay(availableFrom) }));
  else if (adjustment) notes.push(t(adjustment === 'adjusted' ? 'Loaded bars are adjusted.' : 'Loaded bars are unadjusted.'));
  return notes.join(' ') || null;
}

function happeningsOf(instrument: Instrument): Happening[] {
  const { disclosures, dividends } = instrument;
  return [
    ...actionsOf(instrument),
    ...(disclosures ?? [])
      .filter(row => row.publishedAt)
      .map(row => ({
        kind: 'disclosure' as const,
        day: dayOf(Date.parse(row.publishedAt!)),
        text: inLanguage(row.subject?.tr, row.subject?.en) ?? String(row.disclosureIndex),
        href: `#disclosure-${row.disclosureIndex}`,
      })),
    ...(dividends ?? [])
      .filter(row => row.exDate)
      .map(row => ({
        kind: 'dividend' as const,
        day: row.exDate!,
        text: t('{amount} {currency} a share', { amount: row.grossPerShare ?? '?', currency: row.currency ?? '' }),
        href: '#dividends',
      })),
  ];
}
