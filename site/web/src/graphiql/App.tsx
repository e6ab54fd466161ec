/** @jsxImportSource react */
import { GraphiQL } from 'graphiql';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { apiKey, noteStatus, refusedKey } from '../site/key';
import { settings } from '../site/settings';
import { askForKey } from '../site/site';
import { createFetcher } from './fetcher';
import { hasOwnTabs, storage } from './storage';
import { defaultTabs } from './tabs';
import { Upkeep } from './Upkeep';

const subscribe = (changed: () => void) => apiKey.subscribe(changed);

export function App() {
  const key = useSyncExternalStore(subscribe, () => apiKey.value);
  useEffect(() => {
    if (!apiKey.value) askForKey();
    return refusedKey.subscribe(refused => refused && askForKey());
  }, []);

  // A new fetcher makes GraphiQL fetch the schema again.
  const fetcher = useMemo(() => createFetcher(key, status => noteStatus(status, key)), [key]);

  const [start] = useState(() => {
    const tabs = defaultTabs(settings.tabs);
    // GraphiQL opens the first default tab without its variables.
    const initialVariables = hasOwnTabs(tabs) ? undefined : (tabs[0].variables ?? undefined);
    const tools = tabs.some(tab => tab.variables) ? ('variables' as const) : undefined;
    return { defaultTabs: tabs, initialVariables, defaultEditorToolsVisibility: tools };
  });

  return (
    <GraphiQL fetcher={fetcher} storage={storage} {...start}>
      <Upkeep />
    </GraphiQL>
  );
}
