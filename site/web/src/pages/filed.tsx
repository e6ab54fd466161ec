import { useEffect, useState } from 'preact/hooks';
import { Answer, useAnswer } from '../site/answer';
import { ask } from '../site/api';
import { When } from '../site/figures';
import { t } from '../site/words';
import { Document, reasonOf, Title, type Text } from './document';

const LIST = `query Disclosures($id: ID!) {
  instrument(id: $id) { disclosures(first: 30) { disclosureIndex type reason relatedIndex publishedAt attachmentCount year period subject { tr en } summary { tr en } } }
}`;
interface Row {
  disclosureIndex: number;
  type: string;
  reason: string | null;
  relatedIndex: number | null;
  publishedAt: string | null;
  attachmentCount: number;
  year: string | null;
  period: string | null;
  subject: Text | null;
  summary: Text | null;
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
      <h2 id="disclosures">{t('Disclosures')}</h2>
      <Answer of={answer} label={t('Disclosures')}>
        {({ data, errors }) => {
          const rows = data.instrument?.disclosures;
          if (!rows?.length) return <p class="muted">{errors[0]?.message ?? t('None is stored under its code.')}</p>;
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
        <span class="tag">{row.type}</span> <Title of={row} />{' '}
        {row.reason && row.reason !== 'NEW' && (
          <span class="tag warn">
            {reasonOf(row.reason)} {row.relatedIndex}
          </span>
        )}
        <span class="muted small">
          {' '}
          <When at={row.publishedAt} />
          {row.attachmentCount > 0 && `, ${t('documents: {count}', { count: row.attachmentCount })}`}
        </span>
      </summary>
      {open && <Document index={row.disclosureIndex} />}
    </details>
  );
}
