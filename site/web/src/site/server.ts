// What pages know of the server: what time it is there, and whether it still answers.
import { signal } from '@preact/signals';
import { settings } from './settings';

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** How far the service's clock is ahead of the browser's: a replay of March knows nothing of November. */
let ahead = settings.now ? Date.parse(settings.now) - Date.now() : 0;

/** The time by the service's clock. No page looks at another one. */
export const now = () => Date.now() + ahead;

/** The day in Turkey at an instant; at the start of a day of another market, which is a day in UTC, that day. */
export const dayOf = (at: number) => new Date(at + 3 * 3_600_000).toISOString().slice(0, 10);

/** When the server answered last, if it cannot be reached any more. */
export const gone = signal<number>();

/** Whether a source is up merely because nothing has failed: it has not brought anything. */
export const idle = (source: { up: boolean; lastSuccess: string | null; newestRecord: string | null }) =>
  source.up && !source.lastSuccess && !source.newestRecord;

let heard = now();

export function noteAnswer() {
  heard = now();
  gone.value = undefined;
}

export const noteSilence = () => void (gone.value ??= heard);

const PROBE = 5_000;
let probing = false;

/** Asks the server whether it is there, and what time it is: a stream that was lost says neither. */
export async function probe() {
  if (probing) return;
  probing = true;
  try {
    const response = await fetch('/healthz', { signal: AbortSignal.timeout(PROBE) });
    const { now: said } = await response.json();
    if (said) ahead = Date.parse(said) - Date.now();
    noteAnswer();
  } catch {
    noteSilence();
  } finally {
    probing = false;
  }
}
