import { render } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { inAddress, putInAddress } from '../site/address';
import { Answer, Trouble, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf } from '../site/catalog';
import { barDay, direction, isAged, UpTo } from '../site/figures';
import { type Col, compareDecimals, Grid, requestOf, shared } from '../site/grid';
import { type MarketSize, marketName, membersOf } from '../site/market-names';
import { Sections } from '../site/sections';
import { inLanguage, noDecimal, spoken, t, typedDecimal, written } from '../site/words';
import { AT_ONCE, members } from './members';
import { whyText } from './why';

// ---- What can be looked through: an index, a sector, or a market
interface Group {
  id: string;
  name: string;
}

const GROUPS = `query Groups {
  instruments(limit: 1) { marketSizes { market size } }
  indices { indices { code name memberCount } }
  sectors { sectors { code name nameEn bistMemberCount } }
}`;

/** The groups, and why some of them are missing. */
async function groups(signal: AbortSignal): Promise<{ groups: Group[]; missing: string[] }> {
  const { data, errors } = await ask<{
    instruments: { marketSizes: MarketSize[] } | null;
    indices: { indices: { code: string; name: string | null; memberCount: number }[] } | null;
    sectors: { sectors: { code: string; name: string; nameEn: string | null; bistMemberCount: number }[] } | null;
  }>(GROUPS, {}, signal);
  const groups = [
    ...(data.instruments?.marketSizes ?? []).map(row => ({ id: membersOf(row), name: `${marketName(row)} (${row.size})` })),
    ...(data.indices?.indices ?? []).map(row => ({ id: `index:${row.code}`, name: `${row.code} (${row.memberCount})` })),
    ...(data.sectors?.sectors ?? [])
      .filter(row => row.bistMemberCount > 0)
      .map(row => ({ id: `sector:${row.code}`, name: `${inLanguage(row.name, row.nameEn)} (${row.bistMemberCount})` })),
  ];
  return { groups, missing: [...new Set(errors.map(({ message }) => message))] };
}

// ---- What is known of each company
interface Row {
  id: string;
  name: string | null;
  figures: Record<string, string | null>;
  reasons: Record<string, string | null>;
}

interface Quote {
  instrumentId: string;
  last: string;
  currency: string;
  asOf: string;
  changePct: string | null;
  turnover: string | null;
  marketCap: string | null;
}

interface Metric {
  value: string | null;
  nullReason: string | null;
}

const METRICS = ['marketCap', 'peRatio', 'pbRatio', 'evEbitda', 'epsGrowthPct', 'peg', 'netDebt', 'ebitdaTtm'] as const;
const FIGURES = `query Figures($ids: [ID!]!, $companies: Boolean!) {
  quotes(ids: $ids) { quotes { instrumentId last currency changePct turnover marketCap asOf } notFound { id reason } }
  periodicBatch(ids: $ids) { periodic { instrumentId asOf windows { window changePct nullReason } } notFound { id reason } }
  valuations(ids: $ids) @include(if: $companies) { notFound { id reason } valuations { instrumentId dataDate ${METRICS.map(name => `${name} { value nullReason }`).join(' ')} } }
}`;

/** Whether the instruments of a group are companies, which have valuations. */
const areCompanies = (of: string) => !of.startsWith('market:') || /:(bist|us)$/.test(of);

const QUOTED = ['last', 'day', 'turnover', 'marketCap'];
const WINDOWS = ['1w', '1m', '3m', '6m', '1y'];

interface NotFound {
  id: string;
  reason: string;
}

