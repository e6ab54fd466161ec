// The markets by the names that people know them by.
import { t } from './words';

export interface MarketSize {
  market: string;
  size: number;
}

const TYPES: Record<string, string> = {
  STOCK: 'stock',
  ETF: 'ETF',
  FUND: 'fund',
  FX: 'currency pair',
  INDEX: 'index',
  COMMODITY: 'commodity',
  CRYPTO: 'coin',
};

/** What an instrument is, in words. */
export const typeName = (assetType: string): string => t(TYPES[assetType] ?? assetType.toLowerCase());

/** The period of a report as its source names it, such as 9 Aylık, in the language of the page. */
export function periodName(period: string | null): string {
  const months = /^(\d+) (?:Ay|Month)/i.exec(period ?? '')?.[1];
  return months ? t('{count} months', { count: months }) : /^(?:Yıllık|Annual)/i.test(period ?? '') ? t('annual') : (period ?? '');
}

/** A fiscal period such as 2025 FY or quarterly#2026-09, in words. */
export const fiscal = (period: string): string => period.replace(/\b(FY|TTM|H1|9M|annual|quarterly|ttm)\b/g, name => t(name));

/** The name of a window such as 1w. */
export const windowName = (window: string): string => {
  const [, count, unit] = /^(\d+)([dwmy])$/.exec(window) ?? [];
  return unit ? t(`{count}${unit}`, { count: count! }) : t(window);
};

const NAMES: Record<string, string> = {
  BIST: 'Borsa Istanbul',
  CRYPTO: 'Crypto',
  FX: 'Currencies',
  INDEX: 'World indices',
  CMDTY: 'Commodities',
  US: 'US equities',
  FUND: 'Turkish funds',
};

export const marketName = ({ market }: { market: string }): string => t(NAMES[market] ?? market);

/** The members of a market as the screener's address names them. */
export const membersOf = ({ market }: MarketSize): string => `market:${market.toLowerCase()}`;
