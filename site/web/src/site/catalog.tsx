import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Trouble, useAnswer } from './answer';
import { askAll } from './api';
import { t } from './words';
import { inBrowser } from './stored';

interface Found {
  instrumentId: string;
  name: string | null;
  ticker: string | null;
  assetType: string;
}

const SEARCH = `query Search($text: String!) {
  instruments(search: $text, ranked: true, limit: 8) { instruments { instrumentId name ticker assetType } }
}`;

/** The page of an instrument. */
export const pageOf = (id: string) => `/instruments/${encodeURIComponent(id).replaceAll('%3A', ':')}`;

const STORED = 'piyasa:recent';
const MOST_RECENT = 8;

/** The instruments that the visitor has opened, the last one first. */
function recent(): Found[] {
  try {
    const rows = JSON.parse(inBrowser.get(STORED) ?? '[]');
    return Array.isArray(rows) ? rows.filter(row => typeof row?.instrumentId === 'string').slice(0, MOST_RECENT) : [];
  } catch {
    return [];
  }
}

function remember(row: Found) {
  const rows = [row, ...recent().filter(other => other.instrumentId !== row.instrumentId)].slice(0, MOST_RECENT);
  inBrowser.set(STORED, JSON.stringify(rows));
}

/**
 * A field that searches instruments: arrows move, Enter chooses, and without text it offers the
 * ones opened before. A choice opens the instrument's page unless the caller handles it.
 */
export function Search({
  action,
  typed: first = '',
  focused,
}: {
  action?: { label: string; take: (id: string) => void };
  typed?: string;
  focused?: boolean;
}) {
  const [typed, setTyped] = useState(first);
  const [text, setText] = useState(first.trim());
  const [open, setOpen] = useState(!!focused);
  const [chosen, setChosen] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (focused) field.current?.focus();
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const asked = useAnswer(
    async signal =>
      /[\p{L}\p{N}]/u.test(text) // a quotation mark alone names nothing
        ? (await askAll<{ instruments: { instruments: Found[] } }>(SEARCH, { text }, signal)).instruments.instruments
        : [],
    [text],
  );
  const found = typed.trim() ? (text === typed.trim() ? asked.value : undefined) : recent();
  useEffect(() => setChosen(typed.trim() && found?.length ? 0 : -1), [found?.map(row => row.instrumentId).join()]);
  const take = (row: Found) => {
    setOpen(false);
    setTyped('');
    if (action) return action.take(row.instrumentId);
    remember(row);
    location.href = pageOf(row.instrumentId);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setOpen(false);
      setTyped('');
    }
    if (!found?.length) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setOpen(true);
      setChosen((chosen + step + found.length) % found.length);
    }
    const row = found[chosen];
    if (event.key === 'Enter' && row) {
      event.preventDefault();
      take(row);
    }
  };
  const shown = open && (!!typed.trim() || !!found?.length);
  return (
    <form
      role="search"
      class="search"
      onSubmit={event => event.preventDefault()}
      onFocusOut={event => !event.currentTarget.contains(event.relatedTarget as Node) && setOpen(false)}
    >
      <input
        ref={field}
        type="text"
        enterkeyhint="search"
        role="combobox"
        aria-label={t('Find an instrument')}
        aria-expanded={shown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={shown && chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder={t('Find an instrument')}
        value={typed}
        onFocus={() => setOpen(true)}
        onInput={event => {
          setTyped(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={pressed}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
      />
      <p class="unseen" role="status">
        {shown && typed.trim() && found ? t('{count} found', { count: found.length }) : ''}
      </p>
      <div class="results" hidden={!shown}>
        {asked.failure && <Trouble failure={asked.failure} again={asked.again} />}
        {!found && !asked.failure && <p class="muted">{t('Searching …')}</p>}
        {found?.length === 0 && <p class="muted">{t('Nothing in the catalog matches “{text}”.', { text: typed.trim() })}</p>}
        {!typed.trim() && <p class="muted small">{t('Where you were')}</p>}
        <ul role="listbox" id={id} aria-label={t('Instruments')}>
          {found?.map((row, index) => (
            <li
              key={row.instrumentId}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onPointerDown={event => event.preventDefault()}
              onPointerEnter={() => setChosen(index)}
              onClick={event => (!action && (event.ctrlKey || event.metaKey) ? window.open(pageOf(row.instrumentId)) : take(row))}
            >
              {action && <span class="unseen">{action.label} </span>}
              <span class="name">{row.name ?? row.instrumentId}</span> <code>{row.instrumentId}</code>
              {row.ticker && <span class="tag">{row.ticker}</span>}
            </li>
          ))}
        </ul>
      </div>
    </form>
  );
}
