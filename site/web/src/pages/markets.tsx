import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isDate, useInAddress } from '../site/address';
import { Answer, Trouble, useAnswer } from '../site/answer';
import { ask, askAll, askRoots } from '../site/api';
import { pageOf } from '../site/catalog';
import { barDay, Change, direction, isAged, UpTo, When } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import { type MarketSize, marketName, membersOf } from '../site/market-names';
import { dayOf, now } from '../site/server';
import { Sections } from '../site/sections';
import { inLanguage, spoken, t } from '../site/words';
import { Choice } from './choice';
import { previousSession, Traded } from './traded';
import { missingText, whyText } from './why';

interface Mover {
  instrumentId: string;
  symbol: string;
  name: string | null;
  last: string;
  changePct: string | null;
  volume: string | null;
  turnover: string | null;
  asOf: string;
}

type Lists = Record<'gainers' | 'losers' | 'mostTraded', Mover[]>;

const MOVER = 'instrumentId symbol name last changePct volume turnover asOf';
const MOVERS = `query Movers($limit: Int!) { movers(limit: $limit) { currency asOf count missingReason { reason message } gainers { ${MOVER} } losers { ${MOVER} } mostTraded { ${MOVER} } } }`;

const moverColumns = (currency: string): Col<Mover>[] => [
  {
    key: 'instrument',
    name: t('Instrument'),
    text: row => row.instrumentId,
    cell: row => (
      <>
        <a href={pageOf(row.instrumentId)}>{row.symbol}</a> <span class="muted small">{row.name}</span>
      </>
    ),
  },
  { key: 'last', name: `${t('Last')}, ${currency}`, number: true, text: row => row.last },
  {
    key: 'change',
    name: t('Change, %'),
    number: true,
    text: row => row.changePct,
    why: () => whyText('not_provided_by_source'),
    cell: (row, aligned) => <span class={direction(row.changePct)}>{aligned}</span>,
  },
  { key: 'volume', name: t('Volume'), number: true, spare: true, text: row => row.volume },
  {
    key: 'turnover',
    name: `${t('Turnover')}, ${currency}`,
    number: true,
    text: row => row.turnover,
    why: () => whyText('not_provided_by_source'),
  },
  { key: 'currency', name: t('Currency'), spare: true, kept: true, text: () => currency },
  { key: 'asOf', name: t('Observed'), spare: true, kept: true, text: row => row.asOf, cell: row => <When at={row.asOf} /> },
];

function Movers() {
  const lists = { gainers: t('Gainers'), losers: t('Losers'), mostTraded: t('Most traded') };
  const [list, setList] = useInAddress<keyof Lists>('list', 'mostTraded', lists);
  const [day, setDay] = useInAddress<string>('day', '', isDate);
  const variables = { limit: 50 };
  const answer = useAnswer(
    signal =>
      askAll<{
        movers: Lists & { currency: string; asOf: string | null; count: number; missingReason: { reason: string; message: string } | null };
      }>(MOVERS, variables, signal),
    [],
    60,
  );
  return (
    <section class="card tall" aria-labelledby="movers">
      <div class="row">
        <h2 id="movers">{t('Movers of Borsa Istanbul')}</h2>
        <span class="end">
          <Choice label={t('List')} of={lists} value={list} choose={setList} />
        </span>
      </div>
      {list === 'mostTraded' && <Day day={day} choose={setDay} />}
      {list === 'mostTraded' && day ? (
        <Traded day={day} />
      ) : (
        <Answer of={answer} label={t('Movers')}>
          {({ movers }) =>
            movers[list].length ? (
              <Grid
                id="movers"
                label={lists[list]}
                caption={
                  <>
                    {t('Prices in {currency}, observed until', { currency: movers.currency })} <When at={movers.asOf} />
                  </>
                }
                columns={moverColumns(movers.currency)}
                rows={movers[list]}
                file={`movers-bist-${list}`}
                rowKey={row => row.instrumentId}
                request={requestOf(MOVERS, variables)}
              />
            ) : (
              <p class="muted none">
                {movers.count > 0
                  ? t('None of the {count} quotes of the day states such a change or turnover.', { count: movers.count })
                  : movers.missingReason?.reason === 'not_stated'
                    ? t('The quotes of the trading day state neither a change nor a turnover, so nothing can be ranked.')
                    : movers.missingReason?.reason === 'none_stored'
                      ? t('No quote of the trading day has been observed.')
                      : missingText(movers.missingReason)}
              </p>
            )
          }
        </Answer>
      )}
    </section>
  );
}

