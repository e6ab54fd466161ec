import { render } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { inAddress, putInAddress, useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf, Search } from '../site/catalog';
import { barDay, direction, isAged, Num, UpTo, When } from '../site/figures';
import { type Col, Grid, requestOf, shared } from '../site/grid';
import { Sections } from '../site/sections';
import { spoken, t } from '../site/words';
import { Choice } from './choice';
import { whyText } from './why';

/** The most instruments that are compared. */
const MOST = 10;

interface Metric {
  value: string | null;
  nullReason: string | null;
}

const METRICS = ['marketCap', 'peRatio', 'pbRatio', 'ev', 'ebitdaTtm', 'evEbitda', 'epsGrowthPct', 'peg'] as const;

type Part = 'quote' | 'periodic' | 'valuation';

interface Compared {
  instrumentId: string;
  name: string | null;
  currency: string | null;
  quote: { last: string; currency: string; changePct: string | null; asOf: string } | null;
  periodic: {
    asOf: string | null;
    currency: string | null;
    windows: { window: string; changePct: string | null; nullReason: string | null }[];
  } | null;
  valuation: ({ currency: string; dataDate: string | null } & Record<(typeof METRICS)[number], Metric>) | null;
  noQuote: { reason: string } | null;
  /** Why parts of it are missing. */
  whys: Partial<Record<Part, string>>;
}

const QUERY = `query Compare($ids: [ID!]!, $currency: Currency) {
  watchlist(ids: $ids) {
    instrumentId name currency
    quote(currency: $currency) { last currency changePct asOf }
    noQuote: missingReason(of: QUOTE) { reason }
    periodic { asOf currency windows { window changePct nullReason } }
    valuation(currency: $currency) { currency dataDate ${METRICS.map(name => `${name} { value nullReason }`).join(' ')} }
  }
}`;

interface Found {
  rows: Compared[];
  /** Why part of it is not in the requested currency. */
  kept: string[];
}

/** Queries figures in a currency; what cannot be converted is queried in its own. */
async function look(ids: string[], currency: string, signal: AbortSignal): Promise<Found> {
  const asked = (currency: string | null) => ask<{ watchlist: (Compared | null)[] }>(QUERY, { ids, currency }, signal);
  const { data, errors } = await asked(currency || null);
  const own = currency && errors.length ? await asked(null) : undefined;
  const last = own?.errors ?? errors;
  const rows = data.watchlist.map((row, n): Compared | null => {
    const whys = Object.fromEntries(last.filter(({ path }) => path?.[1] === n).map(({ path, message }) => [path?.[2], message]));
    const kept = own?.data.watchlist[n];
    return row && { ...row, quote: row.quote ?? kept?.quote ?? null, valuation: row.valuation ?? kept?.valuation ?? null, whys };
  });
  const kept = own ? errors.filter(({ path }) => !last.some(other => `${other.path}` === `${path}`)) : [];
  return { rows: rows.filter(row => row !== null), kept: [...new Set(kept.map(({ message }) => message))] };
}

interface Figure extends Partial<Metric> {
  /** Its currency, where it differs from that of the others. */
  unit?: string | null;
  aged?: boolean;
}

interface Line {
  key: string;
  name: string;
  /** The part that it belongs to. */
  part: Part;
  figure: (of: Compared) => Figure | null | undefined;
  change?: boolean;
}

const lines = (found: Compared[], currency: string): Line[] => {
  // Changes in percent are never converted.
  const inOwn = (stated: (string | null | undefined)[]) => {
    const one = shared(stated);
    return !currency || one === currency ? '' : `, ${one ?? t('own currency')}`;
  };
  const wanted = (of: Compared) => currency || (of.quote?.currency ?? of.currency);
  const unit = (of: Compared, stated: string | undefined) => (stated === wanted(of) ? null : stated);
  const named = {
    '1w': t('1 week, %'),
    '1m': t('1 month, %'),
    '3m': t('3 months, %'),
    '6m': t('6 months, %'),
    '1y': t('1 year, %'),
    marketCap: t('Market cap'),
    ev: t('Enterprise value'),
    ebitdaTtm: t('EBITDA, 12 months'),
    peRatio: t('P/E'),
    pbRatio: t('P/B'),
    evEbitda: t('EV/EBITDA'),
    epsGrowthPct: t('Growth, %'),
    peg: t('PEG'),
  };
  return [
    { key: 'last', part: 'quote', name: t('Last'), figure: of => of.quote && { value: of.quote.last, unit: unit(of, of.quote.currency) } },
    { key: 'currency', part: 'quote', name: t('Currency'), figure: of => ({ value: of.quote?.currency ?? of.currency }) },
    {
      key: 'day',
      part: 'quote',
      name: t('Day, %') + inOwn(found.map(of => of.currency)),
      figure: of => of.quote && { value: of.quote.changePct },
      change: true,
    },
    ...(['1w', '1m', '3m', '6m', '1y'] as const).map((window): Line => ({
      key: window,
      part: 'periodic',
      name: named[window] + inOwn(found.map(of => of.periodic?.currency)),
      change: true,
      figure: of => {
        const found = of.periodic?.windows.find(row => row.window === window);
        const aged = isAged(barDay(of.periodic?.asOf, of.instrumentId), of.quote?.asOf);
        return found && { value: found.changePct, nullReason: found.nullReason, aged };
      },
    })),
    {
      key: 'until',
      part: 'periodic',
      name: t('Returns up to'),
      figure: of => {
        const value = barDay(of.periodic?.asOf, of.instrumentId);
        return of.periodic && { value, aged: isAged(value, of.quote?.asOf) };
      },
    },
    ...(['marketCap', 'ev', 'ebitdaTtm', 'peRatio', 'pbRatio', 'evEbitda', 'epsGrowthPct', 'peg'] as const).map((key): Line => ({
      key,
      part: 'valuation',
      name: named[key],
      change: key === 'epsGrowthPct',
      figure: ({ valuation, ...of }) =>
        valuation && {
          ...valuation[key],
          ...(['marketCap', 'ev', 'ebitdaTtm'].includes(key) && { unit: unit({ valuation, ...of }, valuation.currency) }),
          ...(key === 'marketCap' && { aged: isAged(valuation.dataDate, of.quote?.asOf) }),
        },
    })),
    {
      key: 'capDay',
      part: 'valuation',
      name: t('Market cap of'),
      figure: of => of.valuation && { value: of.valuation.dataDate, aged: isAged(of.valuation.dataDate, of.quote?.asOf) },
    },
  ];
};

