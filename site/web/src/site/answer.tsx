import { Component, type ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, failureFrom } from './api';
import { apiKey } from './key';
import { gone } from './server';
import { askForKey } from './site';
import { t } from './words';

/** The state of a request for a part of a page. */
export interface Waiting<T> {
  value?: T;
  failure?: Failure;
  /** A request is on its way. */
  busy: boolean;
  again: () => void;
}

/**
 * Sends a request when first drawn, when its dependencies or the key change, when the browser is
 * online again, and after a failure that says when to retry. The last value stays while the same
 * request runs again.
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
        if (stop.signal.aborted) return; // a newer request has replaced this one
        setState({ value, busy: false });
        if (every) later(every);
      },
      error => {
        if (stop.signal.aborted) return;
        const failure = failureFrom(error);
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

function Drawn<T>({ as, value }: { as: (value: T) => ComponentChildren; value: T }) {
  return <>{as(value)}</>;
}

/** Draws an answer, that it is awaited, or why there is none. If drawing fails, only this part of the page says so. */
export class Answer<T> extends Component<{ of: Waiting<T>; label: string; children: (value: T) => ComponentChildren }, { odd?: unknown }> {
  static getDerivedStateFromError = (odd: unknown) => ({ odd });

  override componentDidCatch(odd: unknown) {
    reportError(odd);
  }

  override componentDidUpdate({ of }: { of: Waiting<T> }) {
    if (this.state.odd && of.value !== this.props.of.value) this.setState({ odd: undefined });
  }

  render() {
    const { of, label, children } = this.props;
    const failure = this.state.odd ? new Failure(t('This part of the page cannot be drawn.'), 0, t('Failed')) : of.failure;
    const { value } = of;
    return (
      <>
        {failure && <Trouble failure={failure} again={of.again} />}
        {value !== undefined && !this.state.odd ? (
          <Drawn as={children} value={value} />
        ) : (
          !failure && <p class="muted awaited">{label} …</p>
        )}
      </>
    );
  }
}
