import { useState } from 'preact/hooks';
import { Answer, Trouble, useAnswer } from '../site/answer';
import { ask, askAll, type Failure, failureFrom } from '../site/api';
import { pageOf } from '../site/catalog';
import { When } from '../site/figures';
import { type Col, CopyRequest, Grid, requestOf } from '../site/grid';
import { periodName } from '../site/market-names';
import { DAY, now } from '../site/server';
import { inLanguage, language, t, writtenDay } from '../site/words';
import { ACTION, named as called, said, type Action } from './actions';

export interface Text {
  tr: string | null;
  en: string | null;
}

/** A text in the language of the page where the data has it, else in the other one, marked as such. */
export function Said({ text, otherwise = '–' }: { text: Text | null; otherwise?: string }) {
  const found = inLanguage(text?.tr, text?.en);
  if (!found) return <span class="muted">{otherwise}</span>;
  const spoken = found === text?.[language] ? language : language === 'tr' ? 'en' : 'tr';
  return <span lang={spoken === language ? undefined : spoken}>{found}</span>;
}

/** The text of a reason, with the disclosure that it names. */
export const reasonOf = (reason: string | null): string | undefined =>
  reason ? { UPD: t('update of'), CORR: t('correction of'), CANC: t('cancellation of') }[reason] : undefined;

/** The names of the types of disclosures. */
export const typeNames = (): Record<string, string> => ({
  FR: t('Financial reports'),
  ODA: t('Material events'),
  DG: t('Others'),
  DUY: t('Regulators'),
  CA: t('Corporate actions'),
  FON: t('Funds'),
});

/** The subject of a disclosure; a report without one is named by its period. */
export function Title({ of }: { of: { type: string; subject: Text | null; year: string | null; period: string | null } }) {
  const report = of.type === 'FR' && !of.subject && `${t('Financial report')} ${of.year ?? ''} ${periodName(of.period)}`.trim();
  return report ? <>{report}</> : <Said text={of.subject} otherwise={typeNames()[of.type] ?? t('Without a subject')} />;
}

/** When a disclosure was published: how long ago within the last week, before that the day. */
export function Published({ at, now }: { at: string | null; now: number }) {
  return <When at={at} now={at && now - Date.parse(at) < 7 * DAY ? now : undefined} />;
}

interface Fact {
  concept: string;
  label: Text | null;
  value: string | null;
  unit: string | null;
  contextId: string;
}

interface Field {
  key: string;
  label: Text;
  value: Text;
  group: string | null;
  row: number | null;
}

interface Attachment {
  name: string;
  contentType: string | null;
  sizeBytes: number | null;
  url: string;
  expiresAt: string;
}

interface Detail {
  disclosureIndex: number;
  type: string;
  publishedAt: string | null;
  subject: Text | null;
  summary: Text | null;
  relatedIndex: number | null;
  reason: string | null;
  filerTitle: string | null;
  filerCodes: string[];
  symbols: string[];
  link: string | null;
  hasBody: boolean;
  bodyFormat: string | null;
  year: string | null;
  period: string | null;
  consolidation: string | null;
  corporateActions: (Action & { instrumentId: string | null; symbol: string })[];
  instruments: { instrumentId: string; name: string | null }[] | null;
  attachments: Attachment[];
  facts: Fact[] | null;
  body: { fieldsStatus: string | null; fields: Field[] | null } | null;
}

const FACTS = 'facts { concept label { tr en } value unit contextId }';
const FACTS_OF = `query Facts($index: Int!) { disclosure(index: $index) { ${FACTS} } }`;
const BOTH = `query Facts($before: Int!, $now: Int!) { before: disclosure(index: $before) { ${FACTS} } now: disclosure(index: $now) { ${FACTS} } }`;
const BODY = 'body { fieldsStatus fields { key label { tr en } value { tr en } group row } }';
const BODY_OF = `query Body($index: Int!) { disclosure(index: $index) { ${BODY} } }`;
const ATTACHMENTS = 'attachments { name contentType sizeBytes url expiresAt }';
const ATTACHMENTS_OF = `query Attachments($index: Int!) { disclosure(index: $index) { ${ATTACHMENTS} } }`;
const DETAIL = `query Disclosure($index: Int!) {
  disclosure(index: $index) {
    disclosureIndex type publishedAt subject { tr en } summary { tr en } relatedIndex reason filerTitle filerCodes symbols link hasBody bodyFormat year period consolidation
    corporateActions { instrumentId symbol ${ACTION} }
    instruments(first: 5) { instrumentId name }
    ${ATTACHMENTS}
    ${FACTS}
    ${BODY}
  }
}`;

