import { Answer } from '../site/answer';
import { Num } from '../site/figures';
import { Table } from '../site/table';
import { ACTION, named, PAID, said, type Action } from './actions';
import type { Instrument } from './instrument';
import { atOf, Past, spoken, useThen, type Day } from './known';
import { t, writtenDay } from '../site/words';

const THEN = `query Then($id: ID!, $knownAt: DateTime) {
  instrument(id: $id) { dividends(first: 40, knownAt: $knownAt) { ${PAID} } corporateActions(first: 100, knownAt: $knownAt) { ${ACTION} } }
}`;

/** Dividends and corporate actions, as they are known or were on a day. */
export function Payouts({ instrument, day }: { instrument: Instrument; day: Day }) {
  const { dividends, corporateActions } = instrument;
  const answer = useThen(THEN, instrument.instrumentId, day, { dividends, corporateActions });
  return (
    <Answer of={answer} label={t('Dividends and corporate actions')}>
      {({ data: { instrument: then } }) => (
        <>
          <Actions id={instrument.instrumentId} all={then?.corporateActions ?? null} day={day} />
          <Dividends id={instrument.instrumentId} dividends={then?.dividends ?? null} day={day} />
        </>
      )}
    </Answer>
  );
}

/** The corporate actions, which change what one share is. */
function Actions({ id, all, day }: { id: string; all: Action[] | null; day: Day }) {
  if (!all?.length && !day) return null;
  return (
    <section class="card" aria-labelledby="actions">
      <h2 id="actions">
        {t('Corporate actions')} <Past day={day} />
      </h2>
      {!all?.length && (
        <p class="small muted">
          {t('None was known on')} {spoken(day)}.
        </p>
      )}
      {!!all?.length && (
        <Table
          label={t('Corporate actions')}
          columns={[t('Ex date'), t('What'), [t('Prices before, times'), 'number']]}
          take={`/v1/stocks/${id}/corporate-actions?${atOf(day).slice(1)}`}
        >
          {all.map(action => (
            <tr key={`${action.exDate} ${action.kind} ${action.actionId}`}>
              <th scope="row" class="nowrap">
                {action.exDate}
              </th>
              <td>
                {named(action.kind)} {said(action)}
                {action.disclosureIndex !== null && (
                  <div class="small">
                    <a href={`#disclosure-${action.disclosureIndex}`}>
                      {t('announced by')} {action.disclosureIndex}
                    </a>
                  </div>
                )}
              </td>
              <td class="number">
                <Num text={action.factor} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

/** Its dividends, paid and upcoming. */
function Dividends({ id, dividends, day }: Pick<Instrument, 'dividends'> & { id: string; day: Day }) {
  if (!dividends?.length && !day) return null;
  return (
    <section class="card" aria-labelledby="dividends">
      <h2 id="dividends">
        {t('Dividends')} <Past day={day} />
      </h2>
      {!dividends?.length && (
        <p class="small muted">
          {t('None was known on')} {spoken(day)}.
        </p>
      )}
      {!!dividends?.length && (
        <Table
          label={t('Dividends')}
          columns={[t('Ex date'), t('Paid'), [t('Gross'), 'number'], [t('Net'), 'number']]}
          take={`/v1/stocks/${id}/dividends?${atOf(day).slice(1)}`}
        >
          {dividends.map((row, n) => (
            <tr key={n}>
              <th scope="row" class="nowrap">
                {writtenDay(row.exDate ?? '–')}
                {row.installment !== null && (
                  <div class="small muted">
                    {t('installment')} {row.installment}
                  </div>
                )}
                {row.status === 'UPCOMING' && (
                  <div>
                    <span class="tag up">{t('upcoming')}</span>
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
        </Table>
      )}
    </section>
  );
}
