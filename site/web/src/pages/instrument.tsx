import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Answer, Trouble, useAnswer } from '../site/answer';
import { ask, get } from '../site/api';
import { pageOf, Search } from '../site/catalog';
import { Change, Num, useNow, When } from '../site/figures';
import { apiKey } from '../site/key';
import { follow, type State } from '../site/live';
import { Near } from '../site/near';
import { Choice } from './choice';
import { Valuation, Why } from './valuation';
import type { Bar, Happening } from './chart';
import { Stream } from '../site/stream';

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
    dividends(first: 40) { exDate paymentDate grossPerShare netPerShare currency installment status }
    periodic { asOf currency windows { window startDate changePct high low nullReason } }
    indicators { asOf values { indicator component period value nullReason } note }
    disclosures(first: 30) { disclosureIndex publishedAt subject { tr en } }
  }
}`;
const NOW = `query Quote($id: ID!, $currency: Currency) { quote(id: $id, currency: $currency) { ${QUOTE} } }`;
const LIVE = `subscription Quote($ids: [ID!]!) { quoteStream(ids: $ids) { ... on QuoteEvent { data { ${QUOTE} } } ... on NoQuote { nullReason } } }`;

interface Instrument {
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
    | { fundId: string; fundCode: string; name: string; weightPct: string | null; marketValue: string | null; reportMonth: string }[]
    | null;
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

type Quote = Record<'last' | 'currency' | 'asOf', string> & { dataDelaySeconds: number } & Record<
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

const statements = () => import('./statements').then(({ Statements }) => Statements);
const disclosures = () => import('./filed').then(({ Disclosures }) => Disclosures);

/** Whether the address names a disclosure, which is shown then. */
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
  const [currency, setCurrency] = useState<keyof typeof CURRENCIES>('');
  const head = useAnswer(signal => ask<{ instrument: Instrument | null }>(HEAD, { id }, signal), [], 60);
  return (
    <Answer of={head} label={id}>
      {({ data, errors }) => {
        const instrument = data.instrument;
        if (!instrument) {
          return (
            <>
              <h1>{id}</h1>
              <div class="note warn">{errors[0]?.message ?? 'The catalog has no such instrument.'}</div>
              <div style={{ maxWidth: '480px', marginTop: '16px' }}>
                <Search />
              </div>
            </>
          );
        }
        document.title = `${instrument.name ?? instrument.instrumentId} · piyasa`;
        const company = instrument.market === 'BIST' || instrument.market === 'US';
        const refused = [...new Set(errors.map(error => `${error.path?.at(-1)}: ${error.message}`))];
        return (
          <>
            <Head instrument={instrument} currency={currency} choose={setCurrency} />
            {refused.length > 0 && (
              <div class="note warn small">
                Not shown:{' '}
                {refused.map(text => (
                  <div key={text}>{text}</div>
                ))}
              </div>
            )}
            <Bars instrument={instrument} currency={currency} />
            <div class="columns">
              <div class="stack">
                {company && <Valuation id={instrument.instrumentId} currency={currency} />}
                {company && <Near label="Statements" load={statements} of={{ id: instrument.instrumentId }} />}
                <Near label="Disclosures" load={disclosures} of={{ id: instrument.instrumentId }} now={named} />
              </div>
              <div class="stack">
                <About {...instrument} />
                <Windows {...instrument} />
                <Indicators {...instrument} />
                <Dividends {...instrument} />
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
}: {
  instrument: Instrument;
  currency: keyof typeof CURRENCIES;
  choose: (currency: keyof typeof CURRENCIES) => void;
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
  return (
    <>
      <div class="head">
        {instrument.logoUrl && <LogoImage id={instrument.instrumentId} />}
        <div>
          <h1>{instrument.name ?? instrument.instrumentId}</h1>
          <div class="row small">
            <code>{instrument.instrumentId}</code>
            {instrument.ticker && <span class="tag">{instrument.ticker}</span>}
            <span class="muted">{instrument.assetType.toLowerCase()}</span>
            {own && <Stream state={state[0]} why={state[1]} />}
          </div>
        </div>
        {quote ? (
          <div class="price">
            <strong>
              <Num text={quote.last} unit={quote.currency} />
            </strong>{' '}
            <Change pct={quote.changePct} />
            <span class="small muted">
              observed <When at={quote.asOf} now={now} />
              {quote.dataDelaySeconds ? `, published ${quote.dataDelaySeconds / 60} min late` : ''}
              {quote.fxRate && `, converted at ${quote.fxRate}`}
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
      {asked.failure && <Trouble failure={asked.failure} again={asked.again} />}
      <div class="card">
        <div class="row">
          <h2>Quote</h2>
          {instrument.market !== 'INDEX' && (
            <div class="end">
              <Choice label="Currency" of={CURRENCIES} value={currency} choose={choose} />
            </div>
          )}
        </div>
        <dl class="facts quote">
          {(
            ['prevClose', 'change', 'open', 'high', 'low', 'bid', 'ask', 'volume', 'turnover', 'limitDown', 'limitUp', 'marketCap'] as const
          ).map(name => (
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

const words = (name: string) => {
  const text = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The logo, which is asked for with the key. */
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

const RANGES: Record<string, [string, string, number]> = {
  d5: ['5m', 'M5', 7],
  d14: ['2h', 'H2', 30],
  m3: ['3 months', 'D1', 92],
  y1: ['1 year', 'D1', 365],
  y3: ['3 years', 'D1', 3 * 365],
};

const COLUMNS = 'open high low close volume turnover';
const BARS = `query Bars($id: ID!, $resolution: Resolution, $from: Date, $currency: Currency) {
  series: candles(id: $id, resolution: $resolution, from: $from, currency: $currency) { currency availableFrom columns { t ${COLUMNS} } }
}`;
const DAYS = `query Days($id: ID!, $from: Date, $currency: Currency) {
  series: eod(id: $id, from: $from, currency: $currency) { currency availableFrom records { date ${COLUMNS} } }
}`;

interface Series {
  currency: string;
  availableFrom: string | null;
  bars: Bar[];
}

async function series(range: string, currency: string, signal: AbortSignal): Promise<Series> {
  const [, resolution, days] = RANGES[range]!;
  const from = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const variables = { id, from, currency: currency || null };
  if (resolution === 'D1') {
    const { data } = await ask<{ series: Omit<Series, 'bars'> & { records: (Omit<Bar, 'at'> & { date: string })[] } }>(
      DAYS,
      variables,
      signal,
    );
    return { ...data.series, bars: data.series.records.map(({ date, ...figures }) => ({ at: date, ...figures })) };
  }
  type Columns = { t: string[] } & Record<keyof Omit<Bar, 'at'>, (string | null)[]>;
  const { data } = await ask<{ series: Omit<Series, 'bars'> & { columns: Columns } }>(BARS, { ...variables, resolution }, signal);
  const { t, open, high, low, close, volume, turnover } = data.series.columns;
  const bars = t.map((at, n) => ({
    at,
    open: open[n]!,
    high: high[n]!,
    low: low[n]!,
    close: close[n]!,
    volume: volume[n]!,
    turnover: turnover[n]!,
  }));
  return { ...data.series, bars };
}

function Bars({ instrument, currency }: { instrument: Instrument; currency: string }) {
  const crypto = instrument.market === 'CRYPTO';
  const short = crypto ? 'd14' : instrument.market === 'US' || instrument.market === 'FUND' ? undefined : 'd5';
  const choices = Object.fromEntries(
    Object.entries(RANGES)
      .filter(([name]) => name === short || name[0] !== 'd')
      .map(([name, [title]]) => [name, title]),
  );
  const [range, setRange] = useState('y1');
  const answer = useAnswer(
    signal => Promise.all([series(range, currency, signal), import('./chart')]),
    [range, currency],
    range.startsWith('d') ? 60 : 300,
  );
  const happenings = useMemo(() => happeningsOf(instrument), [instrument]);
  return (
    <section class="card charted" aria-labelledby="bars">
      <div class="row">
        <h2 id="bars">Bars</h2>
        <div class="end">
          <Choice label="Range" of={choices} value={range} choose={setRange} />
        </div>
      </div>
      <Answer of={answer} label="Bars">
        {([{ bars, currency, availableFrom }, { Chart }]) => (
          <Chart
            bars={bars}
            happenings={happenings}
            currency={currency}
            resolution={RANGES[range]![1] === 'D1' ? '1d' : RANGES[range]![1] === 'M5' ? '5m' : '2h'}
            note={
              availableFrom
                ? `History starts on ${availableFrom}.`
                : instrument.adjustment
                  ? `Loaded bars are ${instrument.adjustment}.`
                  : null
            }
          />
        )}
      </Answer>
    </section>
  );
}

function happeningsOf({ disclosures, dividends }: Instrument): Happening[] {
  return [
    ...(disclosures ?? [])
      .filter(row => row.publishedAt)
      .map(row => ({
        kind: 'disclosure' as const,
        day: turkeyDay(row.publishedAt!),
        text: row.subject?.en ?? row.subject?.tr ?? String(row.disclosureIndex),
        href: `#disclosure-${row.disclosureIndex}`,
      })),
    ...(dividends ?? [])
      .filter(row => row.exDate)
      .map(row => ({ kind: 'dividend' as const, day: row.exDate!, text: `${row.grossPerShare ?? '?'} ${row.currency} a share` })),
  ];
}

