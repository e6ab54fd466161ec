// Which instruments a market, an index or a sector has.
import { ask, askAll, Failure } from '../site/api';
import type { MarketSize } from '../site/market-names';
import { t } from '../site/words';

/** The most instruments that a page goes through, since each costs a request unit. */
const MOST = 1000;

/** How many instruments one request asks for. */
export const AT_ONCE = 100;

export interface Members {
  some: { id: string; name: string | null }[];
  all: number;
}

/** The instruments of a group: market:bist, index:XU030 or sector:CODE. */
export async function members(of: string, signal: AbortSignal): Promise<Members> {
  const [kind, code] = [of.slice(0, of.indexOf(':')), of.slice(of.indexOf(':') + 1)];
  if (kind === 'market') {
    const { instruments } = await askAll<{
      instruments: { instruments: { instrumentId: string; name: string | null }[]; marketSizes: MarketSize[] };
    }>(
      `query Members($market: Market!) { instruments(market: $market, limit: ${MOST}) { instruments { instrumentId name } marketSizes { market size } } }`,
      { market: code.toUpperCase() },
      signal,
    );
    const all = instruments.marketSizes.find(row => row.market.toLowerCase() === code)?.size ?? 0;
    return { some: instruments.instruments.map(row => ({ id: row.instrumentId, name: row.name })), all };
  }
  const list = kind === 'index' ? 'indexConstituents' : 'sectorConstituents';
  const query = `query Members($code: String!) { ${list}(code: $code) { constituents { instrumentId name } } }`;
  const { data, errors } = await ask<Record<string, { constituents: { instrumentId: string; name: string | null }[] } | null>>(
    query,
    { code },
    signal,
  );
  if (!data[list]) throw new Failure(errors[0]?.message ?? '', 404, t('There is no such list'));
  const all = data[list]!.constituents.map(row => ({ id: row.instrumentId, name: row.name }));
  return { some: all.slice(0, MOST), all: all.length };
}
