import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { Num, When } from '../site/figures';
import { momentOf, Past, type Day } from './known';

/** What the reasons of nulls mean. */
const REASONS: Record<string, string> = {
  not_provided_by_source: 'The source states no figure.',
  zero_in_source: 'The source states 0, which means that it has none.',
  missing_input: 'A figure that the formula needs is missing, null or zero in the statement.',
  missing_input_period: 'A statement that the formula needs was not filed.',
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
  needs_high_low: 'It needs highs and lows, which daily bars of this market lack.',
};

/** A null, and why. */
export function Why({ reason }: { reason: string | null }) {
  return (
    <>
      <code>null</code> <span class="tag warn">{reason ?? 'not known'}</span> <span class="small muted">{reason && REASONS[reason]}</span>
    </>
  );
}

interface Metric {
  value: string | null;
  nullReason: string | null;
  sourcePeriod: string | null;
  periodEnd: string | null;
  inputs: { name: string; value: string | null }[];
  note: string | null;
}

const METRICS = {
  peRatio: ['P/E', ''],
  pbRatio: ['P/B', ''],
  ebitda: ['EBITDA', 'money'],
  netDebt: ['Net debt', 'money'],
  ev: ['Enterprise value', 'money'],
  ebitdaTtm: ['EBITDA, twelve months', 'money'],
  evEbitda: ['EV/EBITDA', ''],
  epsGrowthPct: ['Profit growth', '%'],
  peg: ['PEG', ''],
} as const;

const VALUATION = `query Valuation($id: ID!, $currency: Currency, $knownAt: DateTime) {
  instrument(id: $id) { valuation(currency: $currency, knownAt: $knownAt) {
    currency source asOf dataDate coverageFrom fxRate fxAsOf disclaimer marketCap { value category nullReason }
    ${Object.keys(METRICS)
      .map(name => `${name} { value nullReason sourcePeriod periodEnd inputs { name value } note }`)
      .join(' ')}
  } }
}`;

type ValuationData = {
  currency: string;
  source: string | null;
  asOf: string | null;
  dataDate: string | null;
  coverageFrom: string | null;
  fxRate: string | null;
  disclaimer: string | null;
  marketCap: { value: string | null; category: string | null; nullReason: string | null };
} & Record<keyof typeof METRICS, Metric>;

/** Ratios of a company with their inputs, and why some are null. */
export function Valuation({ id, currency, known }: { id: string; currency: string; known: Day }) {
  const answer = useAnswer(
    signal =>
      ask<{ instrument: { valuation: ValuationData | null } }>(
        VALUATION,
        { id, currency: currency || null, knownAt: momentOf(known) },
        signal,
      ),
    [id, currency, known],
    60,
  );
  return (
    <section class="card valued" aria-labelledby="valuation">
      <h2 id="valuation">
        Valuation <Past day={known} />
      </h2>
      <Answer of={answer} label="Valuation">
        {({ data, errors }) => {
          const valuation = data.instrument?.valuation;
          if (!valuation) return <p class="muted">{errors[0]?.message ?? 'There is none: valuations exist for companies.'}</p>;
          return (
            <>
              <div class="scroll" tabIndex={0} role="group" aria-label="Metrics">
                <table aria-label="Metrics">
                  <thead>
                    <tr>
                      <th scope="col">Metric</th>
                      <th scope="col">Figure</th>
                      <th scope="col">From</th>
                    </tr>
                  </thead>
                  <tbody>
                    <tr>
                      <th scope="row">Market cap</th>
                      <td>
                        {valuation.marketCap.value === null ? (
                          <Why reason={valuation.marketCap.nullReason} />
                        ) : (
                          <Num text={valuation.marketCap.value} unit={valuation.currency} />
                        )}{' '}
                        {valuation.marketCap.category && <span class="tag">{valuation.marketCap.category}</span>}
                      </td>
                      <td class="muted small nowrap">{valuation.dataDate}</td>
                    </tr>
                    {Object.entries(METRICS).map(([name, [title, unit]]) => {
                      const metric = valuation[name as keyof typeof METRICS];
                      return (
                        <tr key={name} data-metric={name}>
                          <th scope="row">{title}</th>
                          <td>
                            {metric.value === null ? (
                              <Why reason={metric.nullReason} />
                            ) : (
                              <Num text={metric.value} unit={unit === 'money' ? valuation.currency : unit} />
                            )}
                            {(metric.inputs.length > 0 || metric.note) && <Inputs metric={metric} />}
                          </td>
                          <td class="muted small nowrap">
                            {metric.sourcePeriod ?? 'the source'}
                            {metric.periodEnd && <br />}
                            {metric.periodEnd && `to ${metric.periodEnd}`}
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </div>
              <p class="small muted">
                {valuation.source && `Market cap and P/E as ${valuation.source} states them. `}
                {valuation.asOf && (
                  <>
                    Computed <When at={valuation.asOf} />.{' '}
                  </>
                )}
                {valuation.fxRate && `Converted at ${valuation.fxRate}. `}
                {valuation.disclaimer}
              </p>
              {valuation.coverageFrom && <DayByDay id={id} known={known} />}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

/** The history of market cap and P/E. It costs a request and a part of the script, so it waits until the visitor opens it. */
function DayByDay({ id, known }: { id: string; known: Day }) {
  const [Part, setPart] = useState<ComponentType<{ id: string; known: Day }>>();
  return (
    <details class="more" onToggle={() => void import('./history').then(({ Days }) => setPart(() => Days))}>
      <summary>Market cap and P/E day by day</summary>
      {Part && <Part id={id} known={known} />}
    </details>
  );
}

function Inputs({ metric }: { metric: Metric }) {
  return (
    <details class="more small">
      <summary>{metric.value === null ? 'Why is this null?' : 'How it is computed'}</summary>
      <div>
        {metric.nullReason && <p>{REASONS[metric.nullReason] ?? metric.nullReason}</p>}
        {metric.note && <p>{metric.note}</p>}
        {metric.inputs.length > 0 && (
          <dl class="facts">
            {metric.inputs.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value === null ? <code>null</code> : <Num text={value} />}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </details>
  );
}