/** The choice of the day of the most traded. Until another choice, the page seeks the last session if that was chosen. */
function Day({ day, choose }: { day: string; choose: (day: string) => void }) {
  const [seeks, setSeeks] = useState(false);
  const session = useAnswer(async signal => (seeks ? ((await previousSession(signal)) ?? '') : undefined), [seeks]);
  const take = (day: string) => {
    setSeeks(false);
    choose(day);
  };
  useEffect(() => {
    if (session.value !== undefined) take(session.value);
  }, [session.value]);
  return (
    <>
      <div class="row small">
        <label>
          {t('On')} <input type="date" max={dayOf(now())} value={day} onChange={event => take(event.currentTarget.value)} />
        </label>
        <button type="button" onClick={() => (seeks ? session.again() : setSeeks(true))}>
          {t('Last session before today')}
        </button>
        {day && (
          <button type="button" onClick={() => take('')}>
            {t('Now')}
          </button>
        )}
      </div>
      {session.failure && <Trouble failure={session.failure} again={session.again} />}
    </>
  );
}

interface Sector {
  code: string;
  name: string;
  nameEn: string | null;
  bistMemberCount: number;
}

interface Windows {
  asOf: string | null;
  windows: { window: string; changePct: string | null; nullReason: string | null }[];
}

const SECTORS = 'query Sectors { sectors { missingReason { message } sectors { code name nameEn bistMemberCount } } }';
const WINDOWS = { '1w': '1w', '1m': '1m', '3m': '3m', '6m': '6m', '1y': '1y' };

/** How many sectors are drawn until the visitor asks for all: two rows of a wide screen. */
const MOST_TILES = 20;

/** A map of sectors: each tile is as wide as the sector has members, and as strong in colour as its change is large. */
function SectorMap() {
  const [all, setAll] = useState(false);
  const [window, setWindow] = useInAddress<keyof typeof WINDOWS>('window', '1m', WINDOWS);
  const answer = useAnswer(async signal => {
    const data = await askAll<{ sectors: { sectors: Sector[]; missingReason: { message: string } | null } }>(SECTORS, {}, signal);
    const sectors = data.sectors.sectors.filter(sector => sector.bistMemberCount > 0);
    if (!sectors.length)
      return {
        sectors,
        changes: new Map<string, Windows | null>(),
        whys: new Map<string, string | undefined>(),
        reason: missingText(data.sectors.missingReason) ?? null,
      };
    const each = sectors.map(
      ({ code }, n) => `s${n}: sectorPeriodic(code: ${JSON.stringify(code)}) { asOf windows { window changePct nullReason } }`,
    );
    const parts = await Promise.all(
      Array.from({ length: Math.ceil(each.length / 20) }, (_, n) =>
        ask<Record<string, Windows | null>>(`query Changes { ${each.slice(n * 20, n * 20 + 20).join(' ')} }`, {}, signal),
      ),
    );
    const changes: Record<string, Windows | null> = Object.assign({}, ...parts.map(part => part.data));
    const whys = new Map(parts.flatMap(part => part.errors.map(({ path, message }) => [path?.[0], message])));
    const found = sectors.map(({ code }, n) => [code, changes[`s${n}`] ?? null] as const);
    return { sectors, changes: new Map(found), whys: new Map(sectors.map(({ code }, n) => [code, whys.get(`s${n}`)])), reason: null };
  }, []);
  return (
    <section class="card mapped" aria-labelledby="sectors">
      <div class="row">
        <h2 id="sectors">{t('Sectors')}</h2>
        <span class="end">
          <Choice label={t('Window')} of={WINDOWS} value={window} choose={setWindow} />
        </span>
      </div>
      <Answer of={answer} label={t('Sectors')}>
        {({ sectors, changes, whys, reason }) =>
          sectors.length ? (
            <>
              <p class="small muted">
                <UpTo days={sectors.map(({ code }) => barDay(changes.get(code)?.asOf))} />
              </p>
              <ul class="sector-map">
                {sectors
                  .toSorted((a, b) => b.bistMemberCount - a.bistMemberCount)
                  .slice(0, all ? sectors.length : MOST_TILES)
                  .map(sector => {
                    const found = changes.get(sector.code)?.windows.find(row => row.window === window);
                    const day = barDay(changes.get(sector.code)?.asOf);
                    return (
                      <Tile
                        key={sector.code}
                        {...{ sector, day }}
                        pct={found?.changePct ?? null}
                        reason={found?.nullReason ?? whys.get(sector.code) ?? null}
                      />
                    );
                  })}
              </ul>
              {!all && sectors.length > MOST_TILES && (
                <button type="button" onClick={() => setAll(true)}>
                  {t('All {count} sectors', { count: sectors.length })}
                </button>
              )}
            </>
          ) : (
            <p class="muted">{reason ?? t('No sector is stored.')}</p>
          )
        }
      </Answer>
    </section>
  );
}

