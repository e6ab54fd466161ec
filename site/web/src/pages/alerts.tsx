import { useEffect, useRef, useState } from 'preact/hooks';
import { apiKey } from '../site/key';
import { compareDecimals } from '../site/grid';
import { follow, type State } from '../site/live';
import { Stream } from '../site/stream';
import { inLanguage, noDecimal, t, typedDecimal, written } from '../site/words';
import { type Alert, alerts, MOST, newKey } from './lists';
import { LIVE } from './watchlist';
import type { Quote } from './watchlist-columns';

const ARRIVING = `subscription Alerts($topics: [String!]!, $after: String) {
  disclosureStream(topics: $topics, after: $after) {
    __typename
    ... on Subscribed { position }
    ... on DisclosureEvent { position data { symbols subject { tr en } } }
    ... on ReplayDone { position }
    ... on StoreWentBack { position }
  }
}`;

interface Arrived {
  disclosureStream: {
    position?: string | null;
    data?: { symbols: string[]; subject: { tr: string | null; en: string | null } | null };
  };
}

/** An instrument that an alert can be about. */
interface Choice {
  id: string;
  name: string;
  quote?: Quote;
}

/** The code under which an instrument's disclosures are filed; none: it has no disclosures. */
const codeOf = (id: string) => /^(?:bist|fund):([A-Z0-9]{2,10})$/.exec(id)?.[1];

const about = (alert: Alert) =>
  ({
    above: t('{name} at {price} or above', { name: alert.name, price: written(alert.price ?? '') }),
    below: t('{name} at {price} or below', { name: alert.name, price: written(alert.price ?? '') }),
    disclosure: t('a new disclosure of {name}', { name: alert.name }),
  })[alert.on];

/** Whether a price has reached the one that an alert waits for, compared to the last digit. */
const reached = ({ on, price }: Alert, last: string) =>
  on === 'above' ? compareDecimals(last, price) >= 0 : on === 'below' && compareDecimals(last, price) <= 0;

/** Marks an alert as fired and notifies, once. */
function fire(alert: Alert, said: string) {
  let waited = false;
  alerts.change(all =>
    all.map(other => {
      if (other.key !== alert.key || other.said) return other;
      waited = true;
      return { ...other, said };
    }),
  );
  if (!waited || !('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    new Notification(about(alert), { body: said, tag: alert.key });
  } catch {
    // Some phones allow no notifications from a page; the page itself shows the alert.
  }
}

/**
 * Whether this tab is the one that follows streams and notifies: what a tab stores reaches the
 * others a moment later, so two tabs would both notify. When it is closed, another one takes over.
 */
function useSpeaker(): boolean {
  const [speaks, setSpeaks] = useState(!navigator.locks); // without TLS there are no locks, and no notifications
  useEffect(() => {
    let release = () => {};
    const left = new AbortController();
    const held = () =>
      new Promise<void>(end => {
        release = end;
        setSpeaks(true);
      });
    navigator.locks?.request('piyasa:alerts', { signal: left.signal }, held).catch(() => {}); // the page was left while it waited
    return () => {
      left.abort();
      release();
    };
  }, []);
  return speaks;
}

/** Follows the streams that alerts wait for, and notifies. */
export function Alerts({ open, choices }: { open: boolean; choices: Choice[] }) {
  const waiting = alerts.value.filter(alert => !alert.said);
  const speaks = useSpeaker();
  const followed = speaks ? waiting : [];
  const spoken = alerts.value.filter(alert => alert.said);
  const check = (quote: Quote | undefined) => {
    for (const alert of followed)
      if (quote && alert.instrumentId === quote.instrumentId && alert.on !== 'disclosure' && reached(alert, quote.last))
        fire(alert, t('{name} is at {last} {currency}.', { name: alert.name, last: written(quote.last), currency: quote.currency }));
  };
  const latest = useRef(check);
  latest.current = check;
  // The list that is shown already follows its quotes.
  const shown = choices.map(choice => choice.id);
  const elsewhere = [...new Set(followed.filter(({ on }) => on !== 'disclosure').map(alert => alert.instrumentId))]
    .filter(id => !shown.includes(id))
    .sort();
  useEffect(
    () => choices.forEach(choice => check(choice.quote)),
    [choices.map(({ id, quote }) => id + quote?.last).join(), followed.length],
  );
  const quotes = useStream<{ quoteStream: { data?: Quote } }>(
    LIVE,
    elsewhere,
    () => ({ ids: elsewhere }),
    event => latest.current(event.quoteStream.data),
  );
  const codes = [...new Set(followed.flatMap(({ on, instrumentId }) => (on === 'disclosure' ? (codeOf(instrumentId) ?? []) : [])))].sort();
  // The position of the codes in the stream. A new code is followed from now on: disclosures before
  // its alert do not count.
  const heardOf = useRef<{ codes: string[]; at?: string }>({ codes });
  const heard = ({ disclosureStream: { position, data } }: Arrived) => {
    heardOf.current = { codes, at: position ?? heardOf.current.at };
    for (const alert of followed)
      if (alert.on === 'disclosure' && data?.symbols.includes(codeOf(alert.instrumentId)!))
        fire(
          alert,
          t('{name} has disclosed: {subject}', { name: alert.name, subject: inLanguage(data.subject?.tr, data.subject?.en) ?? '–' }),
        );
  };
  const hear = useRef(heard);
  hear.current = heard;
  const disclosures = useStream<Arrived>(
    ARRIVING,
    codes,
    () => ({
      topics: codes.map(code => `symbol:${code}`),
      after: codes.every(code => heardOf.current.codes.includes(code)) ? heardOf.current.at : undefined,
    }),
    event => hear.current(event),
    () => (heardOf.current.at = undefined),
  );
  return (
    <>
      <div role="status" class="alerts">
        {spoken.map(alert => (
          <div class="note warn row" key={alert.key}>
            <span>
              <strong>{about(alert)}</strong>: {alert.said}
            </span>
            <button type="button" class="end" onClick={() => drop(alert)} aria-label={t('Dismiss: {alert}', { alert: about(alert) })}>
              {t('Dismiss')}
            </button>
          </div>
        ))}
      </div>
      {open && (
        <Panel
          choices={choices}
          waiting={waiting}
          states={[elsewhere.length ? quotes : undefined, codes.length ? disclosures : undefined]}
        />
      )}
    </>
  );
}

const drop = (alert: Alert) => alerts.change(all => all.filter(other => other.key !== alert.key));

/** Follows a stream about subjects from its position; if the server rejects that position, from now on. */
function useStream<T>(
  query: string,
  subjects: string[],
  variables: () => Record<string, unknown>,
  event: (event: T) => void,
  again?: () => void,
): [State, string?] {
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!subjects.length || !apiKey.value) return;
    return follow<T>(query, variables, {
      event,
      state: (state, why) => {
        setState([state, why]);
        if (state === 'refused' && variables().after) {
          again?.();
          setTurn(turn + 1);
        }
      },
    });
  }, [subjects.join(), apiKey.value, turn]);
  return state;
}

