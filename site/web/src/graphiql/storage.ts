import type { Storage } from '@graphiql/toolkit';
import { inBrowser } from '../site/stored';

// Another GraphiQL on the same host and port keeps its own state apart.
const PREFIX = 'piyasa:';
const TABS = 'graphiql:tabState';
const OFFERED = 'offeredTabs';

// GraphiQL reads these lists without a doubt, and shows nothing at all if they are anything else.
const LISTS = ['queries', 'favorites'];

/** Whether a stored text is a list as GraphiQL stores it. */
function isList(name: string, text: string): boolean {
  try {
    const items: unknown = JSON.parse(text)[name];
    return Array.isArray(items) && items.every(isItem);
  } catch {
    return false;
  }
}

const isItem = (item: unknown) =>
  !!item && typeof item === 'object' && 'query' in item && Object.values(item).every(value => typeof value !== 'object' || value === null);

const keys = () => inBrowser.keys().filter(key => key.startsWith(PREFIX));

/** GraphiQL's state in the browser. */
export const storage: Storage = {
  getItem: key => {
    const text = inBrowser.get(PREFIX + key);
    const list = LISTS.find(name => key === `graphiql:${name}`);
    return text && list && !isList(list, text) ? null : text;
  },
  setItem: (key, value) => inBrowser.set(PREFIX + key, value),
  removeItem: key => inBrowser.remove(PREFIX + key),
  clear: () => keys().forEach(inBrowser.remove),
  get length() {
    return keys().length;
  },
};

interface Tab {
  query: string | null;
  variables: string | null;
}

const texts = (tabs: Tab[]) => JSON.stringify(tabs.map(({ query, variables }) => [query ?? '', variables ?? '']));

/**
 * Tells whether the user has tabs of their own. GraphiQL saves the default tabs as well; as long as
 * nobody has edited them, the tabs offered now replace them.
 */
export function hasOwnTabs(offered: Tab[]): boolean {
  const before = storage.getItem(OFFERED);
  storage.setItem(OFFERED, texts(offered));
  const saved = storage.getItem(TABS);
  if (!saved) return false;
  try {
    if (texts(JSON.parse(saved).tabs) !== before) return true;
  } catch {
    // Not readable: treated as if nothing were saved.
  }
  for (const key of ['tabState', 'query', 'variables']) storage.removeItem(`graphiql:${key}`);
  return false;
}
