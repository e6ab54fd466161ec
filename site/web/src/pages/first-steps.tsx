import { useEffect, useState } from 'preact/hooks';
import { apiKey } from '../site/key';
import { now } from '../site/server';
import { askForKey } from '../site/site';

const KEY = 'piyasa keys create --name me --plan pro --scopes all';

const RECORDS = `piyasa ingest - <<'LINES'
{"record":"instrument","instrument_id":"fx:USDTRY","symbol":"USDTRY","name":"USD/TRY","market":"fx","asset_type":"FX","currency":"TRY"}
{"record":"quote","instrument_id":"fx:USDTRY","as_of":"${new Date(now()).toISOString().slice(0, 19)}Z","last":"41.25"}
LINES`;

/** How often an empty server is asked whether something has come, in milliseconds. */
const INTERVAL = 3_000;

/** Whether the server says that nothing is stored; it needs no key to say so. */
export function useEmpty(): boolean {
  const [empty, setEmpty] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answer = await fetch('/readyz', { signal: AbortSignal.timeout(20_000) }).then(
        response => response.json(),
        () => undefined,
      );
      if (answer) setEmpty(!!answer.empty);
      if (!answer || answer.empty) timer = setTimeout(ask, INTERVAL);
    };
    ask();
    return () => clearTimeout(timer);
  }, []);
  return empty;
}

/** Leads from a server without a key and without data to both. */
export function FirstSteps() {
  return (
    <section class="card steps" aria-labelledby="steps">
      <h2 id="steps">Nothing is stored yet: three steps to your first figure</h2>
      <p class="muted">
        Run the commands where the server runs, with the same settings: the environment, the settings file, or <code>--database</code>.
      </p>
      <ol>
        <li>
          <strong>Create a key.</strong> The command prints it once. {apiKey.value ? 'This page has one.' : 'Then enter it here.'}
          <Command text={KEY} />
          {!apiKey.value && (
            <button type="button" class="main" onClick={askForKey}>
              Enter a key
            </button>
          )}
        </li>
        <li>
          <strong>Store something.</strong> Each line is a record; <a href="/docs/ingest">Ingest</a> lists all kinds.
          <Command text={RECORDS} />
        </li>
        <li>
          <strong>Let it come by itself.</strong> <code>piyasa serve --collect sources.json</code> collects from exchanges, central banks
          and your own files: <a href="/docs/connectors">Connectors</a> has the sources, some of which need no licence.
        </li>
      </ol>
      <p class="muted">
        This page goes on as soon as something is stored. To look around first, <code>piyasa demo --listen 127.0.0.1:8090</code> serves
        synthetic data of every kind.
      </p>
    </section>
  );
}

function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <pre tabIndex={0}>{text}</pre>
      <button type="button" data-copy={text} aria-label={`Copy ${text.split('\n')[0]}`}>
        Copy
      </button>
    </div>
  );
}
