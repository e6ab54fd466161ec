import { useMemo, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { Choice } from './choice';
import { Plot } from './plot';

const HISTORY = `query ValuationHistory($id: ID!, $from: Date) {
  valuationHistory(id: $id, from: $from) { currency points { date marketCap peRatio } missingReason { message } }
}`;

interface History {
  currency: string;
  points: { date: string; marketCap: string | null; peRatio: string | null }[];
  missingReason: { message: string } | null;
}

const RANGES = { '91': '3 months', '365': '1 year' } as const;
const DRAWN = { peRatio: 'P/E', marketCap: 'Market cap' } as const;

/** Market cap and P/E of a company day by day. */
export function Days({ id }: { id: string }) {
  const [range, setRange] = useState<keyof typeof RANGES>('365');
  const [drawn, setDrawn] = useState<keyof typeof DRAWN>('peRatio');
  const answer = useAnswer(
    async signal => {
      const from = new Date(Date.now() - Number(range) * 86_400_000).toISOString().slice(0, 10);
      const { data, errors } = await ask<{ valuationHistory: History | null }>(HISTORY, { id, from }, signal);
      return { history: data.valuationHistory, errors };
    },
    [id, range],
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
        <Choice label="Drawn" of={DRAWN} value={drawn} choose={setDrawn} />
        <div class="end">
          <Choice label="Range of days" of={RANGES} value={range} choose={setRange} />
        </div>
      </div>
      <Answer of={answer} label="Days">
        {({ errors }) => (
          <>
            {days.length > 0 && <Plot days={days} lines={lines} drawn={drawn === 'peRatio' ? 0 : 1} />}
            {!days.length && !history?.missingReason && <p class="muted">{errors[0]?.message ?? 'No days are stored.'}</p>}
            {history?.missingReason && <p class="small muted">{history.missingReason.message}</p>}
          </>
        )}
      </Answer>
    </div>
  );
}
