import { apiKey, noteStatus } from './key';
import { noteAnswer, noteSilence } from './server';
import { t, translated } from './words';

/** The timeout of requests. */
const PATIENCE = 20_000;

/** Why there is no answer. */
export class Failure extends Error {
  constructor(
    message: string,
    /** HTTP status; 0: no answer. */
    readonly status: number,
    readonly title: string,
    /** Seconds to wait before a retry. */
    readonly retryAfter?: number,
    /** Code of a GraphQL error. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** After how many seconds to try again where the server said nothing. */
const SOON = 5;

/** Why an attempt failed, as a Failure: an answer may also end, or take too long, while it is read. */
export function failureFrom(error: unknown, title = t('Failed')): Failure {
  if (error instanceof Failure) return error;
  if ((error as Error)?.name === 'TimeoutError') return tooSlow(PATIENCE);
  if (error instanceof SyntaxError) return new Failure(t('An answer without data.'), 0, title);
  return new Failure(String(error), 0, title);
}

const tooSlow = (patience: number) =>
  new Failure(t('No answer within {count} seconds.', { count: patience / 1000 }), 0, t('Too slow'), SOON);

/** Requests a path with the key. Throws a Failure unless it succeeds. */
export async function get(path: string, signal?: AbortSignal, accept = 'application/json'): Promise<Response> {
  return send(path, { headers: { Accept: accept }, signal });
}

/** Requests a path and returns its JSON. */
export async function getJSON<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await get(path, signal)).json();
}

interface GraphError {
  message: string;
  path?: (string | number)[];
  extensions?: { code?: string; problem?: { successor?: string[] } };
}

/** The answer of a GraphQL request: its data, and the errors of fields with their paths. */
export interface Answered<T> {
  data: T;
  errors: GraphError[];
}

/** Runs a GraphQL query. Errors of single fields are returned beside the data. */
export async function ask<T>(query: string, variables: object = {}, signal?: AbortSignal): Promise<Answered<T>> {
  const response = await post('/graphql', { query, variables }, signal, 'application/graphql-response+json, application/json;q=0.9');
  const { data, errors: said = [] } = await response.json();
  const errors = (said as GraphError[]).map(error => ({ ...error, message: translated(error.message) }));
  if (!data)
    throw new Failure(
      errors[0]?.message ?? t('An answer without data.'),
      response.status,
      'GraphQL',
      undefined,
      errors[0]?.extensions?.code,
    );
  return { data, errors };
}

/** Runs a GraphQL query all of whose root fields are needed: an error in one of them is a Failure. */
export async function askAll<T extends object>(query: string, variables: object = {}, signal?: AbortSignal): Promise<T> {
  return (await askRoots<T>(query, variables, signal)).data;
}

/** Like askAll, with the errors below the root fields. */
export async function askRoots<T extends object>(query: string, variables: object = {}, signal?: AbortSignal): Promise<Answered<T>> {
  const { data, errors } = await ask<T>(query, variables, signal);
  const [error] = errors.filter(({ path }) => path && data[path[0] as keyof T] === null);
  if (error) throw new Failure(error.message, 422, t('Failed'), undefined, error.extensions?.code);
  return { data, errors };
}

/** Sends JSON to a path, with the key. */
export function post(path: string, body: object, signal?: AbortSignal, accept = 'application/json'): Promise<Response> {
  const headers = { Accept: accept, 'Content-Type': 'application/json' };
  return send(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

/** The timeout for storing a file. */
const STORING = 330_000;

/** Stores a file of records on a server that offers it, and returns the result. */
export async function storeFile<T>(file: Blob): Promise<T> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: file };
  return (await send('/first-file', init, STORING)).json();
}

async function send(path: string, init: RequestInit, patience = PATIENCE): Promise<Response> {
  const key = apiKey.value;
  const headers = new Headers(init.headers);
  const signals = [AbortSignal.timeout(patience), ...(init.signal ? [init.signal] : [])];
  let response: Response;
  if (!key && /^.(v1|graphql)/.test(path)) throw new Failure(t('This data needs an API key.'), 401, t('A key is needed'));
  try {
    if (key) headers.set('X-API-Key', key);
    response = await fetch(path, { ...init, headers, signal: AbortSignal.any(signals) });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const name = (error as Error).name;
    if (name === 'TimeoutError') throw tooSlow(patience);
    if (error instanceof TypeError && !/fetch|network|load/i.test(error.message))
      throw new Failure(t('This key has characters that no key has.'), 401, t('Unauthenticated'));
    noteSilence();
    throw new Failure(t(navigator.onLine ? 'The server cannot be reached.' : 'This browser is offline.'), 0, t('No connection'), SOON);
  }
  if (isSilent(response)) noteSilence();
  else noteAnswer();
  noteStatus(response.status, key);
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** Reports whether a proxy answered because it did not reach the server. */
const isSilent = ({ status }: Response) => status === 502 || status === 504;

async function failureOf(response: Response): Promise<Failure> {
  const wait = Number(response.headers.get('Retry-After')) || (isSilent(response) ? SOON : undefined);
  const text = await response.text();
  try {
    const body = JSON.parse(text);
    const error = body.errors?.[0];
    return new Failure(
      translated(body.detail ?? error?.message ?? text.slice(0, 200)),
      response.status,
      t(body.title ?? response.statusText),
      wait,
      error?.extensions?.code,
    );
  } catch {
    // Not piyasa but a proxy before it: its page is not for reading here.
    return new Failure(t('The server answered {status}.', { status: response.status }), response.status, t('Failed'), wait);
  }
}
