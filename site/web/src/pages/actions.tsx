import { t } from '../site/words';
import type { Happening } from './chart';
import type { Instrument } from './instrument';

/** The fields of a corporate action that pages select. */
export const ACTION = 'exDate kind new old factor price currency actionId disclosureIndex';

export interface Action {
  exDate: string;
  kind: string;
  new: string | null;
  old: string | null;
  factor: string | null;
  price: string | null;
  currency: string | null;
  actionId: string | null;
  disclosureIndex: number | null;
}

/** The fields of a dividend, which are also queried as they were known on a day. */
export const PAID = 'exDate paymentDate grossPerShare netPerShare currency installment status';
const KINDS: Record<string, string> = {
  SPLIT: 'Split',
  BONUS_ISSUE: 'Bonus issue',
  RIGHTS_ISSUE: 'Rights issue',
  CAPITAL_DECREASE: 'Capital decrease',
  REDENOMINATION: 'Redenomination',
  SPIN_OFF: 'Spin-off',
  MERGER: 'Merger',
  RENAME: 'Rename',
  DELISTING: 'Delisting',
};

/** The name of an action or a dividend. */
export const named = (kind: string) =>
  t(KINDS[kind.toUpperCase()] ?? '') || kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ');

/** What an action does to a share. */
export function said({ new: after, old: before, price, currency }: Action): string {
  const ratio = after !== null && before !== null ? t('{after} for {before}', { after, before }) : '';
  return [ratio, price !== null && (ratio ? t('at {price} {currency}', { price, currency: currency ?? '' }) : `${price} ${currency}`)]
    .filter(Boolean)
    .join(' ');
}

/** The corporate actions as the chart marks them. */
export const actionsOf = ({ corporateActions }: Instrument): Happening[] =>
  (corporateActions ?? []).map(action => ({
    kind: 'action' as const,
    day: action.exDate,
    text: `${named(action.kind)} ${said(action)}`.trim(),
    href: action.disclosureIndex === null ? '#actions' : `#disclosure-${action.disclosureIndex}`,
  }));
