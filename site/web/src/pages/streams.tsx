import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { retry, Trouble } from '../site/answer';
import { askAll, Failure, failureFrom, getJSON } from '../site/api';
import { pageOf } from '../site/catalog';
import { lasting, useNow, When } from '../site/figures';
import { apiKey } from '../site/key';
import { follow, Socket, type State } from '../site/live';
import { now as clockNow } from '../site/server';
import { Stream } from '../site/stream';
import { Table } from '../site/table';
import { inLanguage, locale, spoken, t } from '../site/words';

interface Row {
  disclosureIndex: number;
  type: string;
  symbols: string[];
  publishedAt: string | null;
  subject: { tr: string | null; en: string | null } | null;
  instruments: { instrumentId: string }[] | null;
}

const ROW = 'disclosureIndex type symbols publishedAt subject { tr en } instruments(first: 1) { instrumentId }';
const STREAM = `subscription Disclosures($topics: [String!]!, $lastSeenIndex: Int, $after: String) {
  disclosureStream(topics: $topics, lastSeenIndex: $lastSeenIndex, after: $after) {
    __typename
    ... on Subscribed { position }
    ... on DisclosureEvent { replay seq position data { ${ROW} } }
    ... on ReplayDone { lastIndex lastSeq position truncated }
    ... on StoreWentBack { position lost }
    ... on StreamError { code message }
  }
}`;

type Event =
  | { __typename: 'Subscribed'; position: string | null }
  | { __typename: 'DisclosureEvent'; replay: boolean; seq: number; position: string | null; data: Row }
  | { __typename: 'ReplayDone'; lastIndex: number; lastSeq: number; position: string | null; truncated: boolean }
  | { __typename: 'StoreWentBack'; position: string; lost: number[] | null }
  | { __typename: 'StreamError'; code: string; message: string };

type Line = { at: string; text: string; good: boolean } | { event: Row; seq: number; replay: boolean };

const TOPICS = ['all', 'type:FR', 'type:ODA', 'type:DG', 'type:DUY', 'type:CA', 'type:FON'];
const FIRST = 12;
const LINES = 300;

const socket = new Socket();
const clock = () => new Date(clockNow()).toLocaleTimeString(locale);