/** A disclosure as a document: its summary, body, attachments, corrections in both directions, and the price around it. */
export function Document({ index, alone }: { index: number; alone?: boolean }) {
  const answer = useAnswer(signal => ask<{ disclosure: Detail | null }>(DETAIL, { index }, signal), [index]);
  return (
    <div class="body-text">
      <Answer of={answer} label={t('Body')}>
        {({ data: { disclosure }, errors }) =>
          disclosure ? (
            <>
              {alone && <Head {...disclosure} />}
              {disclosure.summary && (
                <p>
                  <Said text={disclosure.summary} />
                </p>
              )}
              <Report {...disclosure} />
              <Corrected {...disclosure} />
              {disclosure.corporateActions.map(action => (
                <p key={`${action.exDate} ${action.symbol} ${action.kind}`}>
                  {action.instrumentId ? <a href={pageOf(action.instrumentId)}>{action.symbol}</a> : action.symbol}
                  {': '}
                  {called(action.kind)} {said(action)}, {t('from {day} on', { day: writtenDay(action.exDate) })}
                </p>
              ))}
              <Body {...disclosure} />
              <Facts {...disclosure} />
              <Documents {...disclosure} />
              <Around {...disclosure} />
              <div class="row tools" role="group" aria-label={t('Take: {what}', { what: t('all of it') })}>
                <CopyRequest of={requestOf(DETAIL, { index })} />
              </div>
              <p class="small muted">
                <a href={`/disclosures/${disclosure.disclosureIndex}`}>{t('Number {index}', { index: disclosure.disclosureIndex })}</a>.{' '}
                {disclosure.filerTitle && <span lang="tr">{disclosure.filerTitle.replace(/\.?$/, '.')}</span>}{' '}
                {/^https?:/i.test(disclosure.link ?? '') && <a href={disclosure.link!}>{t('Public page')}</a>}
              </p>
            </>
          ) : (
            <p class="muted">
              {errors.find(row => row.extensions?.code !== 'NOT_FOUND')?.message ??
                t('This server does not have disclosure {index}.', { index })}
            </p>
          )
        }
      </Answer>
    </div>
  );
}

/** The facts of a list's row, for a disclosure shown alone. */
function Head(of: Detail) {
  return (
    <>
      <h3>
        <Title of={of} />
      </h3>
      <p class="row small">
        <span class="tag" title={typeNames()[of.type]}>
          {of.type}
        </span>
        {of.instruments?.[0] ? <a href={pageOf(of.instruments[0].instrumentId)}>{of.symbols.join(' ')}</a> : of.symbols.join(' ')}
        {of.filerTitle && <span lang="tr">{of.filerTitle}</span>}
        <When at={of.publishedAt} />
      </p>
    </>
  );
}

/** The period and the consolidation of a financial report. */
function Report({ type, year, period, consolidation }: Detail) {
  if (type !== 'FR' || !(year || period)) return null;
  return (
    <p class="row">
      {[year, periodName(period), consolidation && ({ CS: t('group'), NC: t('company alone') }[consolidation] ?? consolidation)].map(
        text =>
          text && (
            <span class="tag" key={text}>
              {text}
            </span>
          ),
      )}
    </p>
  );
}

interface Other {
  disclosureIndex: number;
  relatedIndex: number | null;
  reason: string;
  publishedAt: string | null;
}

const LATER = ['UPD', 'CORR', 'CANC'] as const;

