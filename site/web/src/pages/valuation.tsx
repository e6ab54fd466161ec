import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { inAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { Num, When } from '../site/figures';
import { fiscal } from '../site/market-names';
import { Table } from '../site/table';
import { atOf, momentOf, Past, type Day } from './known';
import { Why, whyText } from './why';
import { t, written } from '../site/words';

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

/** Whether piyasa computes the figure itself when it has the inputs. */
const computed = ({ nullReason }: Metric) =>
  nullReason !== null && nullReason !== 'not_provided_by_source' && nullReason !== 'zero_in_source';

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
        {t('Valuation')} <Past day={known} />
      </h2>
      <Answer of={answer} label={t('Valuation')}>
        {({ data, errors }) => {
          const valuation = data.instrument?.valuation;
          if (!valuation) return <p class="muted">{errors[0]?.message ?? t('There is none: valuations exist for companies.')}</p>;
          return (
            <>
              <Table
                label={t('Metrics')}
                columns={[t('Metric'), t('Value'), t('Source')]}
                take={`/v1/stocks/${id}/valuation?${`${currency && `&currency=${currency}`}${atOf(known)}`.slice(1)}`}
              >
                <tr>
                  <th scope="row">{t('Market cap')}</th>
                  <td>
                    {valuation.marketCap.value === null ? (
                      <Why reason={valuation.marketCap.nullReason} />
                    ) : (
                      <Num text={valuation.marketCap.value} unit={valuation.currency} />
                    )}{' '}
                    {valuation.marketCap.category && <span class="tag">{t(valuation.marketCap.category)}</span>}
                  </td>
                  <td class="muted small nowrap">{valuation.dataDate}</td>
                </tr>
                {Object.entries(METRICS).map(([name, [title, unit]]) => {
                  const metric = valuation[name as keyof typeof METRICS];
                  return (
                    <tr key={name} data-metric={name}>
                      <th scope="row">{t(title)}</th>
                      <td>
                        {metric.value === null ? (
                          <Why reason={metric.nullReason} />
                        ) : (
                          <Num text={metric.value} unit={unit === 'money' ? valuation.currency : unit} />
                        )}
                        {(metric.inputs.length > 0 || metric.note) && <Inputs metric={metric} />}
                      </td>
                      <td class="muted small nowrap">
                        {(metric.sourcePeriod && fiscal(metric.sourcePeriod)) ?? t(computed(metric) ? 'computed' : 'the source')}
                        {metric.periodEnd && <br />}
                        {metric.periodEnd && t('to {day}', { day: metric.periodEnd })}
                      </td>
                    </tr>
                  );
                })}
              </Table>
              <p class="small muted">
                {valuation.source && `${t('Market cap and P/E as {source} states them.', { source: valuation.source })} `}
                {valuation.asOf && (
                  <>
                    {t('Computed')} <When at={valuation.asOf} />.{' '}
                  </>
                )}
                {valuation.fxRate && `${t('Converted at {rate}.', { rate: written(valuation.fxRate) })} `}
                {valuation.disclaimer && t(valuation.disclaimer)}
              </p>
              {valuation.coverageFrom && <DayByDay id={id} known={known} />}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

/** The history of market cap and P/E. It needs a request and a part of the script, so it is loaded when the visitor opens it. */
function DayByDay({ id, known }: { id: string; known: Day }) {
  const [Part, setPart] = useState<ComponentType<{ id: string; known: Day }>>();
  const [named] = useState(() => inAddress('days') !== null || inAddress('drawn') !== null);
  return (
    <details class="more" open={named} onToggle={() => void import('./history').then(({ Days }) => setPart(() => Days))}>
      <summary>{t('Market cap and P/E day by day')}</summary>
      {Part && <Part id={id} known={known} />}
    </details>
  );
}

function Inputs({ metric }: { metric: Metric }) {
  return (
    <details class="more small">
      <summary>{metric.value === null ? t('Why is this null?') : t('How it is computed')}</summary>
      <div>
        {metric.nullReason && <p>{whyText(metric.nullReason)}</p>}
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