function Tile({ sector, pct, day, reason }: { sector: Sector; pct: string | null; day: string | null; reason: string | null }) {
  // Only the strength of the colour depends on this float.
  const strength = Math.min(1, Math.abs(Number(pct ?? 0)) / 15);
  return (
    <li class={`tile ${direction(pct)}`} style={{ flexGrow: sector.bistMemberCount, '--strength': `${Math.round(8 + strength * 30)}%` }}>
      <a href={`/screener?of=sector:${encodeURIComponent(sector.code)}`}>{inLanguage(sector.name, sector.nameEn)}</a>
      <span class="num">
        {pct === null ? (
          <span class="small">– {reason && whyText(reason)}</span>
        ) : (
          <span class={isAged(day) ? 'aged' : ''} title={day ?? undefined}>
            <Change pct={pct} />
          </span>
        )}
      </span>
      <span class="muted small">
        {t(sector.bistMemberCount === 1 ? '{count} company' : '{count} companies', { count: sector.bistMemberCount })}
      </span>
    </li>
  );
}

interface Index {
  code: string;
  name: string | null;
  memberCount: number;
  periodic: Windows | null;
  /** Why it has no returns: the error of the API. */
  why?: string;
}

const INDICES = `query Indices {
  indices { missingReason { message } indices { code name memberCount periodic { asOf windows { window changePct nullReason } } } }
}`;

function Indices() {
  const answer = useAnswer(async signal => {
    type Found = { indices: { indices: Index[]; missingReason: { message: string } | null } };
    const { data, errors } = await askRoots<Found>(INDICES, {}, signal);
    for (const { path, message } of errors) if (path?.[3] === 'periodic') data.indices.indices[Number(path[2])]!.why = message;
    return data;
  }, []);
  const columns = useMemo<Col<Index>[]>(
    () => [
      {
        key: 'index',
        name: t('Index'),
        text: row => row.code,
        cell: row => (
          <>
            <a href={`/screener?of=index:${encodeURIComponent(row.code)}`}>{row.code}</a> <span class="muted small">{row.name}</span>
          </>
        ),
      },
      { key: 'members', name: t('Members'), number: true, text: row => String(row.memberCount) },
      ...Object.keys(WINDOWS).map((window): Col<Index> => {
        const pct = (row: Index) => row.periodic?.windows.find(found => found.window === window)?.changePct;
        return {
          key: window,
          name: `${t(window)}, %`,
          number: true,
          spare: window === '1w' || window === '6m',
          text: pct,
          why: row =>
            whyText(row.periodic?.windows.find(found => found.window === window)?.nullReason ?? row.why ?? 'insufficient_history'),
          cell: (row, aligned) => (
            <span class={`${direction(pct(row))} ${pct(row) && isAged(barDay(row.periodic?.asOf)) ? 'aged' : ''}`}>{aligned}</span>
          ),
        };
      }),
      { key: 'until', name: t('Returns up to'), spare: true, kept: true, text: row => barDay(row.periodic?.asOf) },
    ],
    [],
  );
  return (
    <section class="card" aria-labelledby="indices">
      <h2 id="indices">{t('Indices')}</h2>
      <Answer of={answer} label={t('Indices')}>
        {({ indices }) =>
          indices.indices.length ? (
            <Grid
              id="indices"
              label={t('Indices')}
              columns={columns}
              caption={<UpTo days={indices.indices.map(row => barDay(row.periodic?.asOf))} />}
              rows={indices.indices}
              rowKey={row => row.code}
              request={requestOf(INDICES)}
            />
          ) : (
            <p class="muted">{missingText(indices.missingReason) ?? t('No index is stored.')}</p>
          )
        }
      </Answer>
    </section>
  );
}

const SIZES = 'query Sizes { instruments(limit: 1) { marketSizes { market size } } }';

/** Every market that has instruments, with links to all of them. */
function All() {
  const answer = useAnswer(signal => askAll<{ instruments: { marketSizes: MarketSize[] } }>(SIZES, {}, signal), []);
  return (
    <section class="card strip" aria-labelledby="all">
      <h2 id="all">{t('All markets')}</h2>
      <Answer of={answer} label={t('All markets')}>
        {({ instruments }) => (
          <nav class="sections" aria-label={t('All markets')}>
            {instruments.marketSizes.map(row => (
              <a href={`/screener?of=${membersOf(row)}`} key={row.market}>
                {marketName(row)} <span class="muted small">{row.size}</span>
              </a>
            ))}
          </nav>
        )}
      </Answer>
    </section>
  );
}

function Page() {
  return (
    <>
      <Sections title={t('Markets')} />
      <div class="stack">
        <All />
        <SectorMap />
      </div>
      <div class="columns">
        <Movers />
        <Indices />
      </div>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
