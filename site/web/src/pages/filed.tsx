import { useEffect, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { pageOf } from '../site/catalog';
import { Num, When } from '../site/figures';
import { ACTION, named as called, said, type Action } from './actions';

const LIST = `query Disclosures($id: ID!) {
  instrument(id: $id) { disclosures(first: 30) { disclosureIndex type reason relatedIndex publishedAt attachmentCount subject { tr en } summary { tr en } } }
}`;
const DETAIL = `query Disclosure($index: Int!) {
  disclosure(index: $index) {
    corporateActions { instrumentId symbol ${ACTION} }
    filerTitle link hasBody bodyFormat year period consolidation attachments { name contentType sizeBytes url }
    facts { concept label { tr en } value unit contextId }
    body { fieldsStatus fields { key label { tr en } value { tr en } group row } }
  }
}`;

interface Text {
  tr: string | null;
  en: string | null;
}

interface Row {
  disclosureIndex: number;
  type: string;
  reason: string | null;
  relatedIndex: number | null;
  publishedAt: string | null;
  attachmentCount: number;
  subject: Text | null;
  summary: Text | null;
}

interface Detail {
  corporateActions: (Action & { instrumentId: string | null; symbol: string })[];
  filerTitle: string | null;
  link: string | null;
  hasBody: boolean;
  bodyFormat: string | null;
  attachments: { name: string; contentType: string | null; sizeBytes: number | null; url: string }[];
  facts: { concept: string; label: Text | null; value: string | null; unit: string | null; contextId: string }[] | null;
  body: {
    fieldsStatus: string | null;
    fields: { key: string; label: Text; value: Text; group: string | null; row: number | null }[] | null;
  } | null;
}

/** A text in English, else in Turkish and marked so. */
export function Said({ text, otherwise = '–' }: { text: Text | null; otherwise?: string }) {
  if (text?.en) return <span>{text.en}</span>;
  return text?.tr ? <span lang="tr">{text.tr}</span> : <span class="muted">{otherwise}</span>;
}

/** The disclosures of an instrument; each opens with its body and its documents. */
export function Disclosures({ id }: { id: string }) {
  const answer = useAnswer(signal => ask<{ instrument: { disclosures: Row[] | null } | null }>(LIST, { id }, signal), [id], 120);
  const [named, setNamed] = useState(namedIndex);
  useEffect(() => {
    const changed = () => setNamed(namedIndex());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return (
    <section class="card" aria-labelledby="disclosures">
      <h2 id="disclosures">Disclosures</h2>
      <Answer of={answer} label="Disclosures">
        {({ data, errors }) => {
          const rows = data.instrument?.disclosures;
          if (!rows?.length) return <p class="muted">{errors[0]?.message ?? 'None is stored under its code.'}</p>;
          return rows.map(row => <Disclosure key={row.disclosureIndex} row={row} named={named === row.disclosureIndex} />);
        }}
      </Answer>
    </section>
  );
}

const namedIndex = () => Number(/^#disclosure-(\d+)$/.exec(location.hash)?.[1]);

function Disclosure({ row, named }: { row: Row; named: boolean }) {
  const [open, setOpen] = useState(named);
  useEffect(() => {
    if (!named) return;
    setOpen(true);
    document.getElementById(`disclosure-${row.disclosureIndex}`)?.scrollIntoView({ block: 'start' });
  }, [named]);
  return (
    <details
      class="filed"
      id={`disclosure-${row.disclosureIndex}`}
      open={open}
      onToggle={event => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>
        <span class="tag">{row.type}</span> <Said text={row.subject} otherwise="Without a subject" />{' '}
        {row.reason && row.reason !== 'NEW' && (
          <span class="tag warn">
            {{ UPD: 'update', CORR: 'correction', CANC: 'cancellation' }[row.reason]} of {row.relatedIndex}
          </span>
        )}
        <span class="muted small">
          {' '}
          <When at={row.publishedAt} />
          {row.attachmentCount > 0 && `, ${row.attachmentCount} document${row.attachmentCount > 1 ? 's' : ''}`}
        </span>
      </summary>
      {open && <Content row={row} />}
    </details>
  );
}

function Content({ row }: { row: Row }) {
  const answer = useAnswer(
    signal => ask<{ disclosure: Detail | null }>(DETAIL, { index: row.disclosureIndex }, signal),
    [row.disclosureIndex],
  );
  return (
    <div class="body-text">
      {row.summary && (
        <p>
          <Said text={row.summary} />
        </p>
      )}
      <Answer of={answer} label="Body">
        {({ data: { disclosure } }) =>
          disclosure && (
            <>
              {disclosure.corporateActions.map(action => (
                <p key={`${action.exDate} ${action.symbol} ${action.kind}`}>
                  {called(action.kind)} {said(action)} of{' '}
                  {action.instrumentId ? <a href={pageOf(action.instrumentId)}>{action.symbol}</a> : action.symbol}, from {action.exDate}{' '}
                  on.
                </p>
              ))}
              <Body {...disclosure} />
              {!!disclosure.facts?.length && (
                <details class="more">
                  <summary>{disclosure.facts.length} facts</summary>
                  <table aria-label="Facts">
                    <tbody>
                      {disclosure.facts.slice(0, 200).map(fact => (
                        <tr key={`${fact.concept} ${fact.contextId}`}>
                          <th scope="row">{fact.label ? <Said text={fact.label} /> : fact.concept}</th>
                          <td class="number">
                            <Num text={fact.value} unit={fact.unit} />
                          </td>
                          <td class="muted small">{fact.contextId}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </details>
              )}
              {disclosure.attachments.length > 0 && (
                <ul>
                  {disclosure.attachments.map(document => (
                    <li key={document.name}>
                      <a href={new URL(document.url).pathname + new URL(document.url).search}>{document.name}</a>{' '}
                      <span class="muted small">
                        {document.contentType} {document.sizeBytes !== null && `${document.sizeBytes} bytes`}
                      </span>
                    </li>
                  ))}
                </ul>
              )}
              <p class="small muted">
                Number {row.disclosureIndex}. {disclosure.filerTitle && <span lang="tr">{disclosure.filerTitle.replace(/\.$/, '')}.</span>}{' '}
                {/^https?:/i.test(disclosure.link ?? '') && <a href={disclosure.link!}>Public page</a>}
              </p>
            </>
          )
        }
      </Answer>
    </div>
  );
}

function Body({ hasBody, body, bodyFormat }: Detail) {
  if (!hasBody) return <p class="muted">No body is stored.</p>;
  if (!body?.fields?.length) return <p class="muted">The body ({bodyFormat}) cannot be opened into fields.</p>;
  return (
    <dl class="fields">
      {body.fields.slice(0, 300).map((field, n) => (
        <div key={n}>
          <dt>
            <Said text={field.label} otherwise={field.key} />
            {field.row !== null && ` (${field.row + 1})`}
          </dt>
          <dd>
            <Said text={field.value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
