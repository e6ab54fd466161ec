import { render } from 'preact';
import { useState } from 'preact/hooks';
import { inAddress, putInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf } from '../site/catalog';
import { barDay, direction } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import type { MarketSize } from '../site/market-names';
import { Sections } from '../site/sections';
import { spoken, t } from '../site/words';
import { Choice } from './choice';
import { missingText } from './why';

interface Fund {
  rank: number;
  instrumentId: string;
  code: string;
  name: string;
  category: string | null;
  returnPct: string;
}

const RANKING = `query Ranking($period: RankingPeriod!, $order: SortOrder!, $category: String, $limit: Int!) {
  instruments(limit: 1) { marketSizes { market size } }
  fundRanking(period: $period, order: $order, category: $category, limit: $limit) { asOf missingReason { reason message } items { rank instrumentId code name category returnPct } }
}`;
const LIMIT = 100;
const PERIODS = { W1: '1w', W2: '2w', M1: '1m', M3: '3m', M6: '6m', Y1: '1y', Y3: '3y', Y5: '5y' };

const columns = (choose: (category: string) => void): Col<Fund>[] => [
  {
    key: 'fund',
    name: t('Fund'),
    text: row => row.code,
    cell: row => (
      <>
        <a href={pageOf(row.instrumentId)}>{row.code}</a> <span class="muted small">{row.name}</span>
      </>
    ),
  },
  { key: 'rank', name: t('Rank'), number: true, text: row => String(row.rank) },
  {
    key: 'return',
    name: t('Return, %'),
    number: true,
    text: row => row.returnPct,
    cell: (row, aligned) => <span class={direction(row.returnPct)}>{aligned}</span>,
  },
  {
    key: 'category',
    name: t('Category'),
    text: row => row.category,
    cell: row =>
      row.category && (
        <button type="button" class="plain" onClick={() => choose(row.category!)}>
          {row.category}
        </button>
      ),
  },
];

function Page() {
  const [period, setPeriod] = useState((inAddress('period') as keyof typeof PERIODS) ?? 'M1');
  const [order, setOrder] = useState<'DESC' | 'ASC'>((inAddress('order') as 'DESC') ?? 'DESC');
  const [category, setCategory] = useState(inAddress('category'));
  const variables = { period: period in PERIODS ? period : 'M1', order: order === 'ASC' ? 'ASC' : 'DESC', category, limit: LIMIT };
  const answer = useAnswer(
    signal =>
      ask<{
        instruments: { marketSizes: MarketSize[] } | null;
        fundRanking: { items: Fund[]; asOf: string | null; missingReason: { reason: string; message: string } | null };
      }>(RANKING, variables, signal),
    [variables],
  );
  const choose = (category: string | null) => {
    putInAddress({ category });
    setCategory(category);
  };
  return (
    <>
      <Sections title={t('Funds')} />
      <section class="card" aria-labelledby="ranking">
        <div class="row">
          <h2 id="ranking">{t('Ranking')}</h2>
          {category && (
            <span class="tag">
              {category}{' '}
              <button type="button" aria-label={t('All categories')} onClick={() => choose(null)}>
                ✕
              </button>
            </span>
          )}
          <span class="end row">
            <Choice
              label={t('Order')}
              of={{ DESC: t('Best'), ASC: t('Worst') }}
              value={order}
              choose={order => {
                putInAddress({ order });
                setOrder(order);
              }}
            />
            <Choice
              label={t('Period')}
              of={PERIODS}
              value={period}
              choose={period => {
                putInAddress({ period });
                setPeriod(period);
              }}
            />
          </span>
        </div>
        <Answer of={answer} label={t('Funds')}>
          {({ data: { fundRanking, instruments } }) =>
            fundRanking.items.length ? (
              <Grid
                id="funds"
                label={t('Funds')}
                caption={
                  <>
                    {t(
                      fundRanking.items.length < LIMIT
                        ? 'All {count} that state a return of this period'
                        : 'The first {count} of those that state a return of this period',
                      { count: fundRanking.items.length },
                    )}
                    {!category &&
                      instruments &&
                      `, ${t('of {all} funds', { all: instruments.marketSizes.find(row => row.market === 'FUND')?.size ?? 0 })}`}
                    . {t('The newest figure is of')} {barDay(fundRanking.asOf)}.
                  </>
                }
                columns={columns(choose)}
                rows={fundRanking.items}
                rowKey={row => row.code}
                file={`funds-${variables.period}-${variables.order}`.toLowerCase()}
                request={requestOf(RANKING, variables)}
              />
            ) : (
              <p class="muted">
                {fundRanking.missingReason?.reason === 'not_stated'
                  ? t('No fund states a return of this period.')
                  : missingText(fundRanking.missingReason)}
              </p>
            )
          }
        </Answer>
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
