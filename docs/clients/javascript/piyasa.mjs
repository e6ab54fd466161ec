// Asks piyasa from Node 20 or newer, with no other package.
//
//     import { Piyasa } from 'piyasa';
//     const market = new Piyasa('http://127.0.0.1:8080', key);
//     (await market.quotes(['bist:DMOST', 'crypto:DMC'], { currency: 'TRY' }))[0].last; // '314.25'
//     await market.eod('bist:DMOST', { from: '2026-03-01' });
//     for await (const [position, disclosure] of market.followDisclosures(['all'], { position: saved })) …
//
// Figures are the text that was sent, which has every digit; what is unknown is null.

import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {Record<string, any>} Row */
/** @typedef {Record<string, string | number | boolean | readonly string[] | null | undefined>} Parameters those that are null are left out */

/** How long a stream may say nothing, in milliseconds: a living one gives a sign every 15 s. */
const SILENCE = 60_000;

const FOLLOW = `subscription ($topics: [String!]!, $after: String, $seq: Long) { disclosureStream(topics: $topics, after: $after, afterSeq: $seq) {
  __typename
  ... on Subscribed { invalid }
  ... on DisclosureEvent { position data { disclosureIndex type symbols filerTitle publishedAt subject { tr en } link } }
  ... on ReplayDone { position truncated }
  ... on StreamError { code message } } }`;

/** What was refused. */
export class PiyasaError extends Error {
  /**
   * @param {number} status of HTTP
   * @param {Record<string, any>} problem what the server said
   */
  constructor(status, problem) {
    super(problem.detail ?? problem.message ?? JSON.stringify(problem));
    this.name = 'PiyasaError';
    this.status = status;
    this.problem = problem;
    /** The kind of problem, such as not-found. */
    this.kind = String(problem.type ?? '').replace(/.*\//, '');
  }
}

export class Piyasa {
  /**
   * @param {string} url
   * @param {string} key
   * @param {{ timeout?: number, attempts?: number }} [options] milliseconds to wait for an answer, and how often to ask
   */
  constructor(url, key, { timeout = 30_000, attempts = 4 } = {}) {
    this.url = url.replace(/\/+$/, '');
    this.key = key;
    this.timeout = timeout;
    this.attempts = attempts;
  }

