import type { Settings } from '../site/settings';

type OfferedTab = NonNullable<Settings['tabs']>[number];

const WELCOME: OfferedTab = {
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

/** The tabs of a first visit. */
export function defaultTabs(offered: Settings['tabs']) {
  const tabs = offered?.length ? offered : [WELCOME];
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
  return query.replace(
    /^((?:\s|#.*\n)*)(?:(query|subscription)\s*(?=[({])|(?=\{))/,
    (_, before, kind = 'query') => `${before}${kind} ${name} `,
  );
}
