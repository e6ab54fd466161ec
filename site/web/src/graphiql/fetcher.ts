import type { Fetcher, FetcherOpts, FetcherParams, FetcherReturnType } from '@graphiql/toolkit';
import { getOperationAST, Kind, OperationTypeNode, parse } from 'graphql';
import { Socket } from '../site/live';

const ACCEPT = 'application/graphql-response+json, application/json;q=0.9';

/** Called with the HTTP status of each answer. */
type OnStatus = (status: number) => void;

/** Makes GraphiQL's fetcher for one API key. */
export function createFetcher(key: string, onStatus: OnStatus): Fetcher {
  return (given, opts) => {
    const params = withoutStaleName(given);
    return isSubscription(params) ? (follow(params, onStatus) as FetcherReturnType) : post(params, opts, key, onStatus);
  };
}

function isSubscription({ query, operationName }: FetcherParams): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    return false;
  }
}

const socket = new Socket();

/** Runs a subscription over WebSocket, until GraphiQL stops it. */
async function* follow(params: FetcherParams, onStatus: OnStatus) {
  const { query, variables, operationName } = params;
  try {
    yield* socket.open().iterate({ query, variables: variables as Record<string, unknown>, operationName });
  } catch (error) {
    if (Array.isArray(error)) yield { errors: error };
    else {
      const { code, reason } = error as CloseEvent;
      if (code === 4401) onStatus(401);
      yield failure(code ? `The connection ended with ${code} ${reason}` : 'The server cannot be reached');
    }
  }
}

/**
 * GraphiQL reads the operation's name 100 ms after the last change; until then it would name an
 * operation of the previous text.
 */
function withoutStaleName(params: FetcherParams): FetcherParams {
  try {
    const known = parse(params.query).definitions.some(
      node => node.kind === Kind.OPERATION_DEFINITION && node.name?.value === params.operationName,
    );
    return known ? params : { ...params, operationName: undefined };
  } catch {
    return params; // the server reports what is wrong with the text
  }
}

async function post(params: FetcherParams, opts: FetcherOpts = {}, key: string, onStatus: OnStatus) {
  const headers = new Headers();
  try {
    for (const [name, value] of Object.entries(opts.headers ?? {})) headers.set(name, value);
    headers.set('Content-Type', 'application/json');
    headers.set('Accept', ACCEPT);
    if (key) headers.set('X-API-Key', key);
  } catch (error) {
    return failure(`Request not sent: ${(error as Error).message}`);
  }
  let response: Response;
  let body: string;
  try {
    response = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(params) });
    body = await response.text();
  } catch (error) {
    return failure(`No answer from the server: ${(error as Error).message}`);
  }
  onStatus(response.status);
  return readResult(response, body);
}

/** Turns whatever the server said into a GraphQL result that can be shown. */
function readResult(response: Response, body: string) {
  const type = response.headers.get('Content-Type')?.split(';')[0].trim() ?? '';
  const status = `${response.status} ${response.statusText}`.trim();
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    return failure(`The server answered ${status}, not with JSON`, { contentType: type, body: body.slice(0, 1000) });
  }
  if (type === 'application/problem+json') {
    const { title = status, detail } = value;
    return failure(detail ? `${title}: ${detail}` : title, { problem: value });
  }
  if (value !== null && typeof value === 'object' && ('data' in value || 'errors' in value)) return value;
  return failure(`The server answered ${status}, not with a GraphQL response`, { body: value });
}

const failure = (message: string, extensions?: object) => ({
  errors: [{ message, ...(extensions && { extensions }) }],
});