const turkeyDay = (at: string) => new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(0, 10);

function About(instrument: Instrument) {
  const { session, sectorInfo } = instrument;
  const rows: [string, unknown][] = [
    ['Market', instrument.market.toLowerCase()],
    ['Sector', sectorInfo && (sectorInfo.nameEn ?? sectorInfo.name)],
    [
      'Trades',
      session && (session.alwaysOpen ? 'around the clock' : session.open ? `${session.open}–${session.close} ${session.timezone}` : null),
    ],
    ...(
      [
        'currency',
        'unit',
        'segment',
        'category',
        'founder',
        'underlyingIndex',
        'region',
        'priceMechanism',
        'adjustment',
        'source',
        'coverageFrom',
      ] as const
    ).map(name => [words(name), instrument[name]] as [string, unknown]),
  ];
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">About</h2>
      <dl class="facts">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function Windows({ periodic }: Instrument) {
  if (!periodic) return null;
  return (
    <section class="card" aria-labelledby="windows">
      <h2 id="windows">Changes</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Changes">
        <table aria-label="Changes">
          <caption class="small">Prices in {periodic.currency}</caption>
          <thead>
            <tr>
              <th scope="col">Window</th>
              <th scope="col" class="number">
                Change
              </th>
              <th scope="col" class="number">
                Low
              </th>
              <th scope="col" class="number">
                High
              </th>
            </tr>
          </thead>
          <tbody>
            {periodic.windows.map(row => (
              <tr key={row.window}>
                <th scope="row">{row.window}</th>
                {row.changePct === null ? (
                  <td colSpan={row.low === null ? 3 : 1}>
                    <Why reason={row.nullReason} />
                  </td>
                ) : (
                  <td class="number">
                    <Change pct={row.changePct} />
                  </td>
                )}
                {row.low !== null && (
                  <>
                    <td class="number">
                      <Num text={row.low} />
                    </td>
                    <td class="number">
                      <Num text={row.high} />
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Indicators({ indicators }: Instrument) {
  if (!indicators) return null;
  return (
    <section class="card" aria-labelledby="indicators">
      <h2 id="indicators">Indicators</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Indicators">
        <table aria-label="Indicators">
          <caption class="small">
            Of daily bars, <When at={indicators.asOf} />
          </caption>
          <tbody>
            {indicators.values.map(row => (
              <tr key={`${row.indicator} ${row.component} ${row.period}`}>
                <th scope="row">
                  {row.indicator} {row.period} {row.component}
                </th>
                <td class="number">{row.value === null ? <Why reason={row.nullReason} /> : <Num text={row.value} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {indicators.note && <p class="small muted">{indicators.note}</p>}
    </section>
  );
}

function Dividends({ dividends }: Instrument) {
  if (!dividends?.length) return null;
  return (
    <section class="card" aria-labelledby="dividends">
      <h2 id="dividends">Dividends</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Dividends">
        <table aria-label="Dividends">
          <thead>
            <tr>
              <th scope="col">Ex date</th>
              <th scope="col">Paid</th>
              <th scope="col" class="number">
                Gross
              </th>
              <th scope="col" class="number">
                Net
              </th>
            </tr>
          </thead>
          <tbody>
            {dividends.map(row => (
              <tr key={`${row.exDate} ${row.installment}`}>
                <th scope="row" class="nowrap">
                  {row.exDate ?? '–'}
                  {row.installment !== null && <div class="small muted">installment {row.installment}</div>}
                  {row.status === 'UPCOMING' && (
                    <div>
                      <span class="tag up">upcoming</span>
                    </div>
                  )}
                </th>
                <td class="nowrap">{row.paymentDate ?? '–'}</td>
                <td class="number">
                  <Num text={row.grossPerShare} unit={row.currency} />
                </td>
                <td class="number">
                  <Num text={row.netPerShare} unit={row.currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Groups({ indices, holders }: Instrument) {
  return (
    <>
      {!!indices?.length && (
        <section class="card" aria-labelledby="indices">
          <h2 id="indices">Indices</h2>
          <div class="row">
            {indices.map(({ code, name }) => (
              <span class="tag" title={name ?? undefined} key={code}>
                {code}
              </span>
            ))}
          </div>
        </section>
      )}
      {!!holders?.length && (
        <section class="card" aria-labelledby="holders">
          <h2 id="holders">Funds that hold it</h2>
          <div class="scroll" tabIndex={0} role="group" aria-label="Funds that hold it">
            <table aria-label="Funds that hold it">
              <thead>
                <tr>
                  <th scope="col">Fund</th>
                  <th scope="col" class="number">
                    Weight
                  </th>
                  <th scope="col" class="number">
                    Value, TRY
                  </th>
                </tr>
              </thead>
              <tbody>
                {holders.map(row => (
                  <tr key={row.fundId}>
                    <th scope="row">
                      <a href={pageOf(row.fundId)}>{row.name}</a> <span class="muted small">{row.reportMonth}</span>
                    </th>
                    <td class="number">
                      <Num text={row.weightPct} unit="%" />
                    </td>
                    <td class="number">
                      <Num text={row.marketValue} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}

render(<Page />, document.getElementById('app')!);
