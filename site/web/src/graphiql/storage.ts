import type { Storage } from '@graphiql/toolkit';

// Another GraphiQL on the same host and port keeps its own state apart.
const PREFIX = 'piyasa:';
const TABS = 'graphiql:tabState';
const OFFERED = 'offeredTabs';

const keys = () => Object.keys(localStorage).filter(key => key.startsWith(PREFIX));

/** GraphiQL's state in localStorage. */
export const storage: Storage = {
  getItem: key => localStorage.getItem(PREFIX + key),
  setItem: (key, value) => localStorage.setItem(PREFIX + key, value),
  removeItem: key => localStorage.removeItem(PREFIX + key),
  clear: () => keys().forEach(key => localStorage.removeItem(key)),
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
