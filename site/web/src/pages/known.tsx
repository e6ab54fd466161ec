import { useState } from 'preact/hooks';
import { useAnswer, type Waiting } from '../site/answer';
import { ask } from '../site/api';
import { DAY as LENGTH, dayOf, now } from '../site/server';
import { locale, t } from '../site/words';

/** The day at whose end (in Turkey) facts were known; empty: now. */
export type Day = string;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The moment of a day for requests: its last second in Turkey. */
export const momentOf = (day: Day) => (day ? `${day}T20:59:59Z` : null);

/** The same as a parameter of a REST address. */
export const atOf = (day: Day) => (day ? `&known_at=${momentOf(day)}` : '');

/** A day in words, such as 12 March 2026. */
export const spoken = (day: Day) =>
  new Date(day).toLocaleDateString(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The day that the address names, and a function that changes it. It stays in the address, so that a link shows the same. */
export function useKnown(): [Day, (day: Day) => void] {
  const [day, setDay] = useState(() => {
    const named = new URLSearchParams(location.search).get('known') ?? '';
    return DAY.test(named) && !Number.isNaN(Date.parse(named)) && named < dayOf(now()) ? named : '';
  });
  const go = (day: Day) => {
    const address = new URL(location.href);
    if (day) address.searchParams.set('known', day);
    else address.searchParams.delete('known');
    history.replaceState(history.state, '', address);
    setDay(day);
  };
  return [day, go];
}

/** Lets the visitor choose the day of known facts, and explains it. */
export function KnownWhen({ day, go, company }: { day: Day; go: (day: Day) => void; company: boolean }) {
  const yesterday = dayOf(now() - LENGTH);
  const what = company ? t('Valuation, statements, dividends and corporate actions') : t('Corporate actions and dividends');
  return (
    <section class={day ? 'card known past' : 'card known'} aria-labelledby="known">
      <div class="row">
        <h2 id="known">{t('What was known when')}</h2>
        <label class="small">
          {t('As piyasa knew it on')}{' '}
          <input
            type="date"
            value={day}
            max={yesterday}
            onChange={event => {
              const { value, validity } = event.currentTarget as HTMLInputElement;
              if (validity.valid) go(value);
            }}
          />
        </label>
        {day && (
          <button type="button" class="main" onClick={() => go('')}>
            {t('Back to now')}
          </button>
        )}
      </div>
      <p class="small muted" role="status">
        {day ? (
          <>
            {what} {t('are')}{' '}
            <strong>
              {t('as piyasa knew them on')} {spoken(day)}
            </strong>
            {t(', at the end of that day in Turkey: without what was published or corrected later.')}{' '}
            {t('Dividends and corporate actions count from when piyasa recorded them.')}{' '}
            {t('The quote, the chart and everything else are of now.')}
          </>
        ) : (
          t('{what} are as piyasa knows them now. Choose a day to see them without what was published or corrected later.', { what })
        )}
      </p>
    </section>
  );
}

/** Marks a part of the page that shows facts as they were known on a day. */
export const Past = ({ day }: { day: Day }) =>
  day ? (
    <span class="tag warn">
      {t('as known on')} {spoken(day)}
    </span>
  ) : null;

/** Queries facts as they were known on a day; without a day it returns the current ones, which the page already has. */
export function useThen<T>(query: string, id: string, day: Day, now: T): Waiting<{ data: { instrument: T | null } }> {
  return useAnswer(
    async signal => (day ? ask<{ instrument: T | null }>(query, { id, knownAt: momentOf(day) }, signal) : { data: { instrument: now } }),
    [id, day, day ? null : now],
  );
}