/** What this disclosure corrects, with the facts that differ, and what corrects it. */
function Corrected({ disclosureIndex, relatedIndex, reason, symbols, filerCodes, publishedAt, facts }: Detail) {
  const code = filerCodes[0] ?? symbols[0];
  const later = useAnswer(
    async signal => {
      if (!code) return [];
      const lists = LATER.map(
        reason =>
          `${reason}: disclosures(symbol: $code, reason: ${reason}, from: $from, limit: 100) { items { disclosureIndex relatedIndex reason publishedAt } }`,
      );
      const data = await askAll<Record<string, { items: Other[] } | null>>(
        `query Later($code: String!, $from: DateOrDateTime) { ${lists.join(' ')} }`,
        { code, from: publishedAt },
        signal,
      );
      return LATER.flatMap(reason => data[reason]?.items ?? []).filter(row => row.relatedIndex === disclosureIndex);
    },
    [disclosureIndex],
  );
  const before = useAnswer(
    async signal =>
      relatedIndex && facts?.length
        ? (await ask<{ disclosure: { facts: Fact[] | null } | null }>(FACTS_OF, { index: relatedIndex }, signal)).data.disclosure?.facts
        : null,
    [relatedIndex],
  );
  const key = (fact: Fact) => `${fact.concept} ${fact.contextId}`;
  const known = new Map(before.value?.map(fact => [key(fact), fact.value]));
  const changed = before.value ? (facts ?? []).filter(fact => known.get(key(fact)) !== fact.value) : [];
  return (
    <>
      {relatedIndex && reasonOf(reason) && (
        <p>
          <span class="tag warn">{reasonOf(reason)}</span> <a href={`/disclosures/${relatedIndex}`}>{relatedIndex}</a>
        </p>
      )}
      {later.failure && <Trouble failure={later.failure} again={later.again} />}
      {before.failure && <Trouble failure={before.failure} again={before.again} />}
      {later.value?.map(row => (
        <p class="note warn" key={row.disclosureIndex}>
          {{ UPD: t('There is an update:'), CORR: t('There is a correction:'), CANC: t('It was cancelled:') }[row.reason]}{' '}
          <a href={`/disclosures/${row.disclosureIndex}`}>{row.disclosureIndex}</a>, <When at={row.publishedAt} />
        </p>
      ))}
      {changed.length > 0 && (
        <details class="more" open>
          <summary>{t('{count} facts differ from those before', { count: changed.length })}</summary>
          <Grid
            id={`changed-${disclosureIndex}`}
            label={t('What has changed')}
            columns={[
              factColumn(),
              { key: 'before', name: t('Before'), number: true, text: fact => known.get(key(fact)) },
              { key: 'now', name: t('Now'), number: true, text: fact => fact.value },
              { key: 'unit', name: t('Unit'), text: fact => fact.unit },
            ]}
            rows={changed}
            rowKey={key}
            request={requestOf(BOTH, { before: relatedIndex, now: disclosureIndex })}
          />
        </details>
      )}
    </>
  );
}

/** The column for a fact. */
const factColumn = (): Col<Fact> => ({
  key: 'fact',
  name: t('Fact'),
  text: fact => inLanguage(fact.label?.tr, fact.label?.en) ?? fact.concept,
  cell: fact => (fact.label ? <Said text={fact.label} /> : fact.concept),
});

function Facts({ disclosureIndex: index, facts }: Detail) {
  if (!facts?.length) return null;
  return (
    <details class="more">
      <summary>{t('{count} facts', { count: facts.length })}</summary>
      <Grid
        id={`facts-${index}`}
        label={t('Facts')}
        columns={[
          factColumn(),
          { key: 'value', name: t('Value'), number: true, text: fact => fact.value },
          { key: 'unit', name: t('Unit'), text: fact => fact.unit },
          { key: 'of', name: t('Of'), text: fact => fact.contextId },
        ]}
        rows={facts}
        rowKey={fact => `${fact.concept} ${fact.contextId}`}
        request={requestOf(FACTS_OF, { index })}
      />
    </details>
  );
}

/** The fields of a body, in their order: those that are rows of a table, and those that stand alone. */
export function partsOf(fields: Field[]): (Field | { group: string; columns: Field[]; rows: Map<number, Map<string, Field>> })[] {
  const parts: ReturnType<typeof partsOf> = [];
  for (const field of fields) {
    if (field.row === null) {
      parts.push(field);
      continue;
    }
    const group = field.group ?? '';
    let table = parts.at(-1);
    if (!table || !('rows' in table) || table.group !== group) parts.push((table = { group, columns: [], rows: new Map() }));
    if (!table.columns.some(column => column.key === field.key)) table.columns.push(field);
    const row = table.rows.get(field.row) ?? new Map<string, Field>();
    table.rows.set(field.row, row.set(field.key, field));
  }
  return parts;
}

const MOST_FIELDS = 2000;

function Body({ disclosureIndex: index, hasBody, body, bodyFormat }: Detail) {
  if (!hasBody) return <p class="muted">{t('No body is stored.')}</p>;
  if (!body?.fields?.length)
    return <p class="muted">{t('The body ({format}) cannot be opened into fields.', { format: bodyFormat ?? '' })}</p>;
  return (
    <div class="document">
      {partsOf(body.fields.slice(0, MOST_FIELDS)).map((part, n) =>
        'rows' in part ? (
          <Grid
            key={n}
            id={`table-${index}-${n}`}
            label={part.group || t('Table')}
            columns={part.columns.map(({ key, label }) => ({
              key,
              name: inLanguage(label.tr, label.en) ?? key,
              text: ([, row]) => inLanguage(row.get(key)?.value.tr, row.get(key)?.value.en),
              cell: ([, row]) => <Said text={row.get(key)?.value ?? null} />,
            }))}
            rows={[...part.rows]}
            rowKey={([number]) => String(number)}
            request={requestOf(BODY_OF, { index })}
          />
        ) : (
          <dl class="fields" key={n}>
            <div>
              <dt>
                <Said text={part.label} otherwise={part.key} />
              </dt>
              <dd>
                <Said text={part.value} />
              </dd>
            </div>
          </dl>
        ),
      )}
      {body.fields.length > MOST_FIELDS && (
        <p class="muted small">{t('{count} more fields', { count: body.fields.length - MOST_FIELDS })}</p>
      )}
    </div>
  );
}

