import { pageOf } from '../site/catalog';
import { named, said } from './actions';
import type { Instrument } from './instrument';
import { spoken } from './known';
import { t } from '../site/words';

const SHARES = ['SPLIT', 'BONUS_ISSUE', 'RIGHTS_ISSUE', 'CAPITAL_DECREASE', 'REDENOMINATION', 'SPIN_OFF'];

const ADJUSTED: Record<string, string> = {
  adjusted: 'Loaded bars are adjusted: earlier prices are scaled so that splits and dividends do not show.',
  unadjusted: 'Loaded bars are unadjusted: prices as they were traded, so a split shows as a jump.',
};

/** Since when the prices have their current meaning, and what they meant before. */
export function Meaning({ instrument }: { instrument: Instrument }) {
  const { meaningChanges, corporateActions, adjustment } = instrument;
  const changes = [
    ...meaningChanges.map(({ what, from, to, on }) => ({
      on,
      what,
      text:
        what === 'IDENTITY' ? (
          <>
            {t('Its id is')} <code>{to}</code>
            {t('; before it was')} <a href={pageOf(from!)}>{from}</a>
            {t('. Prices, statements and disclosures follow.')}
          </>
        ) : (
          <>
            {t(what === 'CURRENCY' ? 'Prices are in' : 'One price is for')} <strong>{to ?? t('what is not stated')}</strong>
            {t('; before:')} <strong>{from ?? t('what is not stated')}</strong>
            {t('. Figures do not combine days before and after.')}
          </>
        ),
    })),
    ...(corporateActions ?? [])
      .filter(({ kind }) => SHARES.includes(kind))
      .map(action => ({
        on: action.exDate,
        what: 'SHARE',
        text: (
          <>
            {t(action.kind === 'REDENOMINATION' ? 'One unit is another' : 'One share is another')}: {named(action.kind).toLowerCase()}{' '}
            {said(action)}.
          </>
        ),
      })),
  ].sort((a, b) => b.on.localeCompare(a.on));
  const adjusting = adjustment && ADJUSTED[adjustment];
  if (!changes.length && !adjusting) return null;
  return (
    <section class="card" aria-labelledby="meaning">
      <h2 id="meaning">{t('What its prices mean')}</h2>
      {changes.length > 0 && (
        <ol class="changes">
          {changes.map(({ on, what, text }) => (
            <li key={on + what} data-what={what}>
              <span class="small muted">
                {t('Since')} <time dateTime={on}>{spoken(on)}</time>
              </span>
              <div>{text}</div>
            </li>
          ))}
        </ol>
      )}
      {adjusting && <p class="small muted">{t(adjusting)}</p>}
    </section>
  );
}
