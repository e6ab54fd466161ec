import { useEffect, useState } from 'react';

interface Props {
  apiKey: string;
  /** The server answered 401 to apiKey. */
  refused: boolean;
  onChange: (key: string) => void;
}

/** The bar above GraphiQL: the product's name and the API key. */
export function KeyBar({ apiKey, refused, onChange }: Props) {
  const [text, setText] = useState(apiKey);
  const key = text.trim();

  // Typing is over after a short rest, or at once on Enter and on leaving.
  useEffect(() => {
    const timer = setTimeout(onChange, 600, key);
    return () => clearTimeout(timer);
  }, [key, onChange]);

  return (
    <header className="bar">
      <h1>
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="24" height="24" />
        piyasa
      </h1>
      <form
        onSubmit={event => {
          event.preventDefault();
          onChange(key);
        }}
      >
        <p id="key-hint" aria-live="polite">
          <Hint empty={!key} refused={refused && key === apiKey} />
        </p>
        <label htmlFor="api-key">
          API key
          <input
            id="api-key"
            type="text"
            value={text}
            onChange={event => setText(event.target.value)}
            onBlur={() => onChange(key)}
            aria-describedby="key-hint"
            aria-invalid={refused}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            size={34}
          />
        </label>
      </form>
    </header>
  );
}

function Hint({ empty, refused }: { empty: boolean; refused: boolean }) {
  const command = <code>piyasa keys create</code>;
  if (empty) return <>Enter an API key: {command} makes one</>;
  if (refused) return <>The server refused this key: {command} makes a new one</>;
  return null;
}
