import { useMemo, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { actionsOf } from './actions';
import type { Bar, Happening } from './chart';
import { Choice } from './choice';
import type { Factor } from './factors';
import type { Instrument } from './instrument';

const RANGES: Record<string, [string, string, number]> = {
  d5: ['5m', 'M5', 7],
  d14: ['2h', 'H2', 30],
  m3: ['3 months', 'D1', 92],
  y1: ['1 year', 'D1', 365],
  y3: ['3 years', 'D1', 3 * 365],
};

const COLUMNS = 'open high low close volume turnover';
const SAID =
  'currency availableFrom adjustNote meaningChanged { what from to on } factors { exDate kind actionId factor volumeFactor nullReason }';
const BARS = `query Bars($id: ID!, $resolution: Resolution, $from: Date, $currency: Currency, $adjust: Adjust) {
  series: candles(id: $id, resolution: $resolution, from: $from, currency: $currency, adjust: $adjust) { ${SAID} columns { t ${COLUMNS} } }
}`;
const DAYS = `query Days($id: ID!, $from: Date, $currency: Currency, $adjust: Adjust) {
  series: eod(id: $id, from: $from, currency: $currency, adjust: $adjust) { ${SAID} records { date ${COLUMNS} } }
}`;

const firstDay = (range: string) => new Date(Date.now() - RANGES[range]![2] * 86_400_000).toISOString().slice(0, 10);

interface Series {
  currency: string;
  availableFrom: string | null;
  adjustNote: string | null;
  meaningChanged: { what: string; from: string | null; to: string | null; on: string } | null;
  factors: Factor[];
  bars: Bar[];
}

async function series(id: string, range: string, currency: string, adjust: Adjust, signal: AbortSignal): Promise<Series> {
  const resolution = RANGES[range]![1];
  const variables = { id, from: firstDay(range), currency: currency || null, adjust };
  if (resolution === 'D1') {
    const { data } = await ask<{ series: Omit<Series, 'bars'> & { records: (Omit<Bar, 'at'> & { date: string })[] } }>(
      DAYS,
      variables,
      signal,
    );
    return { ...data.series, bars: data.series.records.map(({ date, ...figures }) => ({ at: date, ...figures })) };
  }
  type Columns = { t: string[] } & Record<keyof Omit<Bar, 'at'>, (string | null)[]>;
  const { data } = await ask<{ series: Omit<Series, 'bars'> & { columns: Columns } }>(BARS, { ...variables, resolution }, signal);
  const { t, open, high, low, close, volume, turnover } = data.series.columns;
  const bars = t.map((at, n) => ({
    at,
    open: open[n]!,
    high: high[n]!,
    low: low[n]!,
    close: close[n]!,
    volume: volume[n]!,
    turnover: turnover[n]!,
  }));
  return { ...data.series, bars };
}

const ADJUST = { NONE: 'As stored', SPLITS: 'Splits', ALL: 'Splits and dividends' } as const;
type Adjust = keyof typeof ADJUST;

/** Where a link of the bars is made, for a spreadsheet. */
function linkOf(id: string, range: string, currency: string, adjust: Adjust): string {
  const short = range[0] === 'd';
  const address =
    (short ? `/v1/candles/${id}?resolution=${RANGES[range]![0]}&` : `/v1/eod/${id}?`) +
    `from=${firstDay(range)}${currency && `&currency=${currency}`}${adjust === 'NONE' ? '' : `&adjust=${adjust.toLowerCase()}`}`;
  return `/status?address=${encodeURIComponent(address)}#link`;
}

/** The chart of an instrument, with the choice of its range and of what its prices are adjusted for. */
export function Bars({ instrument, currency }: { instrument: Instrument; currency: string }) {
  const { market, corporateActions, dividends } = instrument;
  const short = market === 'CRYPTO' ? 'd14' : market === 'US' || market === 'FUND' ? undefined : 'd5';
  const choices = Object.fromEntries(
    Object.entries(RANGES)
      .filter(([name]) => name === short || name[0] !== 'd')
      .map(([name, [title]]) => [name, title]),
  );
  const adjustable = market === 'BIST' || market === 'US' || !!corporateActions?.length || !!dividends?.length;
  const [range, setRange] = useState('y1');
  const [adjust, setAdjust] = useState<Adjust>('NONE');
  const answer = useAnswer(
    signal =>
      Promise.all([
        series(instrument.instrumentId, range, currency, adjust, signal),
        import('./chart'),
        adjust === 'NONE' ? null : import('./factors'),
      ]),
    [range, currency, adjust],
    range.startsWith('d') ? 60 : 300,
  );
  const happenings = useMemo(() => happeningsOf(instrument), [instrument]);
  return (
    <section class="card charted" aria-labelledby="bars">
      <div class="row">
        <h2 id="bars">Bars</h2>
        {adjustable && (
          <>
            <span class="small muted">Adjusted for</span>
            <Choice label="Adjusted for" of={ADJUST} value={adjust} choose={setAdjust} />
          </>
        )}
        <a class="small" href={linkOf(instrument.instrumentId, range, currency, adjust)}>
          In a spreadsheet
        </a>
        <div class="end">
          <Choice label="Range" of={choices} value={range} choose={setRange} />
        </div>
      </div>
      <Answer of={answer} label="Bars">
        {([series, { Chart }, factors]) => (
          <>
            <Chart
              bars={series.bars}
              happenings={happenings}
              currency={series.currency}
              resolution={RANGES[range]![1] === 'D1' ? '1d' : RANGES[range]![1] === 'M5' ? '5m' : '2h'}
              note={noteOf(instrument, series)}
            />
            {factors && <factors.Factors {...series} />}
          </>
        )}
      </Answer>
    </section>
  );
}

/** What is to be known of bars besides their figures. */
function noteOf({ adjustment }: Instrument, { availableFrom, meaningChanged }: Series): string | null {
  const notes = [];
  if (meaningChanged) {
    const { what, from, to, on } = meaningChanged;
    notes.push(`Days before ${on} are left out: ${what.toLowerCase()} changed from ${from ?? 'none stated'} to ${to ?? 'none stated'}.`);
  }
  if (availableFrom) notes.push(`History starts on ${availableFrom}.`);
  else if (adjustment) notes.push(`Loaded bars are ${adjustment}.`);
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
        day: turkeyDay(row.publishedAt!),
        text: row.subject?.en ?? row.subject?.tr ?? String(row.disclosureIndex),
        href: `#disclosure-${row.disclosureIndex}`,
      })),
    ...(dividends ?? [])
      .filter(row => row.exDate)
      .map(row => ({ kind: 'dividend' as const, day: row.exDate!, text: `${row.grossPerShare ?? '?'} ${row.currency} a share` })),
  ];
}

const turkeyDay = (at: string) => new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(0, 10);