/** How long before it expires a link counts as old: a request takes a while. */
const SPARE = 30_000;

/** The documents. Their links work for minutes, but a page stays open for longer: a click on an old one asks for a new one first. */
function Documents({ disclosureIndex: index, attachments }: Detail) {
  const [failure, setFailure] = useState<Failure>();
  if (!attachments.length) return null;
  const hrefOf = ({ url }: Attachment) => new URL(url).pathname + new URL(url).search;
  const open = async (event: Event, n: number) => {
    if (now() < Date.parse(attachments[n]!.expiresAt) - SPARE) return;
    event.preventDefault();
    setFailure(undefined);
    try {
      const { disclosure } = await askAll<{ disclosure: { attachments: Attachment[] } }>(ATTACHMENTS_OF, { index });
      location.assign(hrefOf(disclosure.attachments[n]!)); // it is saved, so the page stays
    } catch (error) {
      setFailure(failureFrom(error));
    }
  };
  return (
    <>
      <h3>{t('Documents')}</h3>
      <ul>
        {attachments.map((document, n) => (
          <li key={document.name}>
            <a href={hrefOf(document)} onClick={event => open(event, n)} onAuxClick={event => event.button === 1 && open(event, n)}>
              {document.name}
            </a>{' '}
            <span class="muted small">
              {document.contentType} {document.sizeBytes !== null && t('{count} bytes', { count: document.sizeBytes })}
            </span>
          </li>
        ))}
      </ul>
      {failure && <Trouble failure={failure} />}
    </>
  );
}

interface Bars {
  bars: { date: string | null; close: string | null }[];
}

const DAYS = 15;

/** The closes of the instruments before and after it was published. */
function Around({ disclosureIndex, instruments, publishedAt }: Detail) {
  const ids = instruments?.map(row => row.instrumentId) ?? [];
  const closes = ids.map((id, n) => `c${n}: candles(id: ${JSON.stringify(id)}, from: $from, to: $to) { bars { date close } }`);
  const query = `query Around($from: Date, $to: Date) { ${closes.join(' ')} }`;
  const dayAfter = (days: number) => new Date(Date.parse(publishedAt!) + days * 86_400_000).toISOString().slice(0, 10);
  const variables = publishedAt ? { from: dayAfter(-DAYS), to: dayAfter(DAYS) } : {};
  const answer = useAnswer(
    async signal => {
      if (!ids.length || !publishedAt) return { found: [], why: undefined };
      const { data, errors } = await ask<Record<string, Bars | null>>(query, variables, signal);
      return { found: ids.map((id, n) => ({ id, bars: data[`c${n}`]?.bars ?? [] })), why: errors[0]?.message };
    },
    [ids, publishedAt],
  );
  const having = answer.value?.found.filter(row => row.bars.length) ?? [];
  const why = answer.value?.why;
  if (!having.length && !answer.failure && !why) return null;
  if (!having.length)
    return (
      <>
        <h3>{t('The price around it')}</h3>
        {answer.failure && <Trouble failure={answer.failure} again={answer.again} />}
        {why && <p class="muted">{why}</p>}
      </>
    );
  const day = new Date(publishedAt!).toLocaleDateString('sv-SE', { timeZone: 'Europe/Istanbul' });
  const rows = having.map(({ id, bars }) => ({
    id,
    before: bars.filter(bar => bar.date && bar.date < day).at(-1),
    that: bars.find(bar => bar.date === day),
    after: bars.find(bar => bar.date && bar.date > day),
  }));
  const nameOf = (id: string) => instruments?.find(row => row.instrumentId === id)?.name ?? id;
  const close = (key: 'before' | 'that' | 'after', name: string): Col<(typeof rows)[number]> => ({
    key,
    name,
    number: true,
    text: row => row[key]?.close,
    cell: (row, aligned) => (
      <>
        {aligned} <div class="small muted">{writtenDay(row[key]?.date ?? '')}</div>
      </>
    ),
  });
  return (
    <>
      <h3>{t('The price around it')}</h3>
      <Grid
        id={`around-${disclosureIndex}`}
        label={t('The price around it')}
        columns={[
          {
            key: 'instrument',
            name: t('Instrument'),
            text: row => nameOf(row.id),
            cell: row => <a href={pageOf(row.id)}>{nameOf(row.id)}</a>,
          },
          close('before', t('Close before')),
          close('that', t('That day')),
          close('after', t('Afterwards')),
        ]}
        rows={rows}
        rowKey={row => row.id}
        request={requestOf(query, variables)}
      />
    </>
  );
}
