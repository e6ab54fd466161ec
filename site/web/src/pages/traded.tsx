import { useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { askAll } from '../site/api';
import { pageOf } from '../site/catalog';
import { compareDecimals, Grid, requestOf } from '../site/grid';
import { DAY, dayOf, now } from '../site/server';
import { t, writtenDay } from '../site/words';
import { AT_ONCE, members } from './members';
import { whyText } from './why';

const SESSIONS = 'query Sessions($from: Date, $to: Date) { marketCalendar(market: BIST, from: $from, to: $to) { days { date state } } }';
const BARS = `query Day($ids: [ID!]!, $day: Date) {
  candlesBatch(ids: $ids, from: $day, to: $day) { series { instrumentId currency bars { date close volume turnover } } }
}`;

interface Row {
  id: string;
  name: string | null;
  currency: string;
  close: string | null;
  volume: string | null;
  turnover: string | null;
}

/** The last day before today on which Borsa Istanbul traded. */
export async function previousSession(signal: AbortSignal): Promise<string | undefined> {
  const [from, to] = [dayOf(now() - 15 * DAY), dayOf(now() - DAY)];
  const { marketCalendar } = await askAll<{ marketCalendar: { days: { date: string; state: string }[] } }>(SESSIONS, { from, to }, signal);
  return marketCalendar.days.findLast(({ state }) => state !== 'HOLIDAY' && state !== 'WEEKEND')?.date;
}

/** The daily bars of the stocks on a day, from several requests, and how many stocks were left out. */
async function barsOf(day: string, signal: AbortSignal, tell: (asked: number) => void): Promise<{ rows: Row[]; left: number }> {
  const { some: stocks, all } = await members('market:bist', signal);
  const rows: Row[] = [];
  for (let from = 0; from < stocks.length; from += AT_ONCE) {
    tell(from);
    const names = new Map(stocks.slice(from, from + AT_ONCE).map(({ id, name }) => [id, name]));
    type Bars = {
      candlesBatch: { series: ({ instrumentId: string; currency: string } & { bars: Omit<Row, 'id' | 'name' | 'currency'>[] })[] };
    };
    const { candlesBatch } = await askAll<Bars>(BARS, { ids: [...names.keys()], day }, signal);
    for (const { instrumentId: id, currency, bars } of candlesBatch.series)
      for (const bar of bars) rows.push({ ...bar, id, currency, name: names.get(id) ?? null });
  }
  return { rows: rows.sort((a, b) => compareDecimals(b.turnover ?? '-1', a.turnover ?? '-1')), left: all - stocks.length };
}

/** The most traded stocks of a past day, by its daily bars. */
export function Traded({ day }: { day: string }) {
  const [asked, setAsked] = useState(0);
  const answer = useAnswer(signal => barsOf(day, signal, setAsked), [day]);
  return (
    <>
      {answer.busy && !answer.value && asked > 0 && (
        <p class="small muted" role="status">
          {t('{count} have been asked for …', { count: asked })}
        </p>
      )}
      <Answer of={answer} label={t('Most traded')}>
        {({ rows, left }) =>
          rows.some(row => row.turnover !== null) ? (
            <Grid
              id="traded"
              label={t('Most traded')}
              caption={
                <>
                  {t('Daily bars of {day}, as they are stored; names as of today.', { day: writtenDay(day) })}{' '}
                  {left > 0 && t('{left} more instruments were not asked for.', { left })}
                </>
              }
              columns={[
                {
                  key: 'instrument',
                  name: t('Instrument'),
                  text: row => row.id,
                  cell: row => (
                    <>
                      <a href={pageOf(row.id)}>{row.id.replace(/^.*:/, '')}</a> <span class="muted small">{row.name}</span>
                    </>
                  ),
                },
                { key: 'close', name: t('Closing price'), number: true, text: row => row.close },
                { key: 'volume', name: t('Volume'), number: true, text: row => row.volume },
                {
                  key: 'turnover',
                  name: t('Turnover'),
                  number: true,
                  text: row => row.turnover,
                  why: () => whyText('not_provided_by_source'),
                },
                { key: 'currency', name: t('Currency'), spare: true, kept: true, text: row => row.currency },
                { key: 'day', name: t('Day'), spare: true, kept: true, text: () => day },
              ]}
              rows={rows}
              file={`most-traded-bist-${day}`}
              rowKey={row => row.id}
              request={requestOf(BARS, { ids: rows.slice(0, AT_ONCE).map(row => row.id), day })}
            />
          ) : (
            <p class="muted">
              {rows.length
                ? t('The {count} daily bars of {day} state no turnover.', { count: rows.length, day: writtenDay(day) })
                : t('No daily bars of {day} are stored.', { day: writtenDay(day) })}
            </p>
          )
        }
      </Answer>
    </>
  );
}
