import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useInAddress } from './address';
import { Num } from './figures';
import { Table } from './table';
import { save } from './take';
import { t, writtenDay } from './words';

/** A column of a grid: its name, and the exact text of each row, by which it is sorted and saved. */
export interface Col<Row> {
  key: string;
  name: string;
  text: (row: Row) => string | null | undefined;
  /** What is drawn instead of the text; it gets the text padded with a blank for each missing decimal. */
  cell?: (row: Row, aligned: ComponentChildren) => ComponentChildren;
  number?: boolean;
  /** Right-aligned like numbers, although it has other texts, too. */
  right?: boolean;
  /** Hidden until the visitor chooses it. */
  spare?: boolean;
  /** Saved even if hidden. */
  kept?: boolean;
  /** Why a row has no text. */
  why?: (row: Row) => string | null | undefined;
}

/** Compares two decimals as text, without losing a digit; missing ones come last. */
export function compareDecimals(a: string | null | undefined, b: string | null | undefined): number {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  const parts = (text: string) => /^(-?)0*(\d*)\.?(\d*?)0*$/.exec(text) ?? ['', '', text, ''];
  const [, minusA, wholeA, restA] = parts(a) as [string, string, string, string];
  const [, minusB, wholeB, restB] = parts(b) as [string, string, string, string];
  const zero = (whole: string, rest: string) => !whole && !rest;
  const signA = zero(wholeA, restA) ? 0 : minusA ? -1 : 1;
  const signB = zero(wholeB, restB) ? 0 : minusB ? -1 : 1;
  if (signA !== signB) return signA - signB;
  const larger =
    wholeA.length - wholeB.length || (wholeA < wholeB ? -1 : wholeA > wholeB ? 1 : 0) || (restA < restB ? -1 : restA > restB ? 1 : 0);
  return signA * larger;
}

/** The value that all rows with a value share; undefined if they differ. */
export function shared(texts: (string | null | undefined)[]): string | undefined {
  const [one, ...others] = new Set(texts.filter(text => !!text) as string[]);
  return others.length ? undefined : one;
}

/** How many characters a decimal has from its point on, including the point. */
export const decimals = (text: string | null | undefined) => (text && text.includes('.') ? text.length - text.indexOf('.') : 0);

/** A decimal as it was sent, padded with blanks to the longest fraction of the column. */
export function Aligned({ text, longest, unit }: { text: string | null | undefined; longest: number; unit?: string }) {
  const missing = text ? longest - decimals(text) : 0;
  return (
    <>
      <Num text={text} />
      {missing > 0 && (
        <span class="blank" aria-hidden="true">
          {`${decimals(text) ? '' : '.'}`.padEnd(missing, '0')}
        </span>
      )}
      {text && unit && (
        <>
          {' '}
          <span class="unit">{unit}</span>
        </>
      )}
    </>
  );
}

/** Lets the visitor choose columns. */
export function ColumnsChoice(of: {
  columns: { key: string; name: string }[];
  chosen: string[];
  choose: (key: string, shown: boolean) => void;
}) {
  return (
    <details class="columns-choice">
      <summary>{t('Columns')}</summary>
      <div class="row">
        {of.columns.map(col => (
          <label key={col.key}>
            <input
              type="checkbox"
              checked={of.chosen.includes(col.key)}
              onChange={event => of.choose(col.key, event.currentTarget.checked)}
            />{' '}
            {col.name}
          </label>
        ))}
      </div>
    </details>
  );
}

