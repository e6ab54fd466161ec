import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { askAll, get, getJSON } from '../site/api';
import { age, Num, useNow, When } from '../site/figures';
import { apiKey } from '../site/key';
import { idle } from '../site/server';
import { follow, Socket, type State } from '../site/live';
import { askForKey } from '../site/site';
import { Stream } from '../site/stream';
import { Table } from '../site/table';
import { Stored } from './coverage';
import { Link } from './link';
import { spoken, t, written } from '../site/words';

interface Ready {
  status: string;
  reason?: string;
  lag_seconds?: number;
}

function Page() {
  return (
    <>
      <h1>{t('Status')}</h1>
      <div class="columns">
        <div class="stack">
          <Server />
          {apiKey.value ? <Sources /> : null}
        </div>
        <div class="stack">
          {apiKey.value ? (
            <>
              <Streams />
              <Key />
              <Link key={apiKey.value} />
            </>
          ) : (
            <section class="card" aria-labelledby="key">
              <h2 id="key">{t('Your key')}</h2>
              <p>
                {t(
                  'With a key, this page shows its plan, usage and rate of requests, the sources of data, what is stored, and the streams.',
                )}{' '}
                {t('It also makes links for spreadsheets.')}
              </p>
              <button type="button" class="main" onClick={askForKey}>
                {t('Enter a key')}
              </button>
            </section>
          )}
        </div>
      </div>
      {apiKey.value ? <Stored /> : null}
    </>
  );
}

/** The public state of the server. The 503 of /readyz is an answer, too. */
async function readiness(signal: AbortSignal): Promise<Ready> {
  const response = await fetch('/readyz', { signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]) });
  return response.json();
}

function Server() {
  const now = useNow(1);
  const answer = useAnswer(signal => Promise.all([getJSON<{ version: string }>('/healthz', signal), readiness(signal)]), [], 5);
  return (
    <section class="card" aria-labelledby="server">
      <h2 id="server">{t('Server')}</h2>
      <Answer of={answer} label={t('Health')}>
        {([{ version }, ready]) => (
          <dl class="state">
            <div>
              <dt>{t('Requests')}</dt>
              <dd>
                <span class={`dot ${answer.old ? '' : ready.status === 'ready' ? 'open' : 'failed'}`} aria-hidden="true" />{' '}
                {t(answer.old ? 'unknown' : ready.status)}
                {answer.old && (
                  <span class="small muted">
                    {' '}
                    {t(ready.status)} {age(new Date(answer.old).toISOString(), now)}
                  </span>
                )}
                {ready.reason && !answer.old && <span class="small muted"> {ready.reason}</span>}
              </dd>
            </div>
            <div>
              <dt>{t('Behind the store')}</dt>
              <dd id="lag">{answer.old || ready.lag_seconds === undefined ? t('not known') : `${written(String(ready.lag_seconds))} s`}</dd>
            </div>
            <div>
              <dt>{t('Version')}</dt>
              <dd class="mono" id="version">
                {version}
              </dd>
            </div>
          </dl>
        )}
      </Answer>
      <p class="small muted">
        {t('Anyone may see this:')} <a href="/healthz">{t('/healthz')}</a>, <a href="/readyz">{t('/readyz')}</a>
        {t('. The operator has metrics on the private listener.')}
      </p>
    </section>
  );
}

interface Source {
  name: string;
  up: boolean;
  asOf: string;
  lastSuccess: string | null;
  newestRecord: string | null;
  nextDue: string | null;
  lagSeconds: number | null;
  error: string | null;
}

function Sources() {
  const now = useNow(5);
  const answer = useAnswer(
    signal =>
      askAll<{ sources: { sources: Source[] } }>(
        'query Sources { sources { sources { name up asOf lastSuccess newestRecord nextDue lagSeconds error } } }',
        {},
        signal,
      ),
    [],
    15,
  );
  return (
    <section class="card" aria-labelledby="sources">
      <h2 id="sources">{t('Sources')}</h2>
      <Answer of={answer} label={t('Sources')}>
        {({ sources: { sources } }) =>
          sources.length ? (
            <Table
              label={t('Sources')}
              columns={[t('Source'), t('State'), t('Checked'), t('Last success'), t('Newest record'), t('Next due')]}
              take="/v1/sources"
            >
              {sources.map(source => (
                <tr key={source.name}>
                  <th scope="row">
                    <code>{source.name}</code>
                  </th>
                  <td>
                    {answer.old ? (
                      <span class="tag">{t('unknown')}</span>
                    ) : (
                      <span class={`tag ${idle(source) ? '' : source.up ? 'up' : 'down'}`}>
                        {t(idle(source) ? 'nothing yet' : source.up ? 'up' : 'down')}
                      </span>
                    )}
                    {source.error && <div class="small down">{source.error}</div>}
                    {!!source.lagSeconds && (
                      <div class="small warn">
                        {source.lagSeconds} {t('s late')}
                      </div>
                    )}
                  </td>
                  {(['asOf', 'lastSuccess', 'newestRecord', 'nextDue'] as const).map(name => (
                    <td key={name}>
                      <When at={source[name]} now={now} due={name === 'nextDue'} />
                    </td>
                  ))}
                </tr>
              ))}
            </Table>
          ) : (
            <p class="muted">{t('No source has reported: data comes by ingest alone.')}</p>
          )
        }
      </Answer>
    </section>
  );
}

