import { useMemo, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import type { Bar, Happening } from './chart';
import { Choice } from './choice';
import type { Instrument } from './instrument';

const RANGES: Record<string, [string, string, number]> = {
  d5: ['5m', 'M5', 7],
  d14: ['2h', 'H2', 30],
  m3: ['3 months', 'D1', 92],
  y1: ['1 year', 'D1', 365],
  y3: ['3 years', 'D1', 3 * 365],
};

const COLUMNS = 'open high low close volume turnover';
const BARS = `query Bars($id: ID!, $resolution: Resolution, $from: Date, $currency: Currency) {
  series: candles(id: $id, resolution: $resolution, from: $from, currency: $currency) { currency availableFrom columns { t ${COLUMNS} } }
}`;
const DAYS = `query Days($id: ID!, $from: Date, $currency: Currency) {
  series: eod(id: $id, from: $from, currency: $currency) { currency availableFrom records { date ${COLUMNS} } }
}`;

interface Series {
  currency: string;
  availableFrom: string | null;
  bars: Bar[];
}

async function series(id: string, range: string, currency: string, signal: AbortSignal): Promise<Series> {
  const [, resolution, days] = RANGES[range]!;
  const from = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const variables = { id, from, currency: currency || null };
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

/** The chart of an instrument, with the choice of its range. */
export function Bars({ instrument, currency }: { instrument: Instrument; currency: string }) {
  const crypto = instrument.market === 'CRYPTO';
  const short = crypto ? 'd14' : instrument.market === 'US' || instrument.market === 'FUND' ? undefined : 'd5';
  const choices = Object.fromEntries(
    Object.entries(RANGES)
      .filter(([name]) => name === short || name[0] !== 'd')
      .map(([name, [title]]) => [name, title]),
  );
  const [range, setRange] = useState('y1');
  const answer = useAnswer(
    signal => Promise.all([series(instrument.instrumentId, range, currency, signal), import('./chart')]),
    [range, currency],
    range.startsWith('d') ? 60 : 300,
  );
  const happenings = useMemo(() => happeningsOf(instrument), [instrument]);
  return (
    <section class="card charted" aria-labelledby="bars">
      <div class="row">
        <h2 id="bars">Bars</h2>
        <div class="end">
          <Choice label="Range" of={choices} value={range} choose={setRange} />
        </div>
      </div>
      <Answer of={answer} label="Bars">
        {([{ bars, currency, availableFrom }, { Chart }]) => (
          <Chart
            bars={bars}
            happenings={happenings}
            currency={currency}
            resolution={RANGES[range]![1] === 'D1' ? '1d' : RANGES[range]![1] === 'M5' ? '5m' : '2h'}
            note={
              availableFrom
                ? `History starts on ${availableFrom}.`
                : instrument.adjustment
                  ? `Loaded bars are ${instrument.adjustment}.`
                  : null
            }
          />
        )}
      </Answer>
    </section>
  );
}

function happeningsOf({ disclosures, dividends }: Instrument): Happening[] {
  return [
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
