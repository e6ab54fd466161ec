import { useEffect, useState } from 'preact/hooks';
import { Trouble, useAnswer } from './answer';
import { ask } from './api';

interface Found {
  instrumentId: string;
  name: string | null;
  ticker: string | null;
  assetType: string;
}

const SEARCH = `query Search($text: String!) { instruments(search: $text, limit: 8) { instruments { instrumentId name ticker assetType } } }`;

/** The page of an instrument. */
export const pageOf = (id: string) => `/instruments/${encodeURIComponent(id).replaceAll('%3A', ':')}`;

/** A field that finds instruments. */
export function Search({ action }: { action?: { label: string; take: (id: string) => void } }) {
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form role="search" class="search" onSubmit={event => (event.preventDefault(), setText(typed.trim()))}>
      <label>
        <span class="unseen">Find an instrument</span>
        <input
          type="search"
          placeholder="Find an instrument: name, symbol or ticker"
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
          onKeyDown={event => event.key === 'Escape' && setTyped('')}
          autocomplete="off"
          spellcheck={false}
          maxLength={100}
        />
      </label>
      {text && typed && <Results text={text} action={action} />}
    </form>
  );
}

function Results({ text, action }: { text: string; action?: { label: string; take: (id: string) => void } }) {
  const { value, failure, again } = useAnswer(signal => ask<{ instruments: { instruments: Found[] } }>(SEARCH, { text }, signal), [text]);
  if (failure) return <Trouble failure={failure} again={again} />;
  const found = value?.data.instruments.instruments;
  return (
    <div class="results">
      <p class="unseen" role="status">
        {found ? `${found.length} found` : ''}
      </p>
      {!found && <p class="muted">Searching …</p>}
      {found?.length === 0 && <p class="muted">Nothing in the catalog matches “{text}”.</p>}
      <ul>
        {found?.map(({ instrumentId, name, ticker }) => (
          <li key={instrumentId} class="row">
            <a href={pageOf(instrumentId)}>{name ?? instrumentId}</a>
            <code>{instrumentId}</code>
            {ticker && <span class="tag">{ticker}</span>}
            {action && (
              <button type="button" class="end" onClick={() => action.take(instrumentId)}>
                {action.label} <span class="unseen">{name ?? instrumentId}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
