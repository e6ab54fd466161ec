/** What the Go server may write into the page. */
export interface Settings {
  key?: string;
  tabs?: SettingsTab[];
}

export interface SettingsTab {
  title?: string;
  query: string;
  variables?: string;
}

const WELCOME: SettingsTab = {
  query: `# Is the market open? Run this to find out;
# the book icon on the left opens the docs.

query MarketStatus {
  marketStatus {
    state
    asOf
  }
}
`,
};

/** Reads the settings; a page whose placeholder was never replaced has none. */
export function readSettings(): Settings {
  const value: unknown = JSON.parse(document.getElementById('settings')?.textContent || '{}');
  return value !== null && typeof value === 'object' ? value : {};
}

/** The tabs of a first visit. */
export function defaultTabs(settings: Settings) {
  const tabs = settings.tabs?.length ? settings.tabs : [WELCOME];
  return tabs.map(({ title, query, variables }) => ({
    query: withName(query, title),
    variables: variables || null,
  }));
}

/**
 * GraphiQL names a tab after its operation and nothing else, so an anonymous
 * operation gets the title as its name.
 */
function withName(query: string, title = ''): string {
  const name = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ı', 'i')
    .split(/\W+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^\d+/, '');
  if (!name) return query;
  return query.replace(/^((?:\s|#.*\n)*)(?:query\s*(?=[({])|(?=\{))/, `$1query ${name} `);
}
