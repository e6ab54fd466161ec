import { render } from 'preact';
import { useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { askAll } from '../site/api';
import { pageOf } from '../site/catalog';
import { barDay, direction } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import type { MarketSize } from '../site/market-names';
import { Sections } from '../site/sections';
import { spoken, t, writtenDay } from '../site/words';
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
  const orders = { DESC: t('Best'), ASC: t('Worst') };
  const [period, setPeriod] = useInAddress<keyof typeof PERIODS>('period', 'M1', PERIODS);
  const [order, setOrder] = useInAddress<keyof typeof orders>('order', 'DESC', orders);
  const [category, setCategory] = useInAddress<string>('category', '', () => true);
  const variables = { period, order, category: category || null, limit: LIMIT };
  const answer = useAnswer(
    signal =>
      askAll<{
        instruments: { marketSizes: MarketSize[] } | null;
        fundRanking: { items: Fund[]; asOf: string | null; missingReason: { reason: string; message: string } | null };
      }>(RANKING, variables, signal),
    [variables],
  );
  return (
    <>
      <Sections title={t('Funds')} />
      <section class="card" aria-labelledby="ranking">
        <div class="row">
          <h2 id="ranking">{t('Ranking')}</h2>
          {category && (
            <span class="tag">
              {category}{' '}
              <button type="button" aria-label={t('All categories')} onClick={() => setCategory('')}>
                ✕
              </button>
            </span>
          )}
          <span class="end row">
            <Choice label={t('Order')} of={orders} value={order} choose={setOrder} />
            <Choice label={t('Period')} of={PERIODS} value={period} choose={setPeriod} />
          </span>
        </div>
        <Answer of={answer} label={t('Funds')}>
          {({ fundRanking, instruments }) =>
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
                    . {t('The newest figure is of')} {writtenDay(barDay(fundRanking.asOf) ?? '–')}.
                  </>
                }
                columns={columns(setCategory)}
                rows={fundRanking.items}
                rowKey={row => row.code}
                file={`funds-${period}-${order}`.toLowerCase()}
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
