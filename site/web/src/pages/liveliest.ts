import { useAnswer, type Waiting } from '../site/answer';
import { ask, Failure } from '../site/api';
import { apiKey } from '../site/key';
import { settings } from '../site/settings';
import { t } from '../site/words';
import { shownList } from './lists';

const MARKETS = ['BIST', 'FX', 'CRYPTO', 'INDEX', 'CMDTY', 'US', 'FUND'];
const CHOSEN = `query Choose { ${MARKETS.map(
  m => `${m}: instruments(market: ${m}, limit: 1000) { instruments { instrumentId coverageFrom quote { asOf turnover volume } } }`,
).join(' ')} }`;

interface Candidate {
  instrumentId: string;
  coverageFrom: string | null;
  quote: { asOf: string; turnover: string | null; volume: string | null } | null;
}

/** The most alive instruments of this server: in each market those with the freshest quotes, and of those the most traded. */
function liveliest(markets: Candidate[][]): string[] {
  const size = (of: Candidate) => Number(of.quote?.turnover ?? of.quote?.volume ?? 0);
  const day = (of: Candidate) => of.quote?.asOf.slice(0, 10) ?? '';
  const ranked = markets.map(list =>
    list
      .filter(one => one.quote ?? one.coverageFrom)
      .sort((a, b) => day(b).localeCompare(day(a)) || size(b) - size(a) || Number(!a.coverageFrom) - Number(!b.coverageFrom)),
  );
  const quoted = ranked.flatMap(list => list.filter(({ quote }) => quote).slice(0, 4));
  const chosen = quoted.length ? quoted : ranked.flatMap(list => list.slice(0, 2)); // some servers have only bars
  return chosen.map(({ instrumentId }) => instrumentId);
}

/** The ids of the list that is shown: its own, those that the server offers, or the most alive ones. */
export function useIds(empty: boolean): Waiting<string[] | undefined> {
  const offered = shownList().ids ?? settings.watchlist;
  const chosen = useAnswer(
    async signal => {
      if (offered || !apiKey.value) return undefined;
      const { data, errors } = await ask<Record<string, { instruments: Candidate[] } | null>>(CHOSEN, {}, signal);
      const markets = Object.values(data);
      if (errors[0] && markets.every(list => !list)) throw new Failure(errors[0].message, 422, t('Failed'));
      return liveliest(markets.map(list => list?.instruments ?? []));
    },
    [!offered, empty],
  );
  return offered ? { ...chosen, value: offered, failure: undefined } : chosen;
}