/** Queries the figures of a group in several requests; `tell` gets the number of instruments queried so far. */
async function look(of: string, signal: AbortSignal, tell: (asked: number) => void): Promise<{ rows: Row[]; left: number }> {
  const { some, all } = await members(of, signal);
  const rows = new Map<string, Row>(some.map(({ id, name }) => [id, { id, name, figures: {}, reasons: {} }]));
  const lacks = (names: readonly string[], of: NotFound[] = []) => {
    for (const { id, reason } of of) for (const name of names) rows.get(id)!.reasons[name] = reason;
  };
  for (let from = 0; from < some.length; from += AT_ONCE) {
    tell(from);
    const ids = some.slice(from, from + AT_ONCE).map(row => row.id);
    const { data, errors } = await ask<{
      quotes: { quotes: Quote[]; notFound: NotFound[] } | null;
      periodicBatch: {
        periodic: {
          instrumentId: string;
          asOf: string | null;
          windows: { window: string; changePct: string | null; nullReason: string | null }[];
        }[];
        notFound: NotFound[];
      } | null;
      valuations?: {
        valuations: ({ instrumentId: string; dataDate: string | null } & Record<(typeof METRICS)[number], Metric>)[];
        notFound: NotFound[];
      } | null;
    }>(FIGURES, { ids, companies: areCompanies(of) }, signal);
    for (const { instrumentId, changePct, ...figures } of data.quotes?.quotes ?? [])
      Object.assign(rows.get(instrumentId)!.figures, figures, { day: changePct });
    lacks(QUOTED, data.quotes?.notFound);
    lacks(WINDOWS, data.periodicBatch?.notFound);
    lacks(METRICS, data.valuations?.notFound);
    for (const { path, message } of errors) {
      const [part, , n] = path ?? [];
      const names = { quotes: QUOTED, periodicBatch: WINDOWS, valuations: METRICS }[String(part)] ?? [];
      if (n === undefined)
        lacks(
          names,
          ids.map(id => ({ id, reason: message })),
        );
    }
    for (const { instrumentId, asOf, windows } of data.periodicBatch?.periodic ?? []) {
      const { figures, reasons } = rows.get(instrumentId)!;
      figures.until = barDay(asOf, instrumentId);
      for (const row of windows) {
        figures[row.window] = row.changePct;
        reasons[row.window] = row.nullReason;
      }
    }
    for (const found of data.valuations?.valuations ?? []) {
      const { figures, reasons } = rows.get(found.instrumentId)!;
      figures.capDay = found.dataDate;
      for (const name of METRICS) {
        figures[name] = found[name].value;
        reasons[name] = found[name].nullReason;
      }
    }
  }
  return { rows: [...rows.values()], left: all - some.length };
}

// ---- Filters: "peRatio<12"
interface Filter {
  figure: string;
  sign: '<' | '>';
  than: string;
}

const figureNames = (): Record<string, string> => ({
  last: t('Last'),
  day: t('Day, %'),
  '1w': t('1 week, %'),
  '1m': t('1 month, %'),
  '3m': t('3 months, %'),
  '6m': t('6 months, %'),
  '1y': t('1 year, %'),
  turnover: t('Turnover'),
  marketCap: t('Market cap'),
  peRatio: t('P/E'),
  pbRatio: t('P/B'),
  evEbitda: t('EV/EBITDA'),
  epsGrowthPct: t('Growth, %'),
  peg: t('PEG'),
  netDebt: t('Net debt'),
  ebitdaTtm: t('EBITDA, 12 months'),
});
const OF_COMPANIES: string[] = METRICS.filter(name => name !== 'marketCap'); // coins have one, too
const MONEY = ['last', 'turnover', 'marketCap', 'netDebt', 'ebitdaTtm'];
const SPARE = ['1w', '6m', 'turnover', 'peg', 'netDebt', 'ebitdaTtm'];

const FILTER = /^([\w]+)([<>])(-?\d+(?:\.\d+)?)$/;

const filtersOf = (text: string | null): Filter[] =>
  (text ?? '')
    .split(',')
    .map(part => FILTER.exec(part))
    .filter(found => found && found[1]! in figureNames())
    .map(found => ({ figure: found![1]!, sign: found![2] as '<' | '>', than: found![3]! }));

const inWhere = (filters: Filter[]) => filters.map(({ figure, sign, than }) => `${figure}${sign}${than}`).join(',');

/** Whether a row passes all filters; a row without a figure passes no filter of that figure. */
const passes = (row: Row, filters: Filter[]) =>
  filters.every(({ figure, sign, than }) => {
    const value = row.figures[figure];
    return !!value && (sign === '<' ? compareDecimals(value, than) < 0 : compareDecimals(value, than) > 0);
  });

