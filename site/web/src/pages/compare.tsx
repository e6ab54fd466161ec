import { render } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { inAddress, putInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf, Search } from '../site/catalog';
import { direction, Num, When } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import { Sections } from '../site/sections';
import { spoken, t } from '../site/words';
import { Choice } from './choice';
import { whyText } from './why';

/** The most instruments beside each other. */
const MOST = 10;

interface Metric {
  value: string | null;
  nullReason: string | null;
}

const METRICS = ['marketCap', 'peRatio', 'pbRatio', 'ev', 'ebitdaTtm', 'evEbitda', 'epsGrowthPct', 'peg'] as const;

interface Compared {
  instrumentId: string;
  name: string | null;
  currency: string | null;
  quote: { last: string; currency: string; changePct: string | null; asOf: string } | null;
  periodic: { windows: { window: string; changePct: string | null; nullReason: string | null }[] } | null;
  valuation: ({ currency: string } & Record<(typeof METRICS)[number], Metric>) | null;
}

const QUERY = `query Compare($ids: [ID!]!, $currency: Currency) {
  watchlist(ids: $ids) {
    instrumentId name currency
    quote(currency: $currency) { last currency changePct asOf }
    periodic(currency: $currency) { windows { window changePct nullReason } }
    valuation(currency: $currency) { currency ${METRICS.map(name => `${name} { value nullReason }`).join(' ')} }
  }
}`;

interface Line {
  key: string;
  name: string;
  figure: (of: Compared) => Partial<Metric> | null | undefined;
  change?: boolean;
}

const lines = (): Line[] => [
  { key: 'last', name: t('Last'), figure: of => of.quote && { value: `${of.quote.last}` } },
  { key: 'currency', name: t('Currency'), figure: of => ({ value: of.quote?.currency ?? of.currency }) },
  { key: 'day', name: t('Day, %'), figure: of => of.quote && { value: of.quote.changePct }, change: true },
  ...['1w', '1m', '3m', '6m', '1y'].map((window): Line => {
    const name = { '1w': t('1 week, %'), '1m': t('1 month, %'), '3m': t('3 months, %'), '6m': t('6 months, %'), '1y': t('1 year, %') }[
      window
    ]!;
    return {
      key: window,
      name,
      change: true,
      figure: of => {
        const found = of.periodic?.windows.find(row => row.window === window);
        return found && { value: found.changePct, nullReason: found.nullReason };
      },
    };
  }),
  { key: 'marketCap', name: t('Market cap'), figure: of => of.valuation?.marketCap },
  { key: 'ev', name: t('Enterprise value'), figure: of => of.valuation?.ev },
  { key: 'ebitdaTtm', name: t('EBITDA, 12 months'), figure: of => of.valuation?.ebitdaTtm },
  { key: 'peRatio', name: t('P/E'), figure: of => of.valuation?.peRatio },
  { key: 'pbRatio', name: t('P/B'), figure: of => of.valuation?.pbRatio },
  { key: 'evEbitda', name: t('EV/EBITDA'), figure: of => of.valuation?.evEbitda },
  { key: 'epsGrowthPct', name: t('Growth, %'), figure: of => of.valuation?.epsGrowthPct, change: true },
  { key: 'peg', name: t('PEG'), figure: of => of.valuation?.peg },
];

const CURRENCIES = { '': '', TRY: 'TRY', USD: 'USD', EUR: 'EUR' };

function Page() {
  const [ids, setIds] = useState(inAddress('ids')?.split(',').slice(0, MOST) ?? []);
  const [currency, setCurrency] = useState<keyof typeof CURRENCIES>((inAddress('currency') as keyof typeof CURRENCIES) ?? '');
  const variables = { ids, currency: currency || null };
  const answer = useAnswer(
    async signal => (ids.length ? (await ask<{ watchlist: (Compared | null)[] }>(QUERY, variables, signal)).data.watchlist : []),
    [ids, currency],
    60,
  );
  const change = (next: string[]) => {
    putInAddress({ ids: next.join(',') });
    setIds(next);
  };
  const found = useMemo(() => answer.value?.filter(row => row !== null) ?? [], [answer.value]);
  const columns = useMemo<Col<Line>[]>(
    () => [
      { key: 'figure', name: t('Figure'), text: line => line.name },
      ...found.map((of): Col<Line> => ({
        key: of.instrumentId,
        name: of.instrumentId,
        right: true,
        text: line => line.figure(of)?.value,
        cell: line => {
          const { value, nullReason } = line.figure(of) ?? {};
          if (!value)
            return (
              <span class="muted" title={nullReason ? whyText(nullReason) : undefined}>
                –
              </span>
            );
          return (
            <span class={line.change ? direction(value) : ''}>
              <Num text={value} />
            </span>
          );
        },
      })),
    ],
    [found],
  );
  const first = ids[0];
  return (
    <>
      <Sections title={t('Compare')} />
      <section class="card compare" aria-labelledby="compare">
        <div class="row">
          <h2 id="compare" class="unseen">
            {t('Compare')}
          </h2>
          <Search action={{ label: t('Add'), take: id => !ids.includes(id) && ids.length < MOST && change([...ids, id]) }} />
          <span class="end">
            <Choice
              label={t('Currency')}
              of={{ ...CURRENCIES, '': t('own') }}
              value={currency}
              choose={currency => {
                putInAddress({ currency });
                setCurrency(currency);
              }}
            />
          </span>
        </div>
        {ids.length > 0 && (
          <ul class="row chosen">
            {ids.map(id => (
              <li key={id} class="tag">
                <a href={pageOf(id)}>{found.find(row => row.instrumentId === id)?.name ?? id}</a>{' '}
                <button
                  type="button"
                  aria-label={t('Remove {name}', { name: id })}
                  onClick={() => change(ids.filter(other => other !== id))}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        )}
        {ids.length === 0 && <p class="muted">{t('Search for instruments and add them: their figures stand beside each other.')}</p>}
        <Answer of={answer} label={t('Figures')}>
          {() =>
            found.length ? (
              <>
                <Grid
                  id="compare"
                  label={t('Figures')}
                  columns={columns}
                  rows={lines()}
                  rowKey={line => line.key}
                  request={requestOf(QUERY, variables)}
                />
                <p class="small muted">
                  {first && (
                    <a href={`${pageOf(first)}?compare=${ids.slice(1, 5).join(',')}${currency ? `&currency=${currency}` : ''}`}>
                      {t('Their prices in one chart')}
                    </a>
                  )}{' '}
                  {t('Quotes were observed:')}{' '}
                  {found.map((row, n) =>
                    row.quote ? (
                      <span key={row.instrumentId}>
                        {n ? ', ' : ''}
                        {row.instrumentId} <When at={row.quote.asOf} />
                      </span>
                    ) : null,
                  )}
                </p>
              </>
            ) : null
          }
        </Answer>
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