function Page() {
  const [topic, setTopic] = useState('all');
  const [away, setAway] = useState<number>();
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const [lines, setLines] = useState<Line[]>([]);
  const [position, setPosition] = useState<string>();
  const [counts, setCounts] = useState({ live: 0, replayed: 0, cuts: 0, last: 0 });
  const [check, setCheck] = useState<{ checked: number; missing: number[] } | Failure>();
  const [failure, setFailure] = useState<Failure>();
  const [turn, setTurn] = useState(0);
  const again = () => setTurn(turn => turn + 1);
  // Where to resume from, and what was received. Only the follower reads them, so changes do not
  // redraw the page.
  const here = useRef<{ after?: string; lastSeenIndex?: number; first?: number; seen: Set<number>; replayed: number; wasLive: boolean }>({
    seen: new Set(),
    replayed: 0,
    wasLive: false,
  });
  const note = (text: string, good = false) => setLines(before => [{ at: clock(), text, good }, ...before].slice(0, LINES));

  // Begins a little before the newest disclosure, so that there is something to see.
  useEffect(() => {
    setLines([]);
    setPosition(undefined);
    setCheck(undefined);
    setFailure(undefined);
    setAway(undefined);
    setCounts({ live: 0, replayed: 0, cuts: 0, last: 0 });
    here.current = { seen: new Set(), replayed: 0, wasLive: false };
    if (!apiKey.value) {
      setFailure(new Failure('', 401, t('A key is needed')));
      return;
    }
    const stop = new AbortController();
    let end = () => {};
    setState(['connecting']);
    const type = topic.startsWith('type:') ? topic.slice(5) : null;
    askAll<{ disclosures: { items: { disclosureIndex: number }[] } }>(
      `query Newest($type: DisclosureType) { disclosures(type: $type, limit: ${FIRST}) { items { disclosureIndex } } }`,
      { type },
      stop.signal,
    ).then(
      ({ disclosures }) => {
        const numbers = disclosures.items.map(row => row.disclosureIndex);
        here.current.lastSeenIndex = numbers.length ? Math.min(...numbers) - 1 : 0;
        here.current.first = here.current.lastSeenIndex;
        end = start();
        stopRef.current = () => end();
      },
      error => {
        if (stop.signal.aborted) return;
        const failure = failureFrom(error);
        setFailure(failure);
        setState([failure.retryAfter ? 'lost' : 'refused', failure.message]);
      },
    );
    return () => {
      stop.abort();
      stopRef.current();
      stopRef.current = () => {};
      socket.close();
    };
  }, [topic, apiKey.value, turn]);
  useEffect(() => retry(failure, again), [failure]);

  const stopRef = useRef(() => {});

  const start = () =>
    follow<{ disclosureStream: Event }>(
      STREAM,
      () => {
        const { after, lastSeenIndex } = here.current;
        here.current.replayed = 0;
        return after ? { topics: [topic], after } : { topics: [topic], lastSeenIndex };
      },
      { event: ({ disclosureStream }) => take(disclosureStream), state: changed },
      socket,
    );

  const changed = (state: State, why?: string) => {
    setState([state, why]);
    if (state === 'lost' && here.current.wasLive) {
      here.current.wasLive = false;
      setCounts(before => ({ ...before, cuts: before.cuts + 1 }));
      setCheck(undefined);
      note(why ? t('The connection was lost: {why}', { why }) : t('The connection was lost.'));
    }
    if (state === 'refused') note(t('The server refused: {why}', { why: why ?? '' }));
  };

  const stand = (next: string | null) => {
    if (!next) return;
    here.current.after = next;
    setPosition(next);
  };

  const take = (event: Event) => {
    switch (event.__typename) {
      case 'Subscribed':
        here.current.wasLive = true;
        stand(event.position);
        break;
      case 'DisclosureEvent': {
        const { disclosureIndex } = event.data;
        stand(event.position);
        if (event.replay) here.current.replayed++;
        const again = here.current.seen.has(disclosureIndex);
        here.current.seen.add(disclosureIndex);
        setCounts(before => ({
          ...before,
          live: before.live + +!event.replay,
          replayed: before.replayed + +event.replay,
          last: Math.max(before.last, disclosureIndex),
        }));
        if (!again) setLines(before => [{ event: event.data, seq: event.seq, replay: event.replay }, ...before].slice(0, LINES));
        break;
      }
      case 'ReplayDone': {
        const first = !here.current.after;
        stand(event.position);
        note(
          first
            ? t('Began with {count} stored disclosures.', { count: here.current.replayed })
            : t('Resumed: {count} replayed, nothing is missing up to seq {seq}.', { count: here.current.replayed, seq: event.lastSeq }),
          true,
        );
        if (event.truncated) {
          // There is more: subscribe again from the position where it ended.
          if (!event.position) here.current.lastSeenIndex = event.lastIndex;
          stopRef.current();
          stopRef.current = start();
        } else if (!first) void verify();
        break;
      }
      case 'StoreWentBack':
        stand(event.position);
        event.lost?.forEach(number => here.current.seen.delete(number));
        note(
          event.lost
            ? t('The store went back: {count} disclosures are not stored any more.', { count: event.lost.length })
            : t('The store went back: some disclosures are not stored any more.'),
        );
        break;
      case 'StreamError':
        note(`${event.code}: ${event.message}`);
    }
  };

  const list = `/v1/kap-feed/disclosures?limit=100${topic.startsWith('type:') ? `&type=${topic.slice(5)}` : ''}`;

  /** Compares what was received with the list of the API. */
  const verify = async () => {
    try {
      const listed: number[] = [];
      let cursor: string | null = '';
      const until = here.current.first ?? 0;
      for (let page = 0; page < 10 && cursor !== null; page++) {
        const body: { items: { disclosure_index: number }[]; next_cursor: string | null } = await getJSON(
          `${list}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        );
        listed.push(...body.items.map(row => row.disclosure_index));
        cursor = body.next_cursor;
        if (body.items.some(row => row.disclosure_index <= until)) break;
      }
      // The list may already have what the stream is about to send.
      const due = listed.filter(number => number > until);
      const missing = () => due.filter(number => !here.current.seen.has(number));
      for (let wait = 0; missing().length && wait < 10; wait++) await new Promise(resume => setTimeout(resume, 300));
      setCheck({ checked: due.length, missing: missing() });
    } catch (error) {
      setCheck(failureFrom(error, t('Not checked')));
    }
  };

  useEffect(() => retry(check instanceof Failure ? check : undefined, verify), [check]);

  const cut = (stay: boolean) => {
    setCounts(before => ({ ...before, cuts: before.cuts + 1 }));
    setCheck(undefined);
    here.current.wasLive = false;
    note(t(stay ? 'You cut the connection, and stay away.' : 'You cut the connection; it comes back by itself.'));
    if (stay) {
      setAway(clockNow());
      stopRef.current();
      stopRef.current = () => {};
      setState(['lost', 'cut']);
    }
    socket.cut();
  };

  const back = () => {
    setAway(undefined);
    stopRef.current = start();
  };

  const now = useNow(1);
  const missing = check && !(check instanceof Failure) ? check.missing : undefined;
  return (
    <>
      <h1>{t('Disclosure stream')}</h1>
      <p class="muted lead">
        {t('Disclosures arrive as they are stored.')}{' '}
        {t('Cut the connection: after it is back, the server replays what was stored meanwhile, from the position that this page keeps.')}
      </p>
      {failure && <Trouble failure={failure} again={again} />}
      <section class="card" style={{ marginTop: '16px' }} aria-label={t('Connection')}>
        <div class="row">
          <Stream state={state[0]} why={state[1]} />
          <button type="button" class="danger" aria-disabled={state[0] !== 'live'} onClick={() => cut(false)}>
            {t('Cut the connection')}
          </button>
          {away ? (
            <button type="button" class="main" onClick={back}>
              {t('Connect again')}
            </button>
          ) : (
            <button type="button" aria-disabled={state[0] !== 'live'} onClick={() => cut(true)}>
              {t('Cut and stay away')}
            </button>
          )}
          {away && (
            <span class="muted">
              {t('away for')} {lasting(Math.max(0, Math.round((now - away) / 1000)))}
            </span>
          )}
          <label class="row end">
            {t('Topic')}
            <select value={topic} onChange={event => setTopic(event.currentTarget.value)}>
              {TOPICS.map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        </div>
        <dl class="state">
          <div>
            <dt>{t('Position')}</dt>
            <dd class="mono" id="position">
              {position ?? '–'}
            </dd>
          </div>
          <div>
            <dt>{t('Live')}</dt>
            <dd id="live">{counts.live}</dd>
          </div>
          <div>
            <dt>{t('Replayed')}</dt>
            <dd id="replayed">{counts.replayed}</dd>
          </div>
          <div>
            <dt>{t('Cuts')}</dt>
            <dd id="cuts">{counts.cuts}</dd>
          </div>
          <div>
            <dt>{t('Missing')}</dt>
            <dd id="missing" class={missing ? (missing.length ? 'down' : 'up') : ''}>
              {missing
                ? missing.length
                  ? missing.join(', ')
                  : t('none of {count}', { count: (check as { checked: number }).checked })
                : counts.cuts
                  ? '…'
                  : '–'}
            </dd>
          </div>
        </dl>
        {check instanceof Failure && <Trouble failure={check} again={verify} />}
        <p class="small muted">
          {t('After each cut, the page compares what it has received with the list')} <code>/v1/kap-feed/disclosures</code>
          {t('. A position is a number with the epoch of the store. How to write such a client:')} <a href="/docs">{t('docs')}</a>.
        </p>
        <p class="unseen" role="status">
          {state[0] === 'live' ? t('Connected.') : state[0] === 'lost' ? t('Not connected.') : ''}{' '}
          {missing && t(missing.length ? 'Disclosures are missing.' : 'Nothing is missing.')}
        </p>
      </section>
      <section class="card" style={{ marginTop: '16px' }} aria-labelledby="events">
        <h2 id="events">{t('Events')}</h2>
        <Table
          label={t('Events')}
          columns={[[t('Number'), 'number'], [t('Seq'), 'number'], t('How'), t('Type'), t('Codes'), t('Subject'), t('Published')]}
          take={list}
        >
          {lines.map(line =>
            'event' in line ? (
              <tr key={line.seq} data-index={line.event.disclosureIndex} class={line.replay ? '' : 'arrived'}>
                <td class="number">{line.event.disclosureIndex}</td>
                <td class="number muted">{line.seq}</td>
                <td>
                  <span class={`tag ${line.replay ? 'warn' : 'up'}`}>{t(line.replay ? 'replayed' : 'live')}</span>
                </td>
                <td>{line.event.type}</td>
                <td>
                  {line.event.instruments?.[0] ? (
                    <a href={`${pageOf(line.event.instruments[0].instrumentId)}#disclosure-${line.event.disclosureIndex}`}>
                      {line.event.symbols.join(' ')}
                    </a>
                  ) : (
                    line.event.symbols.join(' ') || t('Market')
                  )}
                </td>
                <td>{inLanguage(line.event.subject?.tr, line.event.subject?.en) ?? '–'}</td>
                <td>
                  <When at={line.event.publishedAt} />
                </td>
              </tr>
            ) : (
              <tr class={`mark ${line.good ? 'good' : ''}`} key={line.at + line.text}>
                <td colSpan={7}>
                  {line.at} {line.text}
                </td>
              </tr>
            ),
          )}
        </Table>
        {!lines.length && !failure && <p class="muted awaited">{t('Nothing yet …')}</p>}
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
