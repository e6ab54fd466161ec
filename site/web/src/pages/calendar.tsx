import { render } from 'preact';
import { isDate, useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { askAll } from '../site/api';
import { pageOf } from '../site/catalog';
import { When } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import { Sections } from '../site/sections';
import { spoken, t, written, writtenDay } from '../site/words';
import { Choice } from './choice';
import { missingText } from './why';

interface Item {
  eventId: number;
  name: string;
  country: { code: string };
  importance: number;
  actual: number | null;
  forecast: number | null;
  previous: number | null;
  unit: string | null;
  time: string;
}

const ITEMS = `query Calendar($from: Date, $to: Date, $importance: Int) {
  calendar(from: $from, to: $to, importance: $importance) { fromDate toDate missingReason { message } items { eventId name country { code } importance actual forecast previous unit time } }
}`;

const LEVELS = { '1': '1–3', '2': '2–3', '3': '3' };

/** Whether there is no room for columns besides the figures: then the first column also has time, country and unit. */
const narrow = matchMedia('(max-width: 640px)').matches;

const itemColumns = (): Col<Item>[] => [
  ...(narrow
    ? [
        {
          key: 'event',
          name: t('Event'),
          text: (row: Item) => row.name,
          cell: (row: Item) => (
            <>
              <span class="small muted">
                <When at={row.time} /> {row.country.code} {row.unit}
              </span>{' '}
              {row.name}
            </>
          ),
        },
      ]
    : []),
  { key: 'time', name: t('Time'), spare: narrow, kept: true, text: row => row.time, cell: row => <When at={row.time} /> },
  ...(narrow ? [] : [{ key: 'event', name: t('Event'), text: (row: Item) => row.name }]),
  { key: 'country', name: t('Country'), spare: narrow, kept: true, text: row => row.country.code },
  { key: 'importance', name: t('Importance'), number: true, spare: narrow, kept: true, text: row => String(row.importance) },
  ...(['actual', 'forecast', 'previous'] as const).map((name): Col<Item> => ({
    key: name,
    name: { actual: t('Actual'), forecast: t('Forecast'), previous: t('Previous') }[name],
    number: true,
    text: row => row[name]?.toString(),
  })),
  { key: 'unit', name: t('Unit'), spare: narrow, kept: true, text: row => row.unit },
];

/** The day that is the given number of days later. */
const later = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

function Releases() {
  const [from, setFrom] = useInAddress<string>('from', '', isDate);
  const [importance, setImportance] = useInAddress<keyof typeof LEVELS>('importance', '1', LEVELS);
  const variables = { ...(from && { from, to: later(from, 7) }), importance: Number(importance) };
  const answer = useAnswer(
    signal =>
      askAll<{ calendar: { fromDate: string; toDate: string; items: Item[]; missingReason: { message: string } | null } }>(
        ITEMS,
        variables,
        signal,
      ),
    [variables],
    300,
  );
  const begin = answer.value?.calendar.fromDate ?? from;
  return (
    <section class="card tall" aria-labelledby="releases">
      <div class="row">
        <h2 id="releases">{t('Releases')}</h2>
        <span class="end row">
          <Choice label={t('Importance')} of={LEVELS} value={importance} choose={setImportance} />
          <button type="button" aria-disabled={!begin} onClick={() => setFrom(later(begin!, -7))}>
            {t('Week before')}
          </button>
          <button type="button" onClick={() => setFrom('')}>
            {t('Now')}
          </button>
          <button type="button" aria-disabled={!begin} onClick={() => setFrom(later(begin!, 7))}>
            {t('Week after')}
          </button>
        </span>
      </div>
      <Answer of={answer} label={t('Releases')}>
        {({ calendar }) =>
          calendar.items.length ? (
            <Grid
              id="releases"
              label={t('Releases')}
              caption={t('From {from} to {to}, in your time', { from: writtenDay(calendar.fromDate), to: writtenDay(calendar.toDate) })}
              columns={itemColumns()}
              rows={calendar.items}
              rowKey={row => `${row.eventId} ${row.time}`}
              request={requestOf(ITEMS, variables)}
            />
          ) : (
            <p class="muted">
              {missingText(calendar.missingReason) ??
                t('Nothing is due from {from} to {to}.', { from: calendar.fromDate, to: calendar.toDate })}
            </p>
          )
        }
      </Answer>
    </section>
  );
}

interface Offering {
  id: string;
  company: string;
  symbol: string | null;
  instrumentId: string | null;
  state: string;
  price: string | null;
  priceLow: string | null;
  priceHigh: string | null;
  currency: string;
  lots: string | null;
  offerSize: string | null;
  demandStart: string | null;
  demandEnd: string | null;
  firstTradeDate: string | null;
  leadUnderwriter: string | null;
}

const OFFERINGS = `query Offerings($state: IpoState!) {
  ipos(state: $state) {
    stale asOf missingReason { message }
    ipos { id company symbol instrumentId state price priceLow priceHigh currency lots offerSize demandStart demandEnd firstTradeDate leadUnderwriter }
  }
}`;

const offeringColumns = (): Col<Offering>[] => [
  {
    key: 'company',
    name: t('Company'),
    text: row => row.company,
    cell: row =>
      row.instrumentId ? (
        <>
          <a href={pageOf(row.instrumentId)}>{row.symbol}</a> <span class="muted small">{row.company}</span>
        </>
      ) : (
        row.company
      ),
  },
  { key: 'state', name: t('State'), text: row => t(row.state.toLowerCase()) },
  {
    key: 'price',
    name: t('Price'),
    number: true,
    text: row => row.price ?? row.priceHigh,
    cell: (row, aligned) => (row.price || !row.priceLow ? aligned : `${written(row.priceLow)}–${written(row.priceHigh ?? '')}`),
  },
  { key: 'currency', name: t('Currency'), text: row => row.currency },
  { key: 'size', name: t('Size'), number: true, text: row => row.offerSize },
  { key: 'lots', name: t('Lots'), number: true, spare: true, text: row => row.lots },
  {
    key: 'demand',
    name: t('Book-building'),
    text: row => row.demandStart,
    cell: row =>
      row.demandStart ? (
        <>
          <span class="nowrap">{row.demandStart}</span> – <span class="nowrap">{row.demandEnd}</span>
        </>
      ) : (
        <span class="muted">–</span>
      ),
  },
  { key: 'first', name: t('First trade'), text: row => row.firstTradeDate },
  { key: 'underwriter', name: t('Lead underwriter'), spare: true, text: row => row.leadUnderwriter },
];

function Offerings() {
  const states = { ALL: t('All'), UPCOMING: t('Upcoming'), ACTIVE: t('Active'), COMPLETED: t('Completed') };
  const [state, setState] = useInAddress<keyof typeof states>('state', 'ALL', states);
  const answer = useAnswer(
    signal =>
      askAll<{ ipos: { ipos: Offering[]; stale: boolean; asOf: string | null; missingReason: { message: string } | null } }>(
        OFFERINGS,
        { state },
        signal,
      ),
    [state],
  );
  return (
    <section class="card" aria-labelledby="offerings">
      <div class="row">
        <h2 id="offerings">{t('Public offerings')}</h2>
        <span class="end">
          <Choice label={t('State')} of={states} value={state} choose={setState} />
        </span>
      </div>
      <Answer of={answer} label={t('Public offerings')}>
        {({ ipos }) =>
          ipos.ipos.length ? (
            <>
              {ipos.stale && <p class="note warn">{t('The source has not answered for a while: this list may be old.')}</p>}
              <Grid
                id="offerings"
                label={t('Public offerings')}
                caption={
                  <>
                    {t('Stated')} <When at={ipos.asOf} />
                  </>
                }
                columns={offeringColumns()}
                rows={ipos.ipos}
                rowKey={row => row.id}
                request={requestOf(OFFERINGS, { state })}
              />
            </>
          ) : (
            <p class="muted">{missingText(ipos.missingReason) ?? t('There is none in this state.')}</p>
          )
        }
      </Answer>
    </section>
  );
}

function Page() {
  return (
    <>
      <Sections title={t('Calendar')} />
      <div class="stack">
        <Releases />
        <Offerings />
      </div>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
