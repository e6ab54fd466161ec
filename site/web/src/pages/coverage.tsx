import { useEffect, useRef, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { askAll } from '../site/api';
import { pageOf } from '../site/catalog';
import { Num, When } from '../site/figures';
import { marketName } from '../site/market-names';
import { Table } from '../site/table';
import { t, writtenDay } from '../site/words';

const COVERAGE = `query Coverage($market: Market, $gaps: Boolean, $cursor: String, $limit: Int) {
  coverage(market: $market, gaps: $gaps, cursor: $cursor, limit: $limit) {
    asOf count total nextCursor
    rows { kind market instrumentId series records subjects firstDay lastDay newest nullReason firstNumber lastNumber missing gapsIn gapCount withGaps gapsReason gaps { from to count reason } }
  }
}`;

const PAGE = 50;

/** The names of what is missing, singular and plural. */
const UNITS: Record<string, [string, string]> = {
  numbers: ['number', 'numbers'],
  months: ['month', 'months'],
  trading_days: ['trading day', 'trading days'],
};

/** Why something is missing or not known. */
const REASONS: Record<string, string> = {
  not_stored: 'not collected, or there is none',
  ended: 'nothing newer, while its market goes on',
  market_silent: 'no instrument of the market has a bar',
  holidays_unknown: 'a weekday; the holidays are not known',
  cancelled: 'a later disclosure cancels it',
  no_value: 'the source skipped it',
  none_stored: 'none is stored',
  no_day: 'they have no day',
  not_regular: 'they come when there is something to say',
  short_kept: 'they are kept for a while only',
};

interface Gap {
  from: string;
  to: string;
  count: number;
  reason: string;
}

interface Row {
  kind: string;
  market: string | null;
  instrumentId: string | null;
  series: string | null;
  records: number;
  subjects: number | null;
  firstDay: string | null;
  lastDay: string | null;
  newest: string | null;
  nullReason: string | null;
  firstNumber: number | null;
  lastNumber: number | null;
  missing: number | null;
  gapsIn: string | null;
  gapCount: number | null;
  withGaps: number | null;
  gapsReason: string | null;
  gaps: Gap[] | null;
}

interface Report {
  asOf: string;
  count: number;
  total: number;
  nextCursor: string | null;
  rows: Row[];
}

/** The market that the address names: #stored-bist. */
const named = () => /^#stored-([a-z]+)$/.exec(location.hash)?.[1]?.toUpperCase() ?? null;

/** What is stored by kind and market, and page by page for the instruments of one market. */
export function Stored() {
  const [market, setMarket] = useState(named);
  const [gaps, setGaps] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const changed = () => {
      setMarket(named());
      if (!location.hash.startsWith('#stored')) return; // back to where the visitor came from
      heading.current?.scrollIntoView();
      heading.current?.focus();
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return (
    <section class="card stored" aria-labelledby="stored">
      <div class="row">
        <h2 id="stored" ref={heading} tabIndex={-1}>
          {market ? t('Stored of the market {market}', { market: marketName({ market }) }) : t('Stored')}
        </h2>
        {market && (
          <a class="end" href="#stored">
            {t('All kinds and markets')}
          </a>
        )}
      </div>
      <label class="check">
        <input type="checkbox" checked={gaps} onChange={event => setGaps(event.currentTarget.checked)} /> {t('Only what has gaps')}
      </label>
      <Pages key={`${market} ${gaps}`} market={market} gaps={gaps} />
    </section>
  );
}

/** The coverage of instruments, of one market or of all, page by page. */
function Pages({ market, gaps }: { market: string | null; gaps: boolean }) {
  const [cursors, setCursors] = useState<string[]>([]); // of this page and the previous ones, without the first
  const cursor = cursors.at(-1) ?? null;
  const answer = useAnswer(
    signal => askAll<{ coverage: Report }>(COVERAGE, { market, gaps, cursor, limit: PAGE }, signal),
    [market, gaps, cursor],
    120,
  );
  const first = cursors.length * PAGE;
  return (
    <>
      <Answer of={answer} label={t('What is stored')}>
        {({ coverage }) => (
          <>
            {coverage.total ? (
              <Rows rows={coverage.rows} market={market} path={pathOf(market, gaps, cursor)} />
            ) : (
              <p>{market ? t('No gaps of the market {market} are known.', { market: marketName({ market }) }) : t('No gaps are known.')}</p>
            )}
            <p class="small muted">
              {coverage.total > coverage.count &&
                `${t('Rows {first} to {last} of {all}.', { first: first + 1, last: first + coverage.count, all: coverage.total })} `}
              {t('Counted')} <When at={coverage.asOf} />.
            </p>
          </>
        )}
      </Answer>
      {(cursor || answer.value?.coverage.nextCursor) && (
        <div class="row">
          <button type="button" aria-disabled={!cursor} onClick={() => setCursors(cursors.slice(0, -1))}>
            {t('Previous page')}
          </button>
          <button
            type="button"
            aria-disabled={!answer.value?.coverage.nextCursor}
            onClick={() => setCursors([...cursors, answer.value!.coverage.nextCursor!])}
          >
            {t('Next page')}
          </button>
        </div>
      )}
    </>
  );
}

function pathOf(market: string | null, gaps: boolean, cursor: string | null): string {
  const query = new URLSearchParams({
    limit: String(PAGE),
    ...(market && { market: market.toLowerCase() }),
    ...(gaps && { gaps: 'true' }),
  });
  if (cursor) query.set('cursor', cursor);
  return `/v1/coverage?${query}`;
}

/** The rows of a report, each market under its name. */
function Rows({ rows, market, path }: { rows: Row[]; market: string | null; path: string }) {
  const groups: { title: string | null; market: string | null; rows: Row[] }[] = [];
  for (const row of rows) {
    const title = market ? t(row.instrumentId ? 'Each instrument' : 'All together') : (row.market?.toLowerCase() ?? t('Of no market'));
    if (groups.at(-1)?.title !== title) groups.push({ title, market: row.market, rows: [] });
    groups.at(-1)!.rows.push(row);
  }
  return (
    <Table
      label={t('What is stored')}
      columns={[t('Records'), [t('Number'), 'number'], t('First day'), t('Last day'), t('Gaps')]}
      take={path}
      grouped
    >
      {groups.map(group => (
        <tbody key={group.title}>
          <tr class="group-of">
            <th colSpan={5} scope="rowgroup">
              {group.title}{' '}
              {!market && group.market && (
                <a href={`#stored-${group.market.toLowerCase()}`}>
                  {t('each instrument of')} {group.market.toLowerCase()}
                </a>
              )}
            </th>
          </tr>
          {group.rows.map(row => (
            <Line key={`${row.instrumentId} ${row.kind} ${row.series}`} row={row} />
          ))}
        </tbody>
      ))}
    </Table>
  );
}

function Line({ row }: { row: Row }) {
  return (
    <tr data-kind={row.kind} data-market={row.market} data-id={row.instrumentId} data-series={row.series}>
      <th scope="row">
        {row.instrumentId ? <a href={pageOf(row.instrumentId)}>{row.instrumentId}</a> : <code>{row.kind}</code>}{' '}
        {row.series && <span class="tag">{row.series}</span>}
        {row.subjects !== null && (
          <div class="small muted">
            {t('of')} {row.subjects}
          </div>
        )}
      </th>
      <td class="number">
        <Num text={String(row.records)} />
      </td>
      {row.nullReason ? (
        <td colSpan={2}>
          <Reason of={row.nullReason} />
          {row.newest && (
            <div class="small muted">
              {t('newest:')} <When at={row.newest} />
            </div>
          )}
        </td>
      ) : (
        <>
          <td class="nowrap">
            {row.firstDay && writtenDay(row.firstDay)}
            {row.firstNumber !== null && (
              <div class="small muted">
                {t('number')} {row.firstNumber}
              </div>
            )}
          </td>
          <td class="nowrap">
            {row.lastDay && writtenDay(row.lastDay)}
            {row.lastNumber !== null && (
              <div class="small muted">
                {t('number')} {row.lastNumber}
              </div>
            )}
            {row.newest && row.series !== '1d' && (
              <div class="small muted">
                <When at={row.newest} />
              </div>
            )}
          </td>
        </>
      )}
      <td>
        <Gaps row={row} />
      </td>
    </tr>
  );
}

function Gaps({ row: { missing, gapsIn, gapCount, withGaps, gapsReason, gaps, subjects } }: { row: Row }) {
  if (missing === null || !gaps) return <Reason of={gapsReason} />;
  if (!missing && !withGaps) return <span class="up">{t('none')}</span>;
  const [one, many] = UNITS[gapsIn!] ?? [gapsIn!, gapsIn!];
  return (
    <>
      {withGaps ? (
        <div class="small">
          {withGaps} {t('of')} {subjects} {t('have gaps')}
        </div>
      ) : null}
      {missing > 0 && (
        <details class="more small">
          <summary>
            {missing} {t(missing === 1 ? one : many)} {t('in')} {gapCount} {t(gapCount === 1 ? 'gap' : 'gaps')}
          </summary>
          <ul class="gaps">
            {gaps.map(gap => (
              <li key={gap.from}>
                <span class="nowrap">{gap.from === gap.to ? gap.from : t('{from} to {to}', { from: gap.from, to: gap.to })}</span>
                {gap.count > 1 && `, ${gap.count}`}: <Reason of={gap.reason} />
              </li>
            ))}
            {gapCount! > gaps.length && (
              <li class="muted">
                {t('and')} {gapCount! - gaps.length} {t('before')}
              </li>
            )}
          </ul>
        </details>
      )}
    </>
  );
}

function Reason({ of }: { of: string | null }) {
  return (
    <span class="small muted" title={of ?? undefined}>
      {of && of in REASONS ? t(REASONS[of]!) : <code>{of ?? 'null'}</code>}
    </span>
  );
}
