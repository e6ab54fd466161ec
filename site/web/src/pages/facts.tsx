import { pageOf } from '../site/catalog';
import { barDay, Change, Num, UpTo, When } from '../site/figures';
import { marketName, windowName } from '../site/market-names';
import { Table } from '../site/table';
import type { Instrument } from './instrument';
import { Why } from './why';
import { inLanguage, t, writtenDay } from '../site/words';

/** A member's name in words. */
export const words = (name: string) => {
  const text = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return t(text.charAt(0).toUpperCase() + text.slice(1));
};

/** The catalog's record of an instrument. */
export function About(instrument: Instrument) {
  const { session, sectorInfo } = instrument;
  const rows: [string, unknown][] = [
    [t('Market'), marketName({ market: instrument.market })],
    [t('Sector'), sectorInfo && inLanguage(sectorInfo.name, sectorInfo.nameEn)],
    [
      t('Trades'),
      session &&
        (session.alwaysOpen ? t('around the clock') : session.open ? `${session.open}–${session.close} ${session.timezone}` : null),
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
      <h2 id="about">{t('About')}</h2>
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

/** Its changes over windows of time. */
export function Windows({ of: { instrumentId, periodic }, quoted }: { of: Instrument; quoted?: string }) {
  if (!periodic) return null;
  const [why, ...others] = new Set(periodic.windows.map(row => (row.changePct === null && row.low === null ? row.nullReason : '')));
  if (why && !others.length)
    return (
      <section class="card" aria-labelledby="windows">
        <h2 id="windows">{t('Changes')}</h2>
        <p>
          <Why reason={why} />
        </p>
      </section>
    );
  return (
    <section class="card" aria-labelledby="windows">
      <h2 id="windows">{t('Changes')}</h2>
      <Table
        label={t('Changes')}
        columns={[t('Window'), [t('Change'), 'number'], t('Start'), [t('Low'), 'number'], [t('High'), 'number']]}
        caption={
          <>
            {t('Prices in {currency}', { currency: periodic.currency ?? '' })}.{' '}
            <UpTo days={[barDay(periodic.asOf, instrumentId)]} quoted={quoted} />
          </>
        }
        take={`/v1/periodic/${instrumentId}`}
      >
        {periodic.windows.map(row => (
          <tr key={row.window}>
            <th scope="row">{windowName(row.window)}</th>
            {row.changePct === null ? (
              <td colSpan={row.low === null ? 4 : 2}>
                <Why reason={row.nullReason} />
              </td>
            ) : (
              <>
                <td class="number">
                  <Change pct={row.changePct} />
                </td>
                <td class="nowrap">{row.startDate && writtenDay(row.startDate)}</td>
              </>
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
      </Table>
    </section>
  );
}

/** Its technical indicators. */
export function Indicators({ instrumentId, indicators }: Instrument) {
  if (!indicators) return null;
  return (
    <section class="card" aria-labelledby="indicators">
      <h2 id="indicators">{t('Indicators')}</h2>
      <Table
        label={t('Indicators')}
        take={`/v1/stocks/${instrumentId}/indicators`}
        caption={
          <>
            {t('Of daily bars,')} <When at={indicators.asOf} />
          </>
        }
      >
        {indicators.values.map(row => (
          <tr key={`${row.indicator} ${row.component} ${row.period}`}>
            <th scope="row">
              {row.indicator} {row.period} {row.component && t(row.component)}
            </th>
            <td class="number">{row.value === null ? <Why reason={row.nullReason} /> : <Num text={row.value} />}</td>
          </tr>
        ))}
      </Table>
      {indicators.note && <p class="small muted">{indicators.note}</p>}
    </section>
  );
}

/** The indices that it belongs to, and the funds that hold it. */
export function Groups({ instrumentId, indices, holders }: Instrument) {
  return (
    <>
      {!!indices?.length && (
        <section class="card" aria-labelledby="indices">
          <h2 id="indices">{t('Indices')}</h2>
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
          <h2 id="holders">{t('Funds that hold it')}</h2>
          <Table
            label={t('Funds that hold it')}
            columns={[t('Fund'), [t('Weight'), 'number'], [t('Value, TRY'), 'number']]}
            take={`/v1/funds/holders-of/${instrumentId}`}
          >
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
          </Table>
        </section>
      )}
    </>
  );
}
