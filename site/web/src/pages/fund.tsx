import { useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf } from '../site/catalog';
import { barDay, Change, direction, Num, When } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import { t } from '../site/words';
import { Choice } from './choice';
import { missingText, whyText } from './why';

interface Profile {
  founder: string | null;
  category: string | null;
  currency: string;
  price: string | null;
  priceDate: string | null;
  portfolioSize: string | null;
  investorCount: number | null;
  shareCount: string | null;
  managementFeePct: string | null;
  riskLevel: number | null;
  isParticipation: boolean | null;
  inceptionDate: string | null;
  asOf: string | null;
  returns: Record<keyof typeof RETURNS, string | null> | null;
}

interface Point {
  date: string;
  netFlow: string | null;
  investorCount: number | null;
}

interface Flows {
  fromDate: string | null;
  toDate: string | null;
  currency: string;
  summary: { netFlow: string | null; inflow: string | null; outflow: string | null; days: number; nullReason: string | null };
  points: Point[];
  missingReason: { message: string } | null;
}

interface Position {
  instrumentId: string | null;
  name: string | null;
  weightPct: string | null;
  marketValue: string | null;
  instrument: { symbol: string } | null;
}

interface Holdings {
  reportMonth: string | null;
  currency: string;
  summary: { positions: number; marketValue: string | null; weightPct: string | null; restPct: string | null; nullReason: string | null };
  holdings: Position[];
  missingReason: { message: string } | null;
}

const RETURNS = { w1: '1w', w2: '2w', m1: '1m', m3: '3m', m6: '6m', y1: '1y', y3: '3y', y5: '5y' } as const;
const PROFILE = `query Profile($code: String!) {
  fundProfile(code: $code) {
    founder category currency price priceDate portfolioSize investorCount shareCount managementFeePct riskLevel isParticipation inceptionDate asOf
    returns { ${Object.keys(RETURNS).join(' ')} }
  }
}`;
const FLOWS = `query Flows($code: String!, $window: FlowWindow!) {
  fundInvestorFlows(code: $code, window: $window) {
    fromDate toDate currency missingReason { message }
    summary { netFlow inflow outflow days nullReason }
    points { date netFlow investorCount }
  }
}`;
const HOLDINGS = `query Holdings($code: String!, $limit: Int!) {
  fundHoldings(code: $code, limit: $limit) {
    reportMonth currency missingReason { message }
    summary { positions marketValue weightPct restPct nullReason }
    holdings { instrumentId name weightPct marketValue instrument { symbol } }
  }
}`;
const WINDOWS = { W1: '1w', W2: '2w', M1: '1m' };

const columns = (): Col<Point>[] => [
  { key: 'day', name: t('Day'), text: row => row.date },
  {
    key: 'net',
    name: t('Net flow'),
    number: true,
    text: row => row.netFlow,
    cell: (row, aligned) => <span class={direction(row.netFlow)}>{aligned}</span>,
  },
  { key: 'investors', name: t('Investors'), number: true, text: row => row.investorCount?.toString() },
];

const held = (): Col<Position>[] => [
  {
    key: 'instrument',
    name: t('Instrument'),
    text: row => row.instrumentId,
    cell: row => (
      <>
        {row.instrument ? <a href={pageOf(row.instrumentId!)}>{row.instrument.symbol}</a> : (row.instrumentId ?? <Num text={null} />)}{' '}
        <span class="muted small">{row.name}</span>
      </>
    ),
  },
  { key: 'weight', name: t('Weight, %'), number: true, text: row => row.weightPct },
  { key: 'value', name: t('Value'), number: true, text: row => row.marketValue },
];

/** The holdings of a fund in its newest report. */
function Held({ id }: { id: string }) {
  const variables = { code: id, limit: 1000 };
  const answer = useAnswer(signal => ask<{ fundHoldings: Holdings | null }>(HOLDINGS, variables, signal), [id]);
  return (
    <section class="card" aria-labelledby="holdings">
      <h2 id="holdings">{t('Holdings')}</h2>
      <Answer of={answer} label={t('Holdings')}>
        {({ data: { fundHoldings: of }, errors }) =>
          of?.holdings.length ? (
            <>
              <dl class="state">
                <div>
                  <dt>{t('Positions')}</dt>
                  <dd>
                    <Num text={String(of.summary.positions)} />
                  </dd>
                </div>
                <div>
                  <dt>{t('Their value')}</dt>
                  <dd>
                    <Num text={of.summary.marketValue} unit={of.currency} />
                  </dd>
                </div>
                <div>
                  <dt>{t('Their weight')}</dt>
                  <dd>
                    <Num text={of.summary.weightPct} unit="%" />
                  </dd>
                </div>
                <div>
                  <dt>{t('Not in the report')}</dt>
                  <dd>
                    <Num text={of.summary.restPct} unit="%" />
                  </dd>
                </div>
              </dl>
              {of.summary.nullReason && (
                <p class="small muted">{t('A position states no value or no weight, so there is no sum of it.')}</p>
              )}
              <Grid
                id="holdings"
                label={t('Holdings')}
                caption={t('Report of {month}, in {currency}', { month: of.reportMonth!, currency: of.currency })}
                columns={held()}
                rows={of.holdings}
                rowKey={row => row.instrumentId ?? `${row.weightPct} ${row.marketValue}`}
                request={requestOf(HOLDINGS, variables)}
              />
              {of.summary.positions > of.holdings.length && (
                <p class="small muted">{t('The {count} largest are shown.', { count: of.holdings.length })}</p>
              )}
            </>
          ) : (
            <p class="muted">{missingText(of?.missingReason) ?? errors[0]?.message}</p>
          )
        }
      </Answer>
    </section>
  );
}

