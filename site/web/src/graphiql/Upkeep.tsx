import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef } from 'react';

/** Fixes what GraphiQL leaves undone; draws nothing. */
export function Upkeep() {
  useTurkish();
  useFreshErrors();
  useSystemTheme();
  return null;
}

/** Keeps Monaco from boxing ı and similar letters as suspicious characters. */
function useTurkish() {
  const query = useGraphiQL(state => state.queryEditor);
  const variables = useGraphiQL(state => state.variableEditor);
  const response = useGraphiQL(state => state.responseEditor);
  useEffect(() => {
    for (const editor of [query, variables, response]) {
      editor?.updateOptions({ unicodeHighlight: { ambiguousCharacters: false } });
    }
  }, [query, variables, response]);
}

/** Removes the error of a failed schema request from the answer pane once it is out of date. */
function useFreshErrors() {
  const fetchError = useGraphiQL(state => state.fetchError);
  const responseEditor = useGraphiQL(state => state.responseEditor);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (!fetchError && shown.current && responseEditor?.getValue() === shown.current) {
      responseEditor.setValue('');
    }
    shown.current = fetchError;
  }, [fetchError, responseEditor]);
}

/** Lets the editors follow the system when it changes between light and dark. */
function useSystemTheme() {
  const theme = useGraphiQL(state => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    if (theme !== null) return;
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(null);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [theme, setTheme]);
}