const CURRENCIES = { '': '', TRY: 'TRY', USD: 'USD', EUR: 'EUR' };

/** The ids in the address, each once. */
const inIds = () => [...new Set((inAddress('ids') ?? '').split(',').flatMap(id => id.trim() || []))];

function Page() {
  const [named, setNamed] = useState(inIds);
  const ids = useMemo(() => named.slice(0, MOST), [named]);
  const [currency, setCurrency] = useInAddress<keyof typeof CURRENCIES>('currency', '', CURRENCIES);
  const variables = { ids, currency: currency || null };
  const answer = useAnswer(async signal => (ids.length ? await look(ids, currency, signal) : { rows: [], kept: [] }), [ids, currency], 60);
  const change = (next: string[]) => {
    putInAddress({ ids: next.join(',') });
    setNamed(next);
  };
  const found = useMemo(() => answer.value?.rows ?? [], [answer.value]);
  const columns = useMemo<Col<Line>[]>(
    () => [
      { key: 'figure', name: t('Figure'), text: line => line.name },
      ...found.map((of): Col<Line> => ({
        key: of.instrumentId,
        name: of.instrumentId,
        right: true,
        text: line => line.figure(of)?.value,
        why: line => {
          const figure = line.figure(of);
          if (!figure) {
            const unpriced = of.noQuote?.reason ?? 'not_provided_by_source';
            return of.whys[line.part] ?? whyText(line.part === 'quote' ? unpriced : 'not_covered_for_market');
          }
          return whyText(figure.nullReason ?? 'not_provided_by_source');
        },
        cell: (line, none) => {
          const { value, unit, aged } = line.figure(of) ?? {};
          if (!value) return none;
          return (
            <span class={`${line.change ? direction(value) : ''} ${aged ? 'aged' : ''}`}>
              <Num text={value} unit={unit} />
            </span>
          );
        },
      })),
    ],
    [found],
  );
  const rows = useMemo(() => lines(found, currency), [found, currency]);
  const first = ids[0];
  return (
    <>
      <Sections title={t('Compare')} />
      <section class="card compare" aria-labelledby="compare">
        <div class="row">
          <h2 id="compare" class="unseen">
            {t('Compare')}
          </h2>
          <Search
            action={{
              label: t('Add'),
              take: id => !ids.includes(id) && (ids.length < MOST ? change([...ids, id]) : setNamed([...ids, id])),
            }}
          />
          <span class="end">
            <Choice label={t('Currency')} of={{ ...CURRENCIES, '': t('own') }} value={currency} choose={setCurrency} />
          </span>
        </div>
        {ids.length > 0 && (
          <ul class="row chosen">
            {ids.map(id => (
              <li key={id} class="tag">
                <a href={pageOf(id)}>{found.find(row => row.instrumentId === id)?.name ?? id}</a>{' '}
                <button
                  type="button"
                  aria-label={t('Remove {name}', { name: id })}
                  onClick={() => change(ids.filter(other => other !== id))}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        )}
        {named.length > MOST && (
          <p class="note warn small" role="status">
            {t('{count} of {all}: at most {count} instruments are compared.', { count: MOST, all: named.length })}
          </p>
        )}
        {ids.length === 0 && <p class="muted">{t('Search for instruments and add them: their figures stand beside each other.')}</p>}
        <Answer of={answer} label={t('Figures')}>
          {({ kept }) =>
            found.length ? (
              <>
                {kept.length > 0 && (
                  <p class="note warn small" role="status">
                    {t('Not all is in {currency}; what is not has its currency beside it.', { currency })} {kept.join(' ')}
                  </p>
                )}
                <Grid
                  id="compare"
                  label={t('Figures')}
                  caption={
                    <UpTo
                      days={found.map(of => barDay(of.periodic?.asOf, of.instrumentId))}
                      quoted={found
                        .map(of => of.quote?.asOf ?? '')
                        .sort()
                        .at(-1)}
                    />
                  }
                  columns={columns}
                  rows={rows}
                  rowKey={line => line.key}
                  request={requestOf(QUERY, variables)}
                />
                <p class="small muted">
                  {first && t('Their prices and returns in one chart:')}{' '}
                  {first &&
                    ['1y', '5y', 'all'].map(range => (
                      <span key={range}>
                        <a
                          href={`${pageOf(first)}?range=${range}&compare=${ids.slice(1, 5).join(',')}${currency && `&currency=${currency}`}`}
                        >
                          {t(range === 'all' ? 'All' : range)}
                        </a>{' '}
                      </span>
                    ))}
                  {found.some(row => row.quote) && t('Quotes were observed:')}{' '}
                  {found
                    .filter(row => row.quote)
                    .map((row, n) => (
                      <span key={row.instrumentId}>
                        {n ? ', ' : ''}
                        {row.instrumentId} <When at={row.quote!.asOf} />
                      </span>
                    ))}
                </p>
              </>
            ) : null
          }
        </Answer>
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
