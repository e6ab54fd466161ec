// The markets by the names that people know them by.
import { t } from './words';

export interface MarketSize {
  market: string;
  size: number;
}

const NAMES: Record<string, string> = {
  BIST: 'Borsa Istanbul',
  CRYPTO: 'Crypto',
  FX: 'Currencies',
  INDEX: 'World indices',
  CMDTY: 'Commodities',
  US: 'US equities',
  FUND: 'Turkish funds',
};

export const marketName = ({ market }: MarketSize): string => t(NAMES[market] ?? market);

/** The members of a market as the screener's address names them. */
export const membersOf = ({ market }: MarketSize): string => `market:${market.toLowerCase()}`;