const socket = new Socket();

/** Tests the streams, and shows the position of the store. */
function Streams() {
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const [took, setTook] = useState<number>();
  const [position, setPosition] = useState<string | null>();
  useEffect(() => {
    let began = performance.now();
    setPosition(undefined); // that of another key's stream
    const end = follow<{ disclosureStream: { position?: string | null } }>(
      `subscription Position {
        disclosureStream(topics: ["all"]) {
          ... on Subscribed { position } ... on DisclosureEvent { position } ... on StoreWentBack { position }
        }
      }`,
      () => {
        began = performance.now();
        setTook(undefined);
        return {};
      },
      {
        event: ({ disclosureStream }) => {
          setTook(before => before ?? Math.round(performance.now() - began));
          if (disclosureStream.position) setPosition(disclosureStream.position);
        },
        state: (state, why) => setState([state, why]),
      },
      socket,
    );
    return () => {
      end();
      socket.close();
    };
  }, [apiKey.value]);
  const [epoch, seq] = position?.split(':') ?? [];
  return (
    <section class="card" aria-labelledby="streams">
      <div class="row">
        <h2 id="streams">{t('Streams')}</h2>
        <Stream state={state[0]} why={state[1]} />
      </div>
      <dl class="state">
        <div>
          <dt>{t('Epoch of the store')}</dt>
          <dd class="mono" id="epoch">
            {epoch ?? '–'}
          </dd>
        </div>
        <div>
          <dt>{t('Newest disclosure')}</dt>
          <dd class="mono">{seq ? `seq ${seq}` : '–'}</dd>
        </div>
        <div>
          <dt>{t('Connected in')}</dt>
          <dd>{took === undefined ? '–' : `${took} ms`}</dd>
        </div>
      </dl>
      {state[0] === 'refused' && <p class="small muted">{state[1]}</p>}
    </section>
  );
}

interface Rate {
  requests: number;
  rate_limited: number;
  per_second: string;
}

interface Usage {
  plan: string;
  month: string;
  units: number;
  units_per_month: number | null;
  ends_at: string;
  operations: { day: string; operation: string; units: number }[];
  request_rate: Rate;
  request_rate_of_all: Rate | null;
}

/** How often somebody asked this server in the last minute. */
function Requests({ id, title, rate }: { id: string; title: string; rate: Rate }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd id={id}>
        <Num text={rate.per_second} unit={t('a second')} />
        <div class="small muted">
          {t('{count} in the last minute', { count: rate.requests })}
          {rate.rate_limited > 0 && `, ${t('{count} of them rate-limited', { count: rate.rate_limited })}`}
        </div>
      </dd>
    </div>
  );
}

function Key() {
  const now = useNow(30);
  const answer = useAnswer(
    async signal => {
      const response = await get('/v1/usage', signal);
      const limit = (name: string) => response.headers.get(`x-ratelimit-${name}`);
      return { usage: (await response.json()) as Usage, limit: limit('limit'), left: limit('remaining') };
    },
    [],
    10,
  );
  return (
    <section class="card" aria-labelledby="key">
      <h2 id="key">{t('Your key')}</h2>
      <Answer of={answer} label={t('Usage')}>
        {({ usage, limit, left }) => {
          const sums = new Map<string, number>();
          for (const { operation, units } of usage.operations) sums.set(operation, (sums.get(operation) ?? 0) + units);
          return (
            <>
              <dl class="state">
                <div>
                  <dt>{t('Plan')}</dt>
                  <dd id="plan">{usage.plan}</dd>
                </div>
                <div>
                  <dt>
                    {t('Request units in')} {usage.month}
                  </dt>
                  <dd>
                    <Num text={String(usage.units)} />{' '}
                    <span class="small muted">
                      {t('of')} {usage.units_per_month === null ? t('any number') : <Num text={String(usage.units_per_month)} />}
                    </span>
                  </dd>
                </div>
                <div>
                  <dt>{t('Requests left in the bucket')}</dt>
                  <dd>
                    {left ?? '–'}{' '}
                    <span class="small muted">
                      {t('of')} {limit ?? t('any number')}
                    </span>
                  </dd>
                </div>
                <Requests id="rate" title={t('Your requests')} rate={usage.request_rate} />
                {usage.request_rate_of_all && (
                  <Requests id="rate-of-all" title={t('Requests of all keys')} rate={usage.request_rate_of_all} />
                )}
              </dl>
              <p class="small muted">
                {t('Counting starts again')} {age(usage.ends_at, now)}.
              </p>
              {sums.size > 0 && (
                <details class="more">
                  <summary>{t('By operation')}</summary>
                  <Table label={t('Request units by operation')} columns={[t('Operation'), [t('Units'), 'number']]} take="/v1/usage">
                    {[...sums]
                      .sort((a, b) => b[1] - a[1])
                      .map(([operation, units]) => (
                        <tr key={operation}>
                          <th scope="row">
                            <code>{operation}</code>
                          </th>
                          <td class="number">{units}</td>
                        </tr>
                      ))}
                  </Table>
                </details>
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
