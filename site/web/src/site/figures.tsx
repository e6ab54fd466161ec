import { useEffect, useState } from 'preact/hooks';
import { DAY, dayOf, now } from './server';
import { locale, t, written, writtenDay } from './words';

/**
 * A number as it was sent, with the decimal mark of the page's language. CSS separates groups of
 * three digits; the title has the unchanged text.
 */
export function Num({ text, unit }: { text: string | null | undefined; unit?: string | null }) {
  if (text === null || text === undefined) {
    return (
      <span class="muted" title={t('null: not known')}>
        –
      </span>
    );
  }
  const [, sign, whole, rest] = /^([-+]?)(\d+)(.*)$/.exec(text) ?? [, '', '', text];
  const groups = whole!.length > 4 ? whole!.match(/\d{1,3}(?=(\d{3})*$)/g)! : [whole!];
  return (
    <span class="num" title={written(text) === text ? undefined : text}>
      {groups.length > 1 ? (
        <>
          {sign}
          {groups.map((group, index) => (index ? <span class="group">{group}</span> : group))}
          {written(rest!)}
        </>
      ) : (
        written(text)
      )}
      {unit && <span class="unit"> {unit}</span>}
    </span>
  );
}

/** The style of a change. */
export const direction = (text: string | null | undefined) => (!text || /^-?[0.]*$/.test(text) ? '' : text.startsWith('-') ? 'down' : 'up');

/** A change in percent. */
export function Change({ pct }: { pct: string | null | undefined }) {
  if (!pct) return <Num text={null} />;
  const way = direction(pct);
  return (
    <span class={way}>
      {way && <span aria-hidden="true">{way === 'up' ? '▲ ' : '▼ '}</span>}
      {/* One sign to see; a copy and a screen reader have the text as it is. */}
      {way === 'down' ? <span class="unseen">-</span> : null}
      {written(way === 'down' ? pct.slice(1) : pct)}%
    </span>
  );
}

/** The time by the service's clock, updated every given number of seconds. */
export function useNow(seconds: number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return time;
}

/** Whether a price is recent enough for its delay to matter; of an older one only the age does. */
export const fresh = (asOf: string, now: number) => now - Date.parse(asOf) < 12 * 3_600_000;

/** How long ago, in few enough words for a cell. */
export function age(since: string, now: number): string {
  const seconds = Math.round((now - Date.parse(since)) / 1000);
  const ahead = seconds < 0;
  const [amount, unit] = units(Math.abs(seconds));
  if (amount === 0) return t('now');
  return ahead ? t('in {amount} {unit}', { amount, unit: t(unit) }) : t('{amount} {unit} ago', { amount, unit: t(unit) });
}

/** A length of time. */
export function lasting(seconds: number): string {
  const [amount, unit] = units(seconds);
  return `${amount} ${t(unit)}`;
}

function units(seconds: number): [number, string] {
  if (seconds < 90) return [Math.round(seconds), 's'];
  if (seconds < 90 * 60) return [Math.round(seconds / 60), 'min'];
  if (seconds < 36 * 3600) return [Math.round(seconds / 3600), 'h'];
  return [Math.round(seconds / 86400), 'days'];
}

const CLOCK = { dateStyle: 'medium', timeStyle: 'short' } as const;

/**
 * An instant as the visitor's clock shows it; the title has its time zone, and what was sent. With
 * `now` it is relative: how long ago or, if `due`, how far ahead. An instant ahead that is not `due`
 * (the clock is behind the data) stays absolute.
 */
export function When({ at, now, due }: { at: string | null | undefined; now?: number; due?: boolean }) {
  if (!at) return <Num text={null} />;
  const local = new Date(at);
  const ahead = !due && local.getTime() > (now ?? Infinity) + 60_000;
  return (
    <time dateTime={at} title={`${local.toLocaleString(locale, { ...CLOCK, timeStyle: 'long' })} (${at})`}>
      {now === undefined || ahead ? local.toLocaleString(locale, CLOCK) : age(at, now)}
    </time>
  );
}

/** How many days a figure may be older than the newest quote before it is marked: a long holiday passes without bars. */
const AGED = 10;

/** Whether a day is older than the newest quote, or today without one, by more than that. */
export const isAged = (day: string | null | undefined, quoted?: string | null): boolean =>
  !!day && Date.parse(day) < (quoted ? Date.parse(quoted) : now()) - AGED * DAY;

/** The day of a daily bar from the time when it was complete: New York's day ends when Turkey already has the next. */
export const barDay = (asOf: string | null | undefined, id = ''): string | null =>
  asOf ? (id.startsWith('us:') ? asOf.slice(0, 10) : dayOf(Date.parse(asOf))) : null;

/** The day up to which figures count, marked if it is long before the newest quote. */
export function UpTo({ days, quoted }: { days: (string | null | undefined)[]; quoted?: string | null }) {
  const known = days.filter(day => !!day).sort() as string[];
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return null;
  const { length } = known.filter(day => isAged(day, quoted));
  return (
    <span class="upto">
      {first === last
        ? t('Returns up to {day}.', { day: writtenDay(last) })
        : t('Returns up to days from {first} to {last}.', { first: writtenDay(first), last: writtenDay(last) })}{' '}
      {length > 0 && (
        <span class="aged">
          {length < known.length
            ? t('So marked: more than {days} days older than the newest quote.', { days: AGED })
            : t('That is more than {days} days before {day}.', { days: AGED, day: writtenDay(dayOf(quoted ? Date.parse(quoted) : now())) })}
        </span>
      )}
    </span>
  );
}
