// The lines of indicators, for pixels: figures to read are the API's.
import { BollingerBands, EMA, MACD, RSI, SMA } from 'trading-signals';
import type { Study } from './bars';

/** A line of an indicator: a number for each close, null before there are enough, in the pane of prices or in one of its own. */
export interface StudyLine {
  study: Study;
  name: string;
  own: boolean;
  values: (number | null)[];
}

/** What an indicator says after each close; a close that is not known changes nothing. */
function each<Result>(indicator: { update(close: number, replace: false): Result | null }, closes: (number | null)[]): (Result | null)[] {
  return closes.map(close => (close === null ? null : indicator.update(close, false)));
}

export function linesOf(study: Study, closes: (number | null)[]): StudyLine[] {
  const line = (name: string, values: (number | null)[], own = false) => ({ study, name, own, values });
  const period = Number(study.replace(/\D/g, ''));
  if (study === 'rsi') return [line('RSI 14', each(new RSI(14), closes), true)];
  if (study === 'macd') {
    const all = each(new MACD(new EMA(12), new EMA(26), new EMA(9)), closes);
    return [
      line(
        'MACD',
        all.map(at => at?.macd ?? null),
        true,
      ),
      line(
        'MACD signal',
        all.map(at => at?.signal ?? null),
        true,
      ),
    ];
  }
  if (study === 'bbands') {
    const all = each(new BollingerBands(20, 2), closes);
    return (['upper', 'middle', 'lower'] as const).map(edge =>
      line(
        `Bollinger ${edge}`,
        all.map(at => at?.[edge] ?? null),
      ),
    );
  }
  return [line(`${study.slice(0, 3).toUpperCase()} ${period}`, each(study.startsWith('sma') ? new SMA(period) : new EMA(period), closes))];
}
