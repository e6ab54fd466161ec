import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useInAddress } from '../site/address';
import { Answer, Trouble, useAnswer } from '../site/answer';
import { ask, get } from '../site/api';
import { pageOf } from '../site/catalog';
import { Change, fresh, Num, useNow, When } from '../site/figures';
import { apiKey } from '../site/key';
import { follow, type State } from '../site/live';
import { Near } from '../site/near';
import { Choice } from './choice';
import { Why } from './why';
import { Bars } from './bars';
import { ACTION, PAID, type Action } from './actions';
import { About, Groups, Indicators, Windows, words } from './facts';
import { KnownWhen, useKnown } from './known';
import { typeName } from '../site/market-names';
import { Stream } from '../site/stream';
import { spoken, t, written } from '../site/words';

const id = decodeURIComponent(location.pathname.split('/')[2] ?? '');

const QUOTE =
  'last currency prevClose change changePct open high low bid ask volume turnover limitUp limitDown marketCap ' +
  'asOf dataDelaySeconds fxRate fxAsOf';
const HEAD = `query Instrument($id: ID!) {
  instrument(id: $id) {
    instrumentId name ticker market assetType currency source segment category founder underlyingIndex unit region priceMechanism adjustment coverageFrom logoUrl
    session { timezone open close alwaysOpen }
    sectorInfo { code name nameEn }
    indices(first: 30) { code name }
    holders(first: 12) { fundId fundCode name weightPct marketValue reportMonth }
    meaningChanges { what from to on }
    dividends(first: 40) { ${PAID} }
    corporateActions(first: 100) { ${ACTION} }
    periodic { asOf currency windows { window startDate changePct high low nullReason } }
    indicators { asOf values { indicator component period value nullReason } note }
    disclosures(first: 30) { disclosureIndex publishedAt subject { tr en } }
  }
}`;
const NOW = `query Quote($id: ID!, $currency: Currency) { quote(id: $id, currency: $currency) { ${QUOTE} } }`;
const LIVE = `subscription Quote($ids: [ID!]!) { quoteStream(ids: $ids) { ... on QuoteEvent { data { ${QUOTE} } } ... on NoQuote { nullReason } } }`;

/** The query of the page for an instrument, without its bars. */
export interface Instrument {
  instrumentId: string;
  name: string | null;
  ticker: string | null;
  market: string;
  assetType: string;
  currency: string | null;
  logoUrl: string | null;
  session: { timezone: string; open: string | null; close: string | null; alwaysOpen: boolean } | null;
  sectorInfo: { name: string; nameEn: string | null } | null;
  indices: { code: string; name: string | null }[] | null;
  holders:
    { fundId: string; fundCode: string; name: string; weightPct: string | null; marketValue: string | null; reportMonth: string }[] | null;
  adjustment: string | null;
  meaningChanges: { what: string; from: string | null; to: string | null; on: string }[];
  corporateActions: Action[] | null;
  dividends:
    | {
        exDate: string | null;
        paymentDate: string | null;
        grossPerShare: string | null;
        netPerShare: string | null;
        currency: string;
        installment: number | null;
        status: string | null;
      }[]
    | null;
  periodic: {
    asOf: string | null;
    currency: string | null;
    windows: {
      window: string;
      startDate: string | null;
      changePct: string | null;
      high: string | null;
      low: string | null;
      nullReason: string | null;
    }[];
  } | null;
  indicators: {
    asOf: string | null;
    note: string | null;
    values: { indicator: string; component: string | null; period: number | null; value: string | null; nullReason: string | null }[];
  } | null;
  disclosures: { disclosureIndex: number; publishedAt: string | null; subject: { tr: string | null; en: string | null } | null }[] | null;
  [other: string]: unknown;
}

export type Quote = Record<'last' | 'currency' | 'asOf', string> & { dataDelaySeconds: number } & Record<
    | 'prevClose'
    | 'change'
    | 'changePct'
    | 'open'
    | 'high'
    | 'low'
    | 'bid'
    | 'ask'
    | 'volume'
    | 'turnover'
    | 'limitUp'
    | 'limitDown'
    | 'marketCap'
    | 'fxRate'
    | 'fxAsOf',
    string | null
  >;

