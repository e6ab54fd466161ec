import { t, translated } from '../site/words';

/** What the reasons of nulls mean. */
const REASONS: Record<string, string> = {
  not_provided_by_source: 'The source states no figure.',
  zero_in_source: 'The source states 0, which means that it has none.',
  missing_input: 'A figure that the formula needs is missing, null or zero in the statement.',
  missing_input_period: 'A statement that the formula needs is not stored here.',
  measuring_unit_mismatch: 'The inputs count in the money of different dates, so they must not be added.',
  accounting_basis_mismatch: 'Some inputs are adjusted for inflation and some are not.',
  template_mismatch: 'The inputs have different sets of lines.',
  non_positive_ev: 'The enterprise value is zero or below, where the ratio says nothing.',
  non_positive_ebitda_ttm: 'EBITDA of the last twelve months is zero or below, where the ratio says nothing.',
  non_positive_growth: 'Growth is zero or below, where the ratio says nothing.',
  non_positive_base: 'The figure to compare with is zero or below.',
  bank_or_insurer_template: 'The metric is defined for industrial companies; this is a bank or an insurer.',
  not_covered_for_market: 'piyasa does not compute this metric in this market.',
  meaning_changed: 'What the figures mean changed on the way, and nobody stated how to get from one meaning to the other.',
  insufficient_history: 'There are too few bars.',
  out_of_range: 'The result is outside the range in which it says anything.',
  no_coverage: 'Neither a market cap nor a statement is stored.',
  etf_not_covered: 'It is a fund that is traded, not a company.',
  market_not_supported: 'piyasa does not compute this metric in this market.',
  no_honest_value: 'The source withdrew the price or has not published one.',
  not_priced: 'No price has been observed yet.',
  unknown_id: 'The catalog has no such instrument.',
  needs_high_low: 'It needs highs and lows, which daily bars of this market lack.',
};

/** What a reason means, in the language of the page; the sentence of an error already says it. */
export const whyText = (reason: string): string => (reason.includes(' ') ? reason : t(REASONS[reason] ?? reason.replaceAll('_', ' ')));

/** Why a list is empty, in the language of the page; the dictionary translates the texts of the API. */
export const missingText = (missing: { message: string } | null | undefined): string | undefined =>
  missing ? translated(missing.message) : undefined;

/** A null, and why: a reason of the API, or the sentence of an error. */
export function Why({ reason }: { reason: string | null }) {
  const sentence = reason?.includes(' ');
  return (
    <>
      <code>null</code> {!sentence && <span class="tag warn">{reason ?? t('not known')}</span>}{' '}
      <span class="small muted">{sentence ? reason : reason && whyText(reason)}</span>
    </>
  );
}
