import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, post, storeFile } from '../site/api';
import { apiKey, changeKey } from '../site/key';
import { now } from '../site/server';
import { askForKey } from '../site/site';
import { t } from '../site/words';

const KEY = 'piyasa keys create --name me --plan pro --scopes all';

const RECORDS = `piyasa ingest - <<'LINES'
{"record":"instrument","instrument_id":"fx:USDTRY","symbol":"USDTRY","name":"USD/TRY","market":"fx","asset_type":"FX","currency":"TRY"}
{"record":"quote","instrument_id":"fx:USDTRY","as_of":"${new Date(now()).toISOString().slice(0, 19)}Z","last":"41.25"}
LINES`;

const QUOTE = `curl -H 'X-API-Key: {KEY}' {ORIGIN}/v1/quotes/fx:USDTRY`;

/** Milliseconds between two checks whether an empty server has data. */
const INTERVAL = 3_000;

/** How many MiB of files the server takes. */
const MOST = 64;

/** What the server says without a key: whether it is empty, and what this page may do. */
const state = signal<{ empty?: boolean; first_run?: 'key' | 'file' }>({});

/** Whether files are being stored: the page waits for all of them. */
let storing = false;

const ask = async () => {
  const answer = await fetch('/readyz', { signal: AbortSignal.timeout(20_000) }).then(
    response => response.json(),
    () => undefined,
  );
  if (answer && !storing) state.value = answer;
  return answer;
};

/** Whether the server says that nothing is stored. */
export function useEmpty(): boolean {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const again = async () => {
      const answer = await ask();
      if (!answer || answer.empty) timer = setTimeout(again, INTERVAL);
    };
    again();
    return () => clearTimeout(timer);
  }, []);
  return !!state.value.empty;
}

/** Runs one piece of work at a time; returns whether it runs, why it failed, and what starts it. */
function useDoing(): [boolean, ComponentChildren, (work: () => Promise<void>) => Promise<void>] {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    await work().catch(error => setFailure(error));
    setBusy(false);
    void ask();
  };
  return [
    busy,
    failure && (
      <p role="alert" class="down">
        {failure.message}
      </p>
    ),
    run,
  ];
}

/** The key that this page has made. */
const made = signal('');

/** Makes the first key with the code that the terminal shows, and displays it. */
export function FirstKey() {
  const [code, setCode] = useState('');
  const [busy, failed, run] = useDoing();
  if (made.value) {
    return (
      <>
        <p>{t('This is the only time the key is shown. Copy it: programs need it, and this page forgets it with its tab.')}</p>
        <Command text={made.value} name={t('Copy the key')} />
      </>
    );
  }
  if (state.value.first_run !== 'key' && !failed) return null;
  const make = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const { key } = await (await post('/first-key', { code })).json();
      changeKey((made.value = key));
    });
  };
  return (
    <form class="row" onSubmit={make}>
      <label>
        {t('Code from the terminal')}{' '}
        <input
          class="code"
          required
          size={11}
          maxLength={20}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          value={code}
          onInput={event => setCode(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" aria-disabled={busy}>
        {t('Make the first key')}
      </button>
      {failed}
    </form>
  );
}

interface Stored {
  read: number;
  stored: number;
  rejected: number;
  rejects: { line: number; field: string | null; reason: string }[];
}

/** The result of storing files on this page; kept when the page changes to show the stored data. */
const outcome = signal<Stored | undefined>(undefined);

export function FirstOutcome() {
  const said = outcome.value;
  if (!said) return null;
  return (
    <div class={`note ${said.rejected || !said.read ? 'warn' : ''}`} role="status">
      <strong>{t('{stored} of {read} records are stored, {rejected} rejected.', { ...said, rejects: '' })}</strong>
      {said.rejects.length > 0 && (
        <ul>
          {said.rejects.map(({ line, field, reason }) => (
            <li key={line}>
              {t('Line {line}', { line })}: {field && <code>{field}</code>} {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Stores files of records that the visitor drops or chooses. */
function Drop() {
  const [busy, failed, run] = useDoing();
  const latest = useRef<(files: FileList | undefined) => void>(() => {});
  const offered = state.value.first_run === 'file' && !!apiKey.value;
  useEffect(() => {
    if (!offered) return;
    const over = (event: DragEvent) => event.preventDefault(); // the browser would open the file
    const drop = (event: DragEvent) => {
      event.preventDefault();
      latest.current(event.dataTransfer?.files);
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, [offered]);
  const take = (files: FileList | null | undefined) => {
    if (!files?.length || busy) return;
    void run(async () => {
      const parts = [];
      for (const file of files) parts.push(file, (await file.slice(-1).text()) === '\n' ? '' : '\n'); // one after the other
      const all = new Blob(parts);
      if (all.size > MOST << 20) throw new Failure(t('More than {most} MiB: piyasa ingest stores larger files.', { most: MOST }), 0, '');
      storing = true;
      outcome.value = await storeFile<Stored>(all).finally(() => (storing = false));
    });
  };
  latest.current = take;
  if (!offered) return null;
  return (
    <div class="drop">
      <label>
        {busy ? t('Storing …') : t('Drop files of lines onto this page, or choose them:')}{' '}
        <input type="file" multiple accept=".ndjson,.jsonl,.json" disabled={busy} onChange={event => take(event.currentTarget.files)} />
      </label>
      {failed}
    </div>
  );
}

/** Guides the operator of a server without a key and data to both. */
export function FirstSteps() {
  return (
    <section class="card steps" aria-labelledby="steps">
      <h2 id="steps">{t('Nothing is stored yet: three steps to your first figure')}</h2>
      <p class="muted">
        {t('Run the commands where the server runs, with the same settings: the environment, the settings file, or --database.')}
      </p>
      <ol>
        <li>
          <strong>{t('Create a key.')}</strong>{' '}
          {apiKey.value
            ? t('This page has one.')
            : state.value.first_run === 'key'
              ? t('Enter the code that the server has printed, or run the command, which prints a key.')
              : t('The command prints it once. Then enter it here.')}
          <FirstKey />
          {!apiKey.value && (
            <>
              <Command text={KEY} />
              <button type="button" onClick={askForKey}>
                {t('Enter a key')}
              </button>
            </>
          )}
        </li>
        <li>
          <strong>{t('Store something.')}</strong> {t('Each line is a record; these are two:')}
          <Drop />
          <Command text={RECORDS} />
          {t('Or let it come by itself, from exchanges, central banks and files:')}
          <Command text="piyasa serve --collect sources.json" />
          <a href="/docs/ingest">{t('All kinds of records')}</a>, <a href="/docs/connectors">{t('sources, some without a licence')}</a>
        </li>
        <li>
          <strong>{t('Look.')}</strong> {t('This page goes on as soon as something is stored, and programs ask like this:')}
          <Command text={QUOTE} />
          {t('To look around first, a demo serves synthetic data of every kind:')}
          <Command text="piyasa demo --listen 127.0.0.1:8090" />
        </li>
      </ol>
    </section>
  );
}

/** A text to copy; {KEY} and {ORIGIN} are filled in. */
function Command({ text, name }: { text: string; name?: string }) {
  const shown = text.replace('{ORIGIN}', location.origin).replace('{KEY}', apiKey.value ? `${apiKey.value.slice(0, 16)}…` : '$KEY');
  return (
    <div class="command">
      <pre tabIndex={0}>{shown}</pre>
      <button type="button" data-copy={text} aria-label={name ?? t('Copy {what}', { what: shown.split('\n')[0] })}>
        {t('Copy')}
      </button>
    </div>
  );
}
