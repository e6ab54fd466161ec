import { GraphiQL } from 'graphiql';
import { useCallback, useMemo, useState } from 'react';
import { createFetcher } from './fetcher';
import { KeyBar } from './KeyBar';
import { defaultTabs, type Settings } from './settings';
import { hasOwnTabs, savedKey, storage } from './storage';
import { Upkeep } from './Upkeep';

export function App({ settings }: { settings: Settings }) {
  // A key from the server wins: the demo makes a new one at each start.
  const [key, setKey] = useState(() => settings.key || savedKey.get());
  const [refusedKey, setRefusedKey] = useState<string>();

  const changeKey = useCallback((newKey: string) => {
    savedKey.set(newKey);
    setKey(newKey);
  }, []);

  // A new fetcher makes GraphiQL fetch the schema again.
  const fetcher = useMemo(
    () => createFetcher(key, status => setRefusedKey(status === 401 ? key : undefined)),
    [key],
  );

  const [start] = useState(() => {
    const tabs = defaultTabs(settings);
    // GraphiQL opens the first default tab without its variables.
    const initialVariables = hasOwnTabs(tabs) ? undefined : (tabs[0].variables ?? undefined);
    const tools = tabs.some(tab => tab.variables) ? ('variables' as const) : undefined;
    return { defaultTabs: tabs, initialVariables, defaultEditorToolsVisibility: tools };
  });

  return (
    <>
      <KeyBar apiKey={key} refused={refusedKey === key} onChange={changeKey} />
      <main>
        <GraphiQL fetcher={fetcher} storage={storage} {...start}>
          <Upkeep />
        </GraphiQL>
      </main>
    </>
  );
}
