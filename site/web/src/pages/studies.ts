// The lines of indicators, as the API states them.
import { t } from '../site/words';

export const STUDIES = {
  sma20: 'SMA 20',
  sma50: 'SMA 50',
  sma200: 'SMA 200',
  ema20: 'EMA 20',
  bbands: 'Bollinger bands',
  rsi: 'RSI',
  macd: 'MACD',
} as const;
export type Study = keyof typeof STUDIES;

/** A line of an indicator: the exact value at each bar, in the pane of prices or in one of its own. */
export interface StudyLine {
  study: Study;
  name: string;
  own: boolean;
  values: Map<string, string | null>;
}

/** A series of an answer. */
export interface SentLine {
  indicator: string;
  component: string | null;
  period: number;
  at: string[];
  value: (string | null)[];
}

/** Why the API has no lines; undefined: it has some. */
export function noLines(market: string, resolution: string, currency: string): string | undefined {
  if (market !== 'BIST') return t('Indicators are those of stocks and ETFs of Borsa Istanbul.');
  if (resolution !== '5m' && resolution !== '1d') return t('Indicators are computed from bars of 5m and 1d.');
  return currency ? t('Indicators are computed in the currency of the stock.') : undefined;
}

/** The parameters of a query; without periods, the API takes its defaults. */
export function selectionOf(studies: Study[]) {
  const periods = [...new Set(studies.flatMap(study => study.match(/\d+/g)?.map(Number) ?? []))];
  return {
    indicators: [...new Set(studies.map(study => study.replace(/\d/g, '').toUpperCase()))],
    ...(periods.length > 0 && { periods }),
  };
}

/** The lines of the chosen indicators, in the order of the choice. */
export function linesOf(studies: Study[], sent: SentLine[]): StudyLine[] {
  return studies.flatMap(study =>
    sent
      .filter(
        one => (/\d/.test(study) ? one.indicator + one.period : one.indicator).toLowerCase() === study && one.component !== 'histogram',
      )
      .map(({ indicator, component, period, at, value }) => ({
        study,
        name:
          indicator === 'MACD'
            ? ['MACD', component].filter(word => word !== 'macd').join(' ')
            : component
              ? `Bollinger ${component}`
              : `${indicator} ${period}`,
        own: study === 'rsi' || study === 'macd',
        values: new Map(at.map((at, n) => [at, value[n]!])),
      })),
  );
}