const whyOf = (row: Row, figure: string) => whyText(row.reasons[figure] ?? 'not_provided_by_source');

/** How many rows each filter leaves, if no row passes all of them. */
function Sieve({ rows, filters }: { rows: Row[]; filters: Filter[] }) {
  const names = figureNames();
  return (
    <ul class="small">
      {filters.map(filter => {
        const lacking = rows.filter(row => !row.figures[filter.figure]);
        const passing = rows.filter(row => passes(row, [filter])).length;
        const whys = new Map<string, number>();
        for (const row of lacking) whys.set(whyOf(row, filter.figure), (whys.get(whyOf(row, filter.figure)) ?? 0) + 1);
        return (
          <li key={inWhere([filter])}>
            {t('{name} {sign} {than}: {passing} match, {other} do not, {lacking} have no figure.', {
              ...filter,
              than: written(filter.than),
              name: names[filter.figure]!,
              passing,
              other: rows.length - passing - lacking.length,
              lacking: lacking.length,
            })}{' '}
            {[...whys].map(([why, count]) => `${why} (${count})`).join(' ')}
          </li>
        );
      })}
    </ul>
  );
}

function Filters({ filters, change }: { filters: Filter[]; change: (filters: Filter[]) => void }) {
  const [figure, setFigure] = useState('peRatio');
  const [sign, setSign] = useState<'<' | '>'>('<');
  const [than, setThan] = useState('');
  const [wrong, setWrong] = useState('');
  const names = figureNames();
  const add = (event: Event) => {
    event.preventDefault();
    const typed = typedDecimal(than);
    if (typed === undefined) return setWrong(noDecimal(than));
    change([...filters, { figure, sign, than: typed }]);
    setWrong('');
    setThan('');
  };
  return (
    <form class="row filters" onSubmit={add} aria-label={t('Filters')}>
      {filters.map((filter, index) => (
        <span class="tag" key={inWhere([filter])}>
          {names[filter.figure]} {filter.sign} {written(filter.than)}{' '}
          <button
            type="button"
            aria-label={t('Remove the filter of {name}', { name: names[filter.figure]! })}
            onClick={() => change(filters.filter((_, n) => n !== index))}
          >
            ✕
          </button>
        </span>
      ))}
      <label>
        <span class="unseen">{t('Figure')}</span>
        <select value={figure} onChange={event => setFigure(event.currentTarget.value)}>
          {Object.entries(names).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="unseen">{t('Below or above')}</span>
        <select value={sign} onChange={event => setSign(event.currentTarget.value as '<' | '>')}>
          <option value="<">&lt;</option>
          <option value=">">&gt;</option>
        </select>
      </label>
      <label>
        <span class="unseen">{t('Value')}</span>
        <input
          type="text"
          inputMode="decimal"
          size={8}
          value={than}
          placeholder={written('12.5')}
          aria-invalid={!!wrong}
          onInput={event => setThan(event.currentTarget.value)}
        />
      </label>
      <button type="submit">{t('Add a filter')}</button>
      {wrong && (
        <p role="alert" class="down">
          {wrong}
        </p>
      )}
    </form>
  );
}

function Page() {
  const [of, setOf] = useState(inAddress('of') ?? '');
  const [filters, setFilters] = useState(filtersOf(inAddress('where')));
  const offered = useAnswer(groups, []);
  const [asked, setAsked] = useState(0);
  const answer = useAnswer(async signal => (of ? look(of, signal, setAsked) : null), [of]);
  const unit = useMemo(() => shared(answer.value?.rows.map(row => row.figures.currency) ?? []), [answer.value]);
  const figures = useMemo(() => Object.entries(figureNames()).filter(([key]) => areCompanies(of) || !OF_COMPANIES.includes(key)), [of]);
  const columns = useMemo<Col<Row>[]>(
    () => [
      {
        key: 'instrument',
        name: t('Instrument'),
        text: row => row.id,
        cell: row => (
          <>
            <a href={pageOf(row.id)}>{row.id.slice(row.id.indexOf(':') + 1)}</a> <span class="muted small">{row.name}</span>
          </>
        ),
      },
      { key: 'currency', name: t('Currency'), spare: areCompanies(of), kept: true, text: row => row.figures.currency },
      ...figures.map(([key, name]): Col<Row> => ({
        key,
        name: unit && MONEY.includes(key) ? `${name}, ${unit}` : name,
        number: true,
        spare: SPARE.includes(key),
        text: row => row.figures[key],
        why: row => whyOf(row, key),
        cell: (row, aligned) => {
          const day = WINDOWS.includes(key) ? row.figures.until : key === 'marketCap' ? row.figures.capDay : undefined;
          const aged = row.figures[key] && isAged(day, row.figures.asOf);
          return (
            <span class={`${name.endsWith('%') ? direction(row.figures[key]) : ''} ${aged ? 'aged' : ''}`} title={aged ? day! : undefined}>
              {aligned}
            </span>
          );
        },
      })),
      { key: 'until', name: t('Returns up to'), spare: true, kept: true, text: row => row.figures.until },
      { key: 'capDay', name: t('Market cap of'), spare: true, kept: true, text: row => row.figures.capDay },
      { key: 'asOf', name: t('Observed'), spare: true, kept: true, text: row => row.figures.asOf },
    ],
    [figures, unit],
  );
  const change = (filters: Filter[]) => {
    putInAddress({ where: inWhere(filters) });
    setFilters(filters);
  };
  const rows = useMemo(() => answer.value?.rows.filter(row => passes(row, filters)) ?? [], [answer.value, filters]);
  return (
    <>
      <Sections title={t('Screener')} />
      <section class="card" aria-labelledby="screener">
        <h2 id="screener" class="unseen">
          {t('Screener')}
        </h2>
        <div class="row">
          <label>
            {t('Instruments of')}{' '}
            <select
              value={of}
              onChange={event => {
                putInAddress({ of: event.currentTarget.value });
                setOf(event.currentTarget.value);
              }}
            >
              <option value="">{t('Choose a market, an index or a sector')}</option>
              {offered.value?.groups.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        {offered.failure && <Trouble failure={offered.failure} again={offered.again} />}
        {!!offered.value?.missing.length && (
          <p class="note warn small" role="status">
            {t('Not shown:')} {offered.value.missing.join(' ')}
          </p>
        )}
        <Filters filters={filters} change={change} />
        <Answer of={answer} label={asked ? t('Instruments, {count} so far', { count: asked }) : t('Instruments')}>
          {found =>
            found ? (
              <>
                {found.left > 0 && (
                  <p class="note warn" role="status">
                    {t('Only {most} of {all} were asked for: the order and the filters are of those.', {
                      most: found.rows.length,
                      all: found.rows.length + found.left,
                    })}
                  </p>
                )}
                <p class="small muted" role="status">
                  {t('{shown} of {all} instruments', { shown: rows.length, all: found.rows.length })}
                </p>
                {rows.length > 0 ? (
                  <Grid
                    id="screener"
                    key={of}
                    label={t('Instruments')}
                    columns={columns}
                    rows={rows}
                    rowKey={row => row.id}
                    sort={areCompanies(of) ? '-marketCap' : '-day'}
                    caption={
                      <UpTo
                        days={rows.map(row => row.figures.until)}
                        quoted={rows
                          .map(row => row.figures.asOf ?? '')
                          .sort()
                          .at(-1)}
                      />
                    }
                    file={`screener-${of.replace(':', '-')}`}
                    request={requestOf(FIGURES, { companies: areCompanies(of), ids: rows.slice(0, AT_ONCE).map(row => row.id) })}
                  />
                ) : (
                  <Sieve rows={found.rows} filters={filters} />
                )}
              </>
            ) : (
              <p class="muted">
                {t('Choose a market, an index or a sector')}. {t('Each company costs a request unit for its valuation.')}
              </p>
            )
          }
        </Answer>
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
