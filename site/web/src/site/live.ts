import { createClient, type Client, type FormattedExecutionResult } from 'graphql-ws';
import { apiKey } from './key';
import { noteAnswer, probe } from './server';
import { t, translated } from './words';

/** The state of a stream: connecting, live, lost (it will reconnect), or refused (it will not). */
export type State = 'connecting' | 'live' | 'lost' | 'refused';

/** The callbacks of a follower. */
export interface Follower<T> {
  event: (data: T) => void;
  state: (state: State, why?: string) => void;
}

const LONGEST_WAIT = 15_000;
// Close codes after which a retry needs another key or another client.
const FINAL = [4400, 4401, 4403, 4406];

/** The state after an error: what passes by itself, such as too many requests at once, is tried again. */
function stateAfter(error?: { extensions?: { code?: unknown; problem?: unknown } }): State {
  const { status } = (error?.extensions?.problem ?? {}) as { status?: number };
  return (status === 429 || status === 503) && error?.extensions?.code !== 'QUOTA_EXCEEDED' ? 'lost' : 'refused';
}

/** A socket that streams share. */
export class Socket {
  private client?: Client;
  private key = '';

  constructor() {
    addEventListener('offline', () => this.cut()); // the browser itself does not close the socket
  }

  /** The client for the current key. */
  open(): Client {
    if (this.client && this.key === apiKey.value) return this.client;
    this.close();
    this.key = apiKey.value;
    const url = new URL('/graphql', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    let silent: ReturnType<typeof setTimeout>;
    const client: Client = createClient({
      url: url.href,
      connectionParams: { 'X-API-Key': this.key },
      retryAttempts: 0, // followers resubscribe themselves, from their position
      keepAlive: 15_000,
      on: {
        connected: noteAnswer,
        ping: received => {
          if (!received) silent = setTimeout(() => client.terminate(), 10_000); // nothing came back
        },
        pong: received => received && clearTimeout(silent),
        closed: () => clearTimeout(silent),
      },
    });
    return (this.client = client);
  }

  /** Drops the connection at once, like a failing network. */
  cut() {
    this.client?.terminate();
  }

  close() {
    void this.client?.dispose();
    this.client = undefined;
  }
}

const shared = new Socket();

/**
 * Follows a subscription and resubscribes after each end, with the variables() of that time.
 * Returns a function that ends it.
 */
export function follow<T>(query: string, variables: () => Record<string, unknown>, follower: Follower<T>, socket = shared): () => void {
  let ended = false;
  let failures = 0;
  let stop = () => {};
  let timer: ReturnType<typeof setTimeout>;
  const begin = () => {
    clearTimeout(timer);
    if (ended) return;
    follower.state('connecting');
    let over = false;
    const end = (state: State, why?: string) => {
      if (over || ended) return;
      over = true;
      follower.state(state, why && translated(why));
      if (state === 'refused') return;
      void probe();
      const wait = Math.min(LONGEST_WAIT, 500 * 2 ** failures++) * (0.75 + Math.random() / 2);
      timer = setTimeout(begin, wait);
    };
    stop = socket.open().subscribe<T>(
      { query, variables: variables() },
      {
        next: ({ data, errors }: FormattedExecutionResult<T>) => {
          if (over) return;
          if (errors?.length) return end(stateAfter(errors[0]), errors[0].message);
          failures = 0;
          noteAnswer();
          follower.state('live');
          follower.event(data!);
        },
        error: reason => {
          if (Array.isArray(reason)) return end(stateAfter(reason[0]), reason[0]?.message);
          const code = (reason as CloseEvent)?.code;
          end(
            FINAL.includes(code) ? 'refused' : 'lost',
            (reason as CloseEvent)?.reason || (code ? t('closed with {code}', { code }) : undefined),
          );
        },
        complete: () => end('lost', t('the stream ended')),
      },
    );
  };
  const online = () => {
    failures = 0;
    begin();
  };
  addEventListener('online', online);
  begin();
  return () => {
    ended = true;
    clearTimeout(timer);
    removeEventListener('online', online);
    stop();
  };
}
