// What pages know of the server: its time, and whether it still answers.
import { signal } from '@preact/signals';
import { settings } from './settings';

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** How far the service's clock is ahead of the browser's: a replay of March knows nothing of November. */
let ahead = settings.now ? Date.parse(settings.now) - Date.now() : 0;

/** The time by the service's clock, the only clock that pages use. */
export const now = () => Date.now() + ahead;

/** The day in Turkey at an instant. For the start of a UTC day, as other markets have it, it is the same day. */
export const dayOf = (at: number) => new Date(at + 3 * 3_600_000).toISOString().slice(0, 10);

/** When the server last answered, if it can no longer be reached. */
export const gone = signal<number>();

/** Whether a source counts as up only because nothing has failed yet: it has not delivered anything. */
export const idle = (source: { up: boolean; lastSuccess: string | null; newestRecord: string | null }) =>
  source.up && !source.lastSuccess && !source.newestRecord;

let heard = now();

export function noteAnswer() {
  heard = now();
  gone.value = undefined;
}

/** Notes that an attempt got no answer, unless something else has been heard since it began. */
export function noteSilence(began = heard) {
  if (heard > began) return;
  gone.value ??= heard;
  clearTimeout(later);
  later = setTimeout(() => gone.value && void probe(), PROBE); // not every page polls
}

const PROBE = 5_000;
let probing = false;
let later: ReturnType<typeof setTimeout>;

/** Asks the server whether it is up, and for its time: a lost stream tells neither. */
export async function probe() {
  if (probing) return;
  probing = true;
  const began = heard;
  try {
    const response = await fetch('/healthz', { signal: AbortSignal.timeout(PROBE) });
    const { now: said } = await response.json();
    if (said) ahead = Date.parse(said) - Date.now();
    noteAnswer();
  } catch {
    noteSilence(began);
  } finally {
    probing = false;
  }
}