  /**
   * The JSON of a route, such as get('/v1/quotes', { ids: 'bist:DMOST' }).
   * @param {string} path
   * @param {Parameters} [parameters]
   * @returns {Promise<any>}
   */
  get(path, parameters = {}) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value != null) query.set(name, String(value));
    return this.#ask(() => this.#request(`${path}${query.size ? '?' : ''}${query}`));
  }

  /**
   * The data of a query. Errors of it reject.
   * @param {string} query
   * @param {Record<string, unknown>} [variables]
   * @returns {Promise<any>}
   */
  async graphql(query, variables = {}) {
    return dataOf(await this.#ask(() => this.#request('/graphql', { query, variables })));
  }

  /**
   * The newest prices, one row for each id that has one.
   * @param {readonly string[]} ids
   * @param {Parameters} [parameters] such as currency
   * @returns {Promise<Row[]>}
   */
  async quotes(ids, parameters) {
    return (await this.get('/v1/quotes', { ids, ...parameters })).quotes;
  }

  /**
   * Bars of 5m, 2h, 1d, 1w or 1mo.
   * @param {string} id
   * @param {Parameters} [parameters] such as resolution, from, to and currency
   * @returns {Promise<Row[]>}
   */
  async candles(id, parameters) {
    return (await this.get(`/v1/candles/${encodeURIComponent(id)}`, parameters)).bars;
  }

  /**
   * Daily records.
   * @param {string} id
   * @param {Parameters} [parameters] such as from, to and currency
   * @returns {Promise<Row[]>}
   */
  async eod(id, parameters) {
    return (await this.get(`/v1/eod/${encodeURIComponent(id)}`, parameters)).records;
  }

  /**
   * Yields [position, disclosure] for ever, without loss: store the position when you are done with the disclosure, and
   * pass it when you start again. Without one, it begins with what is stored from now on, with 0 with everything.
   * @param {readonly string[]} [topics]
   * @param {{ position?: string | number, reconnects?: number, signal?: AbortSignal }} [options] reconnects: how often a
   *   connection that is lost is replaced before an error is thrown; by default always
   * @returns {AsyncGenerator<[string | number | undefined, Row], void, void>}
   */
  async *followDisclosures(topics = ['all'], { position, reconnects = Infinity, signal } = {}) {
    let pause = 250;
    for (let lost = 0; ;) {
      const of = typeof position === 'number' ? { seq: position } : { after: position };
      const stop = new AbortController();
      let cause;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let silence;
      const alive = () => {
        clearTimeout(silence);
        silence = setTimeout(() => stop.abort(), SILENCE);
      };
      const request = this.#request('/graphql/stream', { query: FOLLOW, variables: { topics, ...of } }, 'text/event-stream');
      try {
        alive();
        const answer = await fetch(request, { signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal });
        if (!answer.ok) throw await refusal(answer);
        for await (const { id, data } of eventsOf(answer, alive)) {
          pause = 250;
          position = id || position;
          const event = data ? dataOf(JSON.parse(data))?.disclosureStream : undefined;
          if (event?.__typename === 'DisclosureEvent') yield [position, event.data];
          else if (event?.truncated)
            break; // more is stored than a replay holds: go on from here
          else if (event?.invalid?.length)
            throw new PiyasaError(200, { type: 'invalid-parameter', detail: `no topics: ${event.invalid.join(', ')}` });
          else if (event?.code && event.code !== 'SLOW_CONSUMER') throw new PiyasaError(200, { type: event.code, detail: event.message });
        }
      } catch (error) {
        cause = error;
        signal?.throwIfAborted();
        if (error instanceof SyntaxError || (error instanceof PiyasaError && error.status !== 429 && error.status !== 503)) throw error;
      } finally {
        clearTimeout(silence);
        stop.abort();
      }
      if (++lost > reconnects) throw new Error('the stream was lost', { cause });
      await sleep(pause * (0.5 + Math.random()), undefined, { signal });
      pause = Math.min(2 * pause, 10_000);
    }
  }

  /**
   * @param {string} address
   * @param {unknown} [body]
   */
  #request(address, body, accept = 'application/json') {
    const headers = { 'X-API-Key': this.key, Accept: accept };
    if (body === undefined) return new Request(this.url + address, { headers });
    return new Request(this.url + address, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** @param {() => Request} request */
  async #ask(request) {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(request(), { signal: AbortSignal.timeout(this.timeout) });
      if (answer.ok) return answer.json();
      const wait = answer.headers.get('Retry-After');
      if ((answer.status !== 429 && answer.status !== 503) || wait === null || attempt >= this.attempts) throw await refusal(answer);
      await answer.body?.cancel();
      await sleep(1000 * Math.min(Number(wait), 30));
    }
  }
}

/** @param {{ data?: any, errors?: any[] }} answer of GraphQL */
function dataOf({ data, errors }) {
  if (errors?.length) throw new PiyasaError(200, errors[0].extensions?.problem ?? errors[0]);
  return data;
}

/** @param {Response} answer */
async function refusal(answer) {
  const text = await answer.text();
  try {
    return new PiyasaError(answer.status, JSON.parse(text));
  } catch {
    return new PiyasaError(answer.status, { detail: text.slice(0, 200) });
  }
}

/**
 * Yields server-sent events until the connection ends.
 * @param {Response} answer
 * @param {() => void} alive called for all that comes
 */
async function* eventsOf(answer, alive) {
  const decoder = new TextDecoder();
  let rest = '';
  /** @type {Record<string, string>} */
  let event = {};
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (answer.body))) {
    alive();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '');
      else if (!line && Object.keys(event).length) {
        yield event;
        event = {};
      }
    }
  }
}
