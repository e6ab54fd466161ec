import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from './api';
import { apiKey } from './key';
import { gone } from './server';
import { askForKey } from './site';
import { t } from './words';

/** What a part of a page has been answered so far. */
export interface Waiting<T> {
  value?: T;
  failure?: Failure;
  /** A request is on its way. */
  busy: boolean;
  again: () => void;
}

/**
 * Asks when it is first drawn, when what it depends on or the key changes, when the browser is online again, and,
 * where a failure says how long to wait, after that time. The last value stays while it asks again for the same.
 */
export function useAnswer<T>(request: (signal: AbortSignal) => Promise<T>, depends: unknown[], every?: number): Waiting<T> {
  const [state, setState] = useState<{ value?: T; failure?: Failure; busy: boolean }>({ busy: true });
  const [turn, setTurn] = useState(0);
  const subject = JSON.stringify([apiKey.value, ...depends]);
  const last = useRef(subject);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => setTurn(turn => turn + 1);
    const later = (seconds: number) => {
      timer = setTimeout(again, seconds * 1000);
    };
    const changed = last.current !== subject;
    last.current = subject;
    setState(({ value }) => ({ value: changed ? undefined : value, busy: true }));
    request(stop.signal).then(
      value => {
        setState({ value, busy: false });
        if (every) later(every);
      },
      error => {
        if (stop.signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(String(error), 0, t('Failed'));
        setState(({ value }) => ({ value, failure, busy: false }));
        if (failure.retryAfter) later(Math.min(failure.retryAfter, 300));
      },
    );
    addEventListener('online', again);
    return () => {
      stop.abort();
      clearTimeout(timer);
      removeEventListener('online', again);
    };
  }, [subject, turn]);
  return { ...state, again: () => setTurn(turn => turn + 1) };
}

/** Says why there is no answer, and what to do. */
export function Trouble({ failure, again }: { failure: Failure; again?: () => void }) {
  const noKey = failure.status === 401;
  if (!failure.status && gone.value) return null; // the top of the page says it once
  return (
    <div class={`note ${noKey || failure.retryAfter ? 'warn' : 'bad'}`} role="alert">
      <strong>{failure.title}</strong>
      <div>{failure.message}</div>
      <div class="row" style={{ marginTop: '8px' }}>
        {noKey && (
          <button type="button" class="main" onClick={askForKey}>
            {t('Enter a key')}
          </button>
        )}
        {!noKey && again && (
          <button type="button" onClick={again}>
            {t('Try again')}
          </button>
        )}
        {failure.retryAfter && (
          <span class="muted small">
            {t('The page tries again in')} {failure.retryAfter} s.
          </span>
        )}
      </div>
    </div>
  );
}

/** Draws an answer, or why there is none, or that it is awaited. */
export function Answer<T>({ of, children, label }: { of: Waiting<T>; label: string; children: (value: T) => preact.ComponentChildren }) {
  return (
    <>
      {of.failure && <Trouble failure={of.failure} again={of.again} />}
      {of.value !== undefined ? children(of.value) : !of.failure && <p class="muted awaited">{label} …</p>}
    </>
  );
}
