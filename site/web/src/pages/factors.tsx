import { Num } from '../site/figures';
import { Table } from '../site/table';
import { named } from './actions';
import { t } from '../site/words';

/** Why prices were not adjusted, in words. */
const NOTES: Record<string, string> = {
  already_adjusted: 'The loaded bars are adjusted already, so nothing was multiplied.',
  not_adjustable: 'Prices of this market have no corporate actions or dividends to adjust for.',
};
const UNKNOWN: Record<string, string> = {
  value_not_stated: 'its value is not stated',
  other_currency: 'it is in another currency than the price',
  no_close_before: 'there is no close before',
  not_below_close: 'it is as much as the close before, or more',
  adjustment_not_stated: 'the bars do not say whether they are adjusted already',
  meaning_changed: 'prices changed their meaning after it',
};

export interface Factor {
  exDate: string;
  kind: string;
  actionId: string | null;
  factor: string | null;
  volumeFactor: string | null;
  nullReason: string | null;
}

/** By what prices were multiplied. */
export function Factors({ factors, adjustNote }: { factors: Factor[]; adjustNote: string | null }) {
  if (!factors.length) {
    return <p class="small muted">{t(NOTES[adjustNote ?? ''] ?? adjustNote ?? 'Nothing is to be adjusted in this range.')}</p>;
  }
  return (
    <details class="more factors" open>
      <summary>
        {t('{count} factors', { count: factors.length })} {t('by which prices before a day are multiplied')}
      </summary>
      <Table label={t('Factors')} columns={[t('Before'), t('For'), [t('Prices, times'), 'number'], [t('Volumes, times'), 'number']]}>
        {factors.map(row => (
          <tr key={`${row.exDate} ${row.kind} ${row.actionId}`}>
            <th scope="row" class="nowrap">
              {row.exDate}
            </th>
            <td>{named(row.kind)}</td>
            {row.nullReason ? (
              <td colSpan={2}>
                {t('not known, so nothing was multiplied:')} {t(UNKNOWN[row.nullReason] ?? '')} <code>{row.nullReason}</code>
              </td>
            ) : (
              <>
                <td class="number">
                  <Num text={row.factor} />
                </td>
                <td class="number">
                  <Num text={row.volumeFactor} />
                </td>
              </>
            )}
          </tr>
        ))}
      </Table>
      <p class="small muted">{t('All factors of later days count. A dividend is taken off by 1 − dividend ÷ close of the day before.')}</p>
    </details>
  );
}
