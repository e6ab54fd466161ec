import { useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { Num } from '../site/figures';
import { fiscal } from '../site/market-names';
import { Table } from '../site/table';
import { Choice } from './choice';
import { atOf, momentOf, Past, spoken, type Day } from './known';
import { Why } from './why';
import { t } from '../site/words';

const TIMEFRAMES = {
  ANNUAL: 'Years',
  QUARTERLY: 'Quarters as filed',
  QUARTERLY_STANDALONE: 'Quarters alone',
  TTM: 'Twelve months',
} as const;
const STATEMENTS = { incomeStatement: 'Income', balanceSheet: 'Balance sheet', cashFlow: 'Cash flow' } as const;

const FINANCIALS = `query Statements($id: ID!, $timeframe: Timeframe, $knownAt: DateTime) {
  instrument(id: $id) { financials(timeframe: $timeframe, limit: 6, knownAt: $knownAt) {
    currency derived methodology
    periods { fiscalPeriod fiscalYear endDate filedAt basis derived formula sourcePeriods nullReason items { code value labelTr } incomeStatement balanceSheet cashFlow }
  } }
}`;

interface Period {
  fiscalPeriod: string;
  fiscalYear: number;
  endDate: string;
  filedAt: string | null;
  basis: string;
  derived: boolean;
  formula: string | null;
  sourcePeriods: string[];
  nullReason: string | null;
  items: { code: string; value: string | null; labelTr: string | null }[];
  incomeStatement: string[];
  balanceSheet: string[];
  cashFlow: string[];
}

/** The statements of a company; derived periods are marked. */
export function Statements({ id, known }: { id: string; known: Day }) {
  const [timeframe, setTimeframe] = useInAddress<keyof typeof TIMEFRAMES>('periods', 'ANNUAL', TIMEFRAMES);
  const [statement, setStatement] = useInAddress<keyof typeof STATEMENTS>('statement', 'incomeStatement', STATEMENTS);
  const answer = useAnswer(
    signal =>
      ask<{ instrument: { financials: { currency: string; methodology: string | null; periods: Period[] } | null } }>(
        FINANCIALS,
        { id, timeframe, knownAt: momentOf(known) },
        signal,
      ),
    [id, timeframe, known],
  );
  return (
    <section class="card" aria-labelledby="statements">
      <div class="row">
        <h2 id="statements">
          {t('Statements')} <Past day={known} />
        </h2>
        <Choice label={t('Statement')} of={STATEMENTS} value={statement} choose={setStatement} />
        <Choice label={t('Periods')} of={TIMEFRAMES} value={timeframe} choose={setTimeframe} />
      </div>
      <Answer of={answer} label={t('Statements')}>
        {({ data, errors }) => {
          const financials = data.instrument?.financials;
          if (!financials?.periods.length)
            return (
              <p class="muted">
                {errors[0]?.message ??
                  (known ? t('No statement was known on {day}.', { day: spoken(known) }) : t('No statements are stored.'))}
              </p>
            );
          return (
            <Lines
              {...financials}
              statement={statement}
              path={`/v1/stocks/${id}/financials?timeframe=${timeframe.toLowerCase()}&limit=6${atOf(known)}`}
            />
          );
        }}
      </Answer>
    </section>
  );
}

function Lines({
  currency,
  methodology,
  periods,
  statement,
  path,
}: {
  currency: string;
  methodology: string | null;
  periods: Period[];
  statement: keyof typeof STATEMENTS;
  path: string;
}) {
  const codes: string[] = [];
  const labels = new Map<string, string | null>();
  for (const period of periods) {
    for (const code of period[statement]) if (!codes.includes(code)) codes.push(code);
    for (const { code, labelTr } of period.items) labels.set(code, labels.get(code) ?? labelTr);
  }
  const values = periods.map(period => new Map(period.items.map(({ code, value }) => [code, value])));
  return (
    <>
      <Table
        label={t(STATEMENTS[statement])}
        class="statement"
        take={path}
        heads={
          <>
            <th scope="col">{currency}</th>
            {periods.map(period => (
              <th
                scope="col"
                class="number"
                key={period.endDate + period.fiscalPeriod}
                title={[...period.sourcePeriods, period.filedAt && t('filed {day}', { day: period.filedAt })].filter(Boolean).join(', ')}
              >
                {period.fiscalYear} {fiscal(period.fiscalPeriod)}
                <br />
                {period.derived && (
                  <span class="tag warn">
                    {t('derived:')} {period.formula}
                  </span>
                )}{' '}
                {period.basis === 'NOMINAL' && <span class="tag">{t('nominal')}</span>}
              </th>
            ))}
          </>
        }
      >
        {codes.map(code => (
          <tr key={code} data-code={code}>
            <th scope="row" lang="tr">
              {labels.get(code) ?? code}
            </th>
            {values.map((value, index) => (
              <td class="number" key={periods[index]!.endDate}>
                <Num text={value.get(code)} />
              </td>
            ))}
          </tr>
        ))}
        {!codes.length && (
          <tr>
            <td colSpan={periods.length + 1} class="muted">
              {t('This statement has no lines in these periods.')}
            </td>
          </tr>
        )}
      </Table>
      {periods
        .filter(period => period.nullReason)
        .map(period => (
          <p class="small" key={period.endDate}>
            {period.fiscalYear} {fiscal(period.fiscalPeriod)}: <Why reason={period.nullReason} />
          </p>
        ))}
      <p class="small muted">
        {methodology ?? t('As filed.')}{' '}
        {periods.some(period => period.basis === 'INFLATION_ADJUSTED') &&
          t('Figures are adjusted for inflation, except in periods marked nominal.')}
      </p>
    </>
  );
}