/** Cells of CSV as spreadsheets read them. */
export const csv = (rows: (string | null | undefined)[][]): string =>
  rows
    .map(row => row.map(cell => (cell == null ? '' : /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','))
    .join('\n') + '\n';

/** The order of the rows as they came, as the address states it. */
const UNSORTED = '-';

/** How many rows are drawn at once; the visitor may ask for the others. */
const MOST_DRAWN = 1000;

/**
 * A table that sorts by a click on a head, shows the columns that the visitor chooses, keeps both in the address, and can be
 * saved. Decimals keep their digits and are aligned at the point.
 */
export function Grid<Row>(of: {
  /** The id of the table, which also begins its parameters in the address. */
  id: string;
  label: string;
  columns: Col<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  caption?: ComponentChildren;
  /** Name of the file that it is saved as, if not the id. */
  file?: string;
  /** The request that has the same answer. */
  request?: Query;
  /** Column to sort by at first, with - for the largest first; empty: the order of the rows. */
  sort?: string;
}) {
  const sorted = (sort: string) => of.columns.find(col => col.key === sort.replace(/^-/, ''));
  const [sort, setSort] = useInAddress<string>(`${of.id}-sort`, of.sort ?? UNSORTED, text => text === UNSORTED || !!sorted(text));
  // What the visitor shows and, with -, hides: other columns may come, and are shown unless they are spare.
  const [choices, setChoices] = useInAddress<string>(`${of.id}-columns`, '', () => true);
  const chosen = choices.split(',');
  const shows = (col: Col<Row>) => chosen.includes(col.key) || !(col.spare || chosen.includes(`-${col.key}`));
  const columns = of.columns.filter((col, index) => index === 0 || shows(col));
  const down = sort.startsWith('-');
  const by = sorted(sort);
  const rows = useMemo(() => {
    if (!by) return of.rows;
    const compare = by.number ? compareDecimals : (a?: string | null, b?: string | null) => (a ?? '').localeCompare(b ?? '', 'tr');
    const [some, none] = [of.rows.filter(row => by.text(row)), of.rows.filter(row => !by.text(row))];
    return [...some.sort((a, b) => (down ? -1 : 1) * compare(by.text(a), by.text(b))), ...none];
  }, [of.rows, sort]);
  const [all, setAll] = useState(false);
  const drawn = all ? rows : rows.slice(0, MOST_DRAWN);
  const longest = useMemo(
    () => new Map(of.columns.map(col => [col.key, col.number ? Math.max(0, ...of.rows.map(row => decimals(col.text(row)))) : 0])),
    [of.rows, of.columns],
  );
  const sortBy = (col: Col<Row>) => {
    const ways = col.number ? [`-${col.key}`, col.key] : [col.key, `-${col.key}`];
    setSort(ways[ways.indexOf(sort) + 1] ?? UNSORTED);
  };
  const choose = (key: string, shown: boolean) => {
    const others = chosen.filter(other => other && other.replace(/^-/, '') !== key);
    const usual = !of.columns.find(col => col.key === key)?.spare;
    setChoices([...others, ...(shown === usual ? [] : [shown ? key : `-${key}`])].join(','));
  };
  const saved = () => {
    const kept = of.columns.filter(col => col.kept || columns.includes(col));
    const lines = [kept.map(col => col.key), ...rows.map(row => kept.map(col => col.text(row)))];
    save(new Blob([csv(lines)], { type: 'text/csv' }), `${of.file ?? of.id}.csv`);
  };
  const reasons = useMemo(() => {
    const counts = new Map<string, number>();
    for (const col of columns)
      for (const row of of.rows) {
        const why = col.text(row) ? undefined : col.why?.(row);
        if (why) counts.set(why, (counts.get(why) ?? 0) + 1);
      }
    return [...counts].sort((a, b) => b[1] - a[1]);
  }, [of.rows, of.columns, choices]);
  return (
    <>
      <Table
        label={of.label}
        caption={of.caption}
        heads={columns.map(col => (
          <th
            scope="col"
            key={col.key}
            class={col.number || col.right ? 'number' : ''}
            aria-sort={by?.key === col.key ? (down ? 'descending' : 'ascending') : undefined}
          >
            <button type="button" class="sorts" onClick={() => sortBy(col)}>
              {col.name}
              <span aria-hidden="true">{by?.key === col.key ? (down ? ' ↓' : ' ↑') : ''}</span>
            </button>
          </th>
        ))}
      >
        {drawn.map(row => (
          <tr key={of.rowKey(row)} data-id={of.rowKey(row)}>
            {columns.map((col, index) => {
              const text = col.text(row);
              const why = text ? undefined : col.why?.(row);
              const aligned = why ? (
                <span class="muted" title={why}>
                  –
                </span>
              ) : col.number || !text ? (
                <Aligned text={text} longest={longest.get(col.key)!} />
              ) : /^\d{4}-\d\d-\d\d$/.test(text) ? (
                <span class="nowrap">{writtenDay(text)}</span>
              ) : (
                text
              );
              const drawn = col.cell ? col.cell(row, aligned) : aligned;
              return index === 0 ? (
                <th scope="row" key={col.key}>
                  {drawn}
                </th>
              ) : (
                <td key={col.key} class={col.number || col.right ? 'number' : ''}>
                  {drawn}
                </td>
              );
            })}
          </tr>
        ))}
      </Table>
      <div class="row tools" role="group" aria-label={t('Take: {what}', { what: of.label })}>
        {of.columns.length > 2 && <ColumnsChoice columns={of.columns.slice(1)} chosen={columns.map(col => col.key)} choose={choose} />}
        {drawn.length < rows.length && (
          <button type="button" onClick={() => setAll(true)}>
            {t('Show all {count} rows', { count: rows.length })}
          </button>
        )}
        <button type="button" class="end" onClick={saved}>
          {t('CSV')}
        </button>
        {of.request && <CopyRequest of={of.request} />}
      </div>
      {reasons.length > 0 && (
        <p class="small muted reasons">
          {t('Where there is no figure (–):')} {reasons.map(([why, count]) => `${why} (${count})`).join(' ')}
        </p>
      )}
    </>
  );
}

/** A GraphQL query with its variables, to run elsewhere. */
export interface Query {
  query: string;
  variables: object;
}

export const requestOf = (query: string, variables: object = {}): Query => ({ query: query.replace(/\s+/g, ' ').trim(), variables });

const curlOf = (request: Query): string =>
  `curl -H 'X-API-Key: {KEY}' -H 'Content-Type: application/json' '{ORIGIN}/graphql' -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`;

/** A JSON string is also a Python string. */
const pythonOf = (request: Query): string => `import json
import urllib.request

body = json.dumps(json.loads(${JSON.stringify(JSON.stringify(request))})).encode()
headers = {"X-API-Key": "{KEY}", "Content-Type": "application/json"}
request = urllib.request.Request("{ORIGIN}/graphql", data=body, headers=headers)
print(json.load(urllib.request.urlopen(request, timeout=30)))
`;

/** Copies a request for programs. */
export function CopyRequest({ of }: { of: Query }) {
  return (
    <>
      <button type="button" data-copy={curlOf(of)}>
        {t('Copy as curl')}
      </button>
      <button type="button" data-copy={pythonOf(of)}>
        {t('Copy as Python')}
      </button>
    </>
  );
}
