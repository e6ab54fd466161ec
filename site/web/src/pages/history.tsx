import { useMemo } from 'preact/hooks';
import { useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { Choice } from './choice';
import { before, extentOf, today } from './extent';
import { atOf, momentOf, type Day } from './known';
import { Plot } from './plot';
import { t } from '../site/words';
import { missingText } from './why';

const HISTORY = `query ValuationHistory($id: ID!, $from: Date, $to: Date, $knownAt: DateTime) {
  valuationHistory(id: $id, from: $from, to: $to, knownAt: $knownAt) { currency points { date marketCap peRatio } missingReason { message } }
}`;

interface History {
  currency: string;
  points: { date: string; marketCap: string | null; peRatio: string | null }[];
  missingReason: { message: string } | null;
}

const RANGES = { '91': '3 months', '365': '1 year' } as const;
const DRAWN = { peRatio: 'P/E', marketCap: 'Market cap' } as const;

/** Market cap and P/E of a company day by day. */
export function Days({ id, known }: { id: string; known: Day }) {
  const [range, setRange] = useInAddress<keyof typeof RANGES>('days', '365', RANGES);
  const [drawn, setDrawn] = useInAddress<keyof typeof DRAWN>('drawn', 'peRatio', DRAWN);
  const answer = useAnswer(
    async signal => {
      const until = (to: string | undefined) =>
        ask<{ valuationHistory: History | null }>(
          HISTORY,
          { id, from: before(to ?? today(), Number(range)), to, knownAt: momentOf(known) },
          signal,
        );
      let { data, errors } = await until(known || undefined);
      if (data.valuationHistory && !data.valuationHistory.points.length && !known) {
        const extent = await extentOf(id, signal); // the days end with its prices
        if (extent) ({ data, errors } = await until(extent.last));
      }
      return { history: data.valuationHistory, errors };
    },
    [id, range, known],
  );
  const history = answer.value?.history;
  const days = useMemo(() => history?.points.map(({ date }) => date) ?? [], [history]);
  const lines = useMemo(
    () => [
      { name: DRAWN.peRatio, unit: '', figures: history?.points.map(({ peRatio }) => peRatio) ?? [] },
      { name: DRAWN.marketCap, unit: history?.currency ?? '', figures: history?.points.map(({ marketCap }) => marketCap) ?? [] },
    ],
    [history],
  );
  return (
    <div>
      <div class="row">
        <Choice label={t('Drawn')} of={DRAWN} value={drawn} choose={setDrawn} />
        <div class="end">
          <Choice label={t('Range of days')} of={RANGES} value={range} choose={setRange} />
        </div>
      </div>
      <Answer of={answer} label={t('Days')}>
        {({ errors }) => (
          <>
            {days.length > 0 && (
              <Plot
                days={days}
                lines={lines}
                drawn={drawn === 'peRatio' ? 0 : 1}
                path={`/v1/stocks/${id}/valuation/history?from=${days[0]}&to=${days.at(-1)}${atOf(known)}`}
              />
            )}
            {!days.length && !history?.missingReason && <p class="muted">{errors[0]?.message ?? t('No days are stored.')}</p>}
            {history?.missingReason && <p class="small muted">{missingText(history.missingReason)}</p>}
          </>
        )}
      </Answer>
    </div>
  );
}
