// Where data is: ranges count back from the newest bar, however old it is.
import { ask } from '../site/api';
import { DAY, dayOf, now } from '../site/server';

/** The days from the first to the newest of daily bars. */
export interface Extent {
  first: string;
  last: string;
}

const EXTENT = 'query Extent($id: ID!, $from: Date) { candles(id: $id, from: $from) { columns { t } } }';
export const EARLIEST = '1990-01-01';

/** The first and the newest day of an instrument's daily bars; undefined: there are none. */
export async function extentOf(id: string, signal: AbortSignal): Promise<Extent | undefined> {
  const { data } = await ask<{ candles: { columns: { t: string[] } } | null }>(EXTENT, { id, from: EARLIEST }, signal);
  const t = data.candles?.columns.t ?? [];
  return t.length ? { first: dayOf(Date.parse(t[0]!)), last: dayOf(Date.parse(t.at(-1)!)) } : undefined;
}

/** The day that is the given number of days before another. */
export const before = (day: string, days: number) => new Date(Date.parse(day) - days * DAY).toISOString().slice(0, 10);

/** Today, in Turkey. */
export const today = () => dayOf(now());
