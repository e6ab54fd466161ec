import { type Col, Grid, requestOf } from '../site/grid';
import { named } from './actions';
import { t, writtenDay } from '../site/words';

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

const FACTORS = `query Factors($id: ID!, $resolution: Resolution, $from: Date, $to: Date, $currency: Currency, $adjust: Adjust) {
  candles(id: $id, resolution: $resolution, from: $from, to: $to, currency: $currency, adjust: $adjust) {
    adjustNote factors { exDate kind actionId factor volumeFactor nullReason }
  }
}`;

const columns = (some: boolean): Col<Factor>[] => [
  { key: 'before', name: t('Before'), text: row => row.exDate, cell: row => <span class="nowrap">{writtenDay(row.exDate)}</span> },
  { key: 'for', name: t('For'), text: row => named(row.kind) },
  { key: 'prices', name: t('Prices, times'), number: true, text: row => row.factor },
  { key: 'volumes', name: t('Volumes, times'), number: true, text: row => row.volumeFactor },
  {
    key: 'unknown',
    name: t('Not known, so nothing was multiplied'),
    spare: !some,
    text: row => row.nullReason,
    cell: row =>
      row.nullReason && (
        <>
          {t(UNKNOWN[row.nullReason] ?? '')} <code>{row.nullReason}</code>
        </>
      ),
  },
];

/** The factors that prices were multiplied by; `asked` are the variables of a query for the same. */
export function Factors({ factors, adjustNote, asked }: { factors: Factor[]; adjustNote: string | null; asked: object }) {
  if (!factors.length) {
    return <p class="small muted">{t(NOTES[adjustNote ?? ''] ?? adjustNote ?? 'Nothing is to be adjusted in this range.')}</p>;
  }
  return (
    <details class="more factors" open>
      <summary>
        {t('{count} factors', { count: factors.length })} {t('by which prices before a day are multiplied')}
      </summary>
      <Grid
        id="factors"
        label={t('Factors')}
        columns={columns(factors.some(row => row.nullReason))}
        rows={factors}
        rowKey={row => `${row.exDate} ${row.kind} ${row.actionId}`}
        request={requestOf(FACTORS, asked)}
      />
      <p class="small muted">{t('All factors of later days count. A dividend is taken off by 1 − dividend ÷ close of the day before.')}</p>
    </details>
  );
}