/** A fund's details, its holdings and its flows. */
export function FundParts({ id }: { id: string }) {
  const [window, setWindow] = useInAddress<keyof typeof WINDOWS>('window', 'M1', WINDOWS);
  const profile = useAnswer(signal => ask<{ fundProfile: Profile | null }>(PROFILE, { code: id }, signal), [id]);
  const variables = { code: id, window };
  const flows = useAnswer(signal => ask<{ fundInvestorFlows: Flows | null }>(FLOWS, variables, signal), [id, window]);
  return (
    <>
      <section class="card" aria-labelledby="profile">
        <h2 id="profile">{t('Profile')}</h2>
        <Answer of={profile} label={t('Profile')}>
          {({ data: { fundProfile: of }, errors }) =>
            of ? (
              <>
                <dl class="facts">
                  {(
                    [
                      [t('Founder'), of.founder],
                      [t('Category'), of.category],
                      [t('Price'), of.price && <Num text={of.price} unit={of.currency} />],
                      [t('Day of the price'), of.priceDate],
                      [t('Size'), of.portfolioSize && <Num text={of.portfolioSize} unit={of.currency} />],
                      [t('Investors'), of.investorCount !== null && <Num text={String(of.investorCount)} />],
                      [t('Shares'), of.shareCount && <Num text={of.shareCount} />],
                      [t('Management fee, %'), of.managementFeePct && <Num text={of.managementFeePct} />],
                      [t('Risk, 1 to 7'), of.riskLevel],
                      [t('Participation'), of.isParticipation === null ? null : t(of.isParticipation ? 'yes' : 'no')],
                      [t('Inception'), of.inceptionDate],
                      ...(Object.entries(RETURNS) as [keyof typeof RETURNS, string][])
                        .filter(([name]) => of.returns?.[name])
                        .map(([name, period]) => [t('Stated return, {period}', { period }), <Change pct={of.returns![name]} />] as const),
                    ] as const
                  ).map(([name, value]) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd>{value || <Num text={null} />}</dd>
                    </div>
                  ))}
                </dl>
                <p class="small muted">
                  {t('Stated')} {of.asOf?.endsWith('T00:00:00Z') ? barDay(of.asOf) : <When at={of.asOf} />}
                </p>
              </>
            ) : (
              <p class="muted">{errors[0]?.message}</p>
            )
          }
        </Answer>
      </section>
      <Held id={id} />
      <section class="card" aria-labelledby="flows">
        <div class="row">
          <h2 id="flows">{t('Money of investors')}</h2>
          <span class="end">
            <Choice label={t('Window')} of={WINDOWS} value={window} choose={setWindow} />
          </span>
        </div>
        <Answer of={flows} label={t('Money of investors')}>
          {({ data: { fundInvestorFlows: of }, errors }) =>
            of?.points.length ? (
              <>
                <dl class="state">
                  {(['netFlow', 'inflow', 'outflow'] as const).map(name => (
                    <div key={name}>
                      <dt>{{ netFlow: t('Net flow'), inflow: t('Came in'), outflow: t('Went out') }[name]}</dt>
                      <dd>
                        <Num text={of.summary[name]} unit={of.currency} />
                      </dd>
                    </div>
                  ))}
                </dl>
                {of.summary.nullReason && <p class="small muted">{whyText(of.summary.nullReason)}</p>}
                <Grid
                  id="flows"
                  label={t('Money of investors')}
                  caption={`${of.fromDate} – ${of.toDate}, ${of.currency}`}
                  columns={columns()}
                  rows={of.points}
                  rowKey={row => row.date}
                  sort="-day"
                  request={requestOf(FLOWS, variables)}
                />
              </>
            ) : (
              <p class="muted">{missingText(of?.missingReason) ?? errors[0]?.message}</p>
            )
          }
        </Answer>
      </section>
    </>
  );
}