const CURRENCIES = { '': 'Own', TRY: 'TRY', USD: 'USD', EUR: 'EUR' } as const;

const valuation = () => import('./valuation').then(({ Valuation }) => Valuation);
const meaning = () => import('./meaning').then(({ Meaning }) => Meaning);
const payouts = () => import('./payouts').then(({ Payouts }) => Payouts);
const statements = () => import('./statements').then(({ Statements }) => Statements);
const fund = () => import('./fund').then(({ FundParts }) => FundParts);
const disclosures = () => import('./filed').then(({ Disclosures }) => Disclosures);

/** Whether the address names a disclosure; the page then shows it. */
function useNamed(): boolean {
  const [named, setNamed] = useState(location.hash !== '');
  useEffect(() => {
    const look = () => setNamed(location.hash !== '');
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return named;
}

function Page() {
  const named = useNamed();
  const [currency, setCurrency] = useInAddress<keyof typeof CURRENCIES>('currency', '', CURRENCIES);
  const [quote, setQuote] = useState<Quote>();
  const [known, setKnown] = useKnown();
  const head = useAnswer(signal => ask<{ instrument: Instrument | null }>(HEAD, { id }, signal), [], 60);
  return (
    <Answer of={head} label={id}>
      {({ data, errors }) => {
        const instrument = data.instrument;
        if (!instrument) {
          return (
            <>
              <h1>{id}</h1>
              <div class="note warn">
                {errors[0]?.message ?? t('The catalog has no such instrument.')}{' '}
                {errors[0]?.extensions?.problem?.successor?.map(id => (
                  <a href={pageOf(id)} key={id}>
                    {id}
                  </a>
                ))}
              </div>
            </>
          );
        }
        document.title = `${instrument.name ?? instrument.instrumentId} · piyasa`;
        const company = instrument.market === 'BIST' || instrument.market === 'US';
        const shares = company || !!instrument.corporateActions?.length || !!instrument.dividends?.length;
        const refused = [...new Set(errors.map(error => `${words(String(error.path?.at(-1)))}: ${error.message}`))];
        return (
          <>
            <Head instrument={instrument} currency={currency} choose={setCurrency} onQuote={setQuote} />
            {refused.length > 0 && (
              <div class="note warn small">
                {t('Not shown:')}{' '}
                {refused.map(text => (
                  <div key={text}>{text}</div>
                ))}
              </div>
            )}
            <Bars instrument={instrument} currency={currency} quote={quote} />
            {shares && <KnownWhen day={known} go={setKnown} company={company} />}
            <div class="columns">
              <div class="stack">
                {instrument.market === 'FUND' && <Near label={t('Profile')} load={fund} of={{ id: instrument.instrumentId }} />}
                {company && <Near label={t('Valuation')} load={valuation} of={{ id: instrument.instrumentId, currency, known }} />}
                {company && <Near label={t('Statements')} load={statements} of={{ id: instrument.instrumentId, known }} />}
                <Near label={t('Disclosures')} load={disclosures} of={{ id: instrument.instrumentId }} now={named} />
              </div>
              <div class="stack">
                <About {...instrument} />
                <Near label={t('What its prices mean')} load={meaning} of={{ instrument }} />
                <Windows of={instrument} quoted={quote?.asOf} />
                <Indicators {...instrument} />
                {shares && <Near label={t('Corporate actions and dividends')} load={payouts} of={{ instrument, day: known }} />}
                <Groups {...instrument} />
              </div>
            </div>
          </>
        );
      }}
    </Answer>
  );
}

function Head({
  instrument,
  currency,
  choose,
  onQuote,
}: {
  instrument: Instrument;
  currency: keyof typeof CURRENCIES;
  choose: (currency: keyof typeof CURRENCIES) => void;
  onQuote: (quote: Quote | undefined) => void;
}) {
  const own = !currency || currency === instrument.currency;
  const [live, setLive] = useState<Quote | { nullReason: string }>();
  const [state, setState] = useState<[State, string?]>(['connecting']);
  const streamed = own && state[0] === 'live';
  const asked = useAnswer(
    signal => ask<{ quote: Quote | null }>(NOW, { id, currency: currency || null }, signal),
    [currency],
    streamed ? 300 : 10,
  );
  useEffect(() => {
    if (!apiKey.value) return;
    return follow<{ quoteStream: { data?: Quote; nullReason?: string } }>(LIVE, () => ({ ids: [id] }), {
      event: ({ quoteStream: { data, nullReason } }) => (data || nullReason) && setLive(data ?? { nullReason: nullReason! }),
      state: (state, why) => setState([state, why]),
    });
  }, [apiKey.value]);
  const now = useNow(5);
  const answered = asked.value?.data.quote;
  const quote =
    own && live && 'last' in live && !(answered && answered.asOf > live.asOf)
      ? live
      : own && live && 'nullReason' in live
        ? undefined
        : answered;
  useEffect(() => onQuote(quote ?? undefined), [quote]);
  return (
    <>
      <div class="head">
        {instrument.logoUrl && <LogoImage id={instrument.instrumentId} />}
        <div>
          <h1>{instrument.name ?? instrument.instrumentId}</h1>
          <div class="row small">
            <code>{instrument.instrumentId}</code>
            {instrument.ticker && <span class="tag">{instrument.ticker}</span>}
            <span class="muted">{typeName(instrument.assetType)}</span>
            {own && (quote || state[0] !== 'live') && <Stream state={state[0]} why={state[1]} />}
          </div>
        </div>
        {quote ? (
          <div class="price">
            <strong>
              <Num text={quote.last} unit={quote.currency} />
            </strong>{' '}
            <Change pct={quote.changePct} />
            <span class="small muted">
              {t('observed')} <When at={quote.asOf} now={now} />
              {quote.dataDelaySeconds && fresh(quote.asOf, now)
                ? `, ${t('published {minutes} min late', { minutes: quote.dataDelaySeconds / 60 })}`
                : ''}
              {quote.fxRate && `, ${t('converted at {rate}', { rate: written(quote.fxRate) })}`}
            </span>
          </div>
        ) : (
          asked.value && (
            <div class="price">
              <Why reason={live && 'nullReason' in live ? live.nullReason : (asked.value.errors[0]?.message ?? null)} />
            </div>
          )
        )}
      </div>
      {asked.failure && <Trouble failure={asked.failure} again={asked.again} old={asked.old} />}
      <div class="card">
        <div class="row">
          <h2>{t('Quote')}</h2>
          {instrument.market !== 'INDEX' && (
            <div class="end">
              <Choice label={t('Currency')} of={CURRENCIES} value={currency} choose={choose} />
            </div>
          )}
        </div>
        <dl class="facts quote">
          {(
            ['prevClose', 'change', 'open', 'high', 'low', 'bid', 'ask', 'volume', 'turnover', 'limitDown', 'limitUp', 'marketCap'] as const
          )
            .filter(name => name !== 'marketCap' || quote?.marketCap) // the valuation of a company has one, or says why not
            .map(name => (
              <div key={name}>
                <dt>{words(name)}</dt>
                <dd>
                  <Num text={quote?.[name]} />
                </dd>
              </div>
            ))}
        </dl>
      </div>
    </>
  );
}

/** The logo. Its request needs the key, so it is not a plain image. */
function LogoImage({ id }: { id: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    let made: string | undefined;
    get(`/v1/logos/${encodeURIComponent(id)}`, stop.signal, 'image/png')
      .then(response => response.blob())
      .then(
        blob => setAddress((made = URL.createObjectURL(blob))),
        () => undefined, // the page is whole without it
      );
    return () => {
      stop.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [id]);
  return address ? <img class="logo" src={address} alt="" /> : null;
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
