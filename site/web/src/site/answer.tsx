import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, failureFrom } from './api';
import { apiKey } from './key';
import { gone, now } from './server';
import { askForKey } from './site';
import { locale, t } from './words';

/** The state of a request for a part of a page. */
export interface Waiting<T> {
  value?: T;
  /** When the value came, if it may be outdated: the last request failed, or the server is gone. */
  old?: number;
  failure?: Failure;
  /** A request is on its way. */
  busy: boolean;
  again: () => void;
}

interface Held<T> {
  subject: string;
  value?: T;
  at?: number;
  failure?: Failure;
  busy: boolean;
}

/** The least seconds between two attempts, however often the server comes and goes. */
const LEAST = 5;

/** After how many seconds the page tries again by itself. */
const waitAfter = ({ retryAfter }: Failure) => retryAfter && Math.min(retryAfter, 300);

/**
 * Calls again() when a failure says so or else after `every` seconds, and when the server is back or the browser online.
 * Returns a function that ends it.
 */
export function retry(failure: Failure | undefined, again: () => void, every?: number): () => void {
  if (!failure && !every) return () => {};
  const since = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const after = (seconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(again, seconds * 1000);
  };
  const wait = (failure && waitAfter(failure)) ?? (failure?.status === 401 ? undefined : every); // another key asks anew
  if (wait) after(wait);
  const soon = () => {
    if (!wait || wait > LEAST) after(Math.max(0, LEAST - (Date.now() - since) / 1000));
  };
  let away = false;
  const end = gone.subscribe(heard => {
    if (away && !heard) soon();
    away = !!heard;
  });
  addEventListener('online', soon);
  return () => {
    clearTimeout(timer);
    end();
    removeEventListener('online', soon);
  };
}

/**
 * Sends a request when first drawn, when its dependencies or the key change, and as retry() says. The last value and the
 * last failure stay while the same request runs again; there is never a value of other dependencies.
 */
export function useAnswer<T>(request: (signal: AbortSignal) => Promise<T>, depends: unknown[], every?: number): Waiting<T> {
  const subject = JSON.stringify([apiKey.value, ...depends]);
  const [held, setHeld] = useState<Held<T>>({ subject, busy: true });
  const [turn, setTurn] = useState(0);
  const state: Held<T> = held.subject === subject ? held : { subject, busy: true };
  const again = () => setTurn(turn => turn + 1);
  useEffect(() => {
    const stop = new AbortController();
    setHeld(held => (held.subject === subject ? { ...held, busy: true } : { subject, busy: true }));
    request(stop.signal).then(
      value => {
        if (!stop.signal.aborted) setHeld({ subject, value, at: now(), busy: false }); // else a newer request has replaced this one
      },
      error => {
        if (!stop.signal.aborted) setHeld(held => ({ ...held, failure: failureFrom(error), busy: false }));
      },
    );
    return () => stop.abort();
  }, [subject, turn]);
  useEffect(() => (held.busy ? undefined : retry(held.failure, again, every)), [held, every]);
  return {
    ...state,
    old: state.value === undefined ? undefined : state.failure ? state.at : gone.value,
    again: () => {
      setHeld(({ failure, ...rest }) => rest);
      again();
    },
  };
}

/** Says why there is no answer, and what to do. Whoever gives again() also calls retry() with it; `old` dates what is still shown. */
export function Trouble({ failure, again, old }: { failure: Failure; again?: () => void; old?: number }) {
  const noKey = failure.status === 401;
  const wait = again && waitAfter(failure);
  if (!failure.status && gone.value) return null; // the top of the page says it once
  return (
    <div class={`note ${noKey || failure.retryAfter ? 'warn' : 'bad'}`} role="alert">
      <strong>{failure.title}</strong>
      <div>
        {failure.message} {old && t('Figures are as they were at {time}.', { time: new Date(old).toLocaleTimeString(locale) })}
      </div>
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
        {wait && (
          <span class="muted small">
            {t('The page tries again in')} {wait} s.
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
        {failure && <Trouble failure={failure} again={of.again} old={this.state.odd ? undefined : of.old} />}
        {value !== undefined && !this.state.odd ? (
          <Drawn as={children} value={value} />
        ) : (
          !failure && <p class="muted awaited">{label} …</p>
        )}
      </>
    );
  }
}
