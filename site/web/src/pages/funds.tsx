import { render } from 'preact';
import { useState } from 'preact/hooks';
import { inAddress, putInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf } from '../site/catalog';
import { direction, When } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
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
  fundRanking(period: $period, order: $order, category: $category, limit: $limit) { asOf missingReason { message } items { rank instrumentId code name category returnPct } }
}`;
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
  const variables = { period: period in PERIODS ? period : 'M1', order: order === 'ASC' ? 'ASC' : 'DESC', category, limit: 100 };
  const answer = useAnswer(
    signal =>
      ask<{ fundRanking: { items: Fund[]; asOf: string | null; missingReason: { message: string } | null } }>(RANKING, variables, signal),
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
          {({ data: { fundRanking } }) =>
            fundRanking.items.length ? (
              <Grid
                id="funds"
                label={t('Funds')}
                caption={
                  <>
                    {t('The newest figure is of')} <When at={fundRanking.asOf} />
                  </>
                }
                columns={columns(choose)}
                rows={fundRanking.items}
                rowKey={row => row.code}
                request={requestOf(RANKING, variables)}
              />
            ) : (
              <p class="muted">{missingText(fundRanking.missingReason) ?? t('No fund states a return of this period.')}</p>
            )
          }
        </Answer>
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