/** Makes alerts, and shows those that have not fired. */
function Panel({ choices, waiting, states }: { choices: Choice[]; waiting: Alert[]; states: ([State, string?] | undefined)[] }) {
  const [id, setId] = useState('');
  const [on, setOn] = useState<Alert['on']>('above');
  const [price, setPrice] = useState('');
  const [wrong, setWrong] = useState('');
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  const choice = choices.find(choice => choice.id === id) ?? choices[0];
  const kind = on === 'disclosure' && choice && !codeOf(choice.id) ? 'above' : on;
  const add = () => {
    const stated = typedDecimal(price);
    if (!choice) return setWrong(t('The list is empty: an alert is about one of its instruments.'));
    if (kind !== 'disclosure' && stated === undefined) return setWrong(noDecimal(price));
    if (alerts.value.length >= MOST) return setWrong(t('There are at most {count} alerts: remove one first.', { count: MOST }));
    setWrong('');
    setPrice('');
    const alert: Alert = { key: newKey(), instrumentId: choice.id, name: choice.name, on: kind };
    alerts.change(all => [...all, kind === 'disclosure' ? alert : { ...alert, price: stated }].slice(0, MOST));
  };
  return (
    <section class="editing" aria-label={t('Alerts')}>
      <form
        class="row"
        noValidate
        onSubmit={event => {
          event.preventDefault();
          add();
        }}
      >
        <select aria-label={t('Instrument')} value={choice?.id} onChange={event => setId(event.currentTarget.value)}>
          {choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <select aria-label={t('Alert on')} value={kind} onChange={event => setOn(event.currentTarget.value as Alert['on'])}>
          <option value="above">{t('at or above')}</option>
          <option value="below">{t('at or below')}</option>
          {choice && codeOf(choice.id) && <option value="disclosure">{t('a new disclosure')}</option>}
        </select>
        {kind !== 'disclosure' && (
          <label class="row">
            <input
              class="price-field"
              type="text"
              inputMode="decimal"
              aria-label={t('Price')}
              placeholder={choice?.quote && written(choice.quote.last)}
              value={price}
              autocomplete="off"
              aria-invalid={!!wrong}
              onInput={event => setPrice(event.currentTarget.value)}
            />
            {choice?.quote?.currency}
          </label>
        )}
        <button type="submit" class="main">
          {t('Set the alert')}
        </button>
      </form>
      {wrong && (
        <p role="alert" class="down">
          {wrong}
        </p>
      )}
      {permission === 'default' && (
        <button type="button" onClick={() => void Notification.requestPermission().then(setPermission)}>
          {t('Also notify me outside this page')}
        </button>
      )}
      <p class="muted small">
        {permission === 'granted'
          ? t('Each alert speaks once, as a notification and here, while this page is open.')
          : t('Each alert speaks once, here, while this page is open.')}
        {permission === 'denied' && ` ${t('This browser does not let the page notify you.')}`}
      </p>
      {!!waiting.length && (
        <ul class="sources small">
          {waiting.map(alert => (
            <li class="row" key={alert.key}>
              {about(alert)}
              <button type="button" onClick={() => drop(alert)} aria-label={t('Remove: {alert}', { alert: about(alert) })}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {states.map(state => state && state[0] !== 'live' && <Stream key={state[0]} state={state[0]} why={state[1]} />)}
    </section>
  );
}
