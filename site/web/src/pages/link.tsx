import { useEffect, useRef, useState } from 'preact/hooks';
import { Trouble, useAnswer } from '../site/answer';
import { askAll, Failure, failureFrom, post } from '../site/api';
import { When } from '../site/figures';
import { t } from '../site/words';

const FORMS = { csv: 'CSV', 'excel-tr': 'CSV for a Turkish Excel', '': 'as the address says' } as const;
type Form = keyof typeof FORMS;

/** The address of an answer, typed into a form. */
function written(address: string, form: Form): string {
  const [whole = ''] = address.trim().replace(location.origin, '').split('#');
  if (!form) return whole;
  const at = `${whole}?`.indexOf('?');
  const query = new URLSearchParams(whole.slice(at + 1));
  query.delete('format');
  query.delete('dialect');
  query.set(form === 'csv' ? 'format' : 'dialect', form);
  return `${whole.slice(0, at)}?${query}`;
}

/** Makes signed links, which need no key. The page's address can request one: /status?address=/v1/…#link. */
export function Link() {
  const [address, setAddress] = useState(new URLSearchParams(location.search).get('address') ?? '');
  const some = useAnswer(
    signal =>
      askAll<{ instruments: { instruments: { instrumentId: string }[] } }>(
        '{ instruments(limit: 1) { instruments { instrumentId } } }',
        {},
        signal,
      ),
    [],
  );
  const id = some.value?.instruments.instruments[0]?.instrumentId;
  const [form, setForm] = useState<Form>('csv');
  const [days, setDays] = useState('30');
  const [made, setMade] = useState<{ link: string; expires_at: string }>();
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (location.hash !== '#link') return;
    heading.current?.scrollIntoView();
    heading.current?.focus();
  }, []);
  const changed = () => {
    setMade(undefined);
    setFailure(undefined);
  };
  const make = async () => {
    changed();
    setBusy(true);
    try {
      const response = await post('/v1/links', { address: written(address, form), days: days ? Number(days) : undefined });
      setMade(await response.json());
    } catch (error) {
      setFailure(failureFrom(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card link" aria-labelledby="link">
      <h2 id="link" tabIndex={-1} ref={heading}>
        {t('A link for a spreadsheet')}
      </h2>
      <p class="small muted">
        {t('An address of one answer that needs no key, for')}{' '}
        <a href="/docs/guide-rest#in-a-spreadsheet">{t('programs that cannot send one')}</a>
        {t('. It has the limits of your key.')}
      </p>
      <form class="create" noValidate onInput={changed} onSubmit={event => (event.preventDefault(), void make())}>
        <label>
          {t('Address')}
          <input
            class="code"
            type="text"
            placeholder={id && `/v1/eod/${id}`}
            value={address}
            onInput={event => setAddress(event.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <div class="row">
          <label>
            {t('Written as')}{' '}
            <select value={form} onChange={event => setForm(event.currentTarget.value as Form)}>
              {Object.entries(FORMS).map(([name, title]) => (
                <option key={name} value={name}>
                  {t(title)}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t('Days')} <input type="number" min={1} max={366} value={days} onInput={event => setDays(event.currentTarget.value)} />
          </label>
          <button type="submit" class="main" aria-disabled={busy}>
            {t('Make a link')}
          </button>
        </div>
      </form>
      {failure && <Trouble failure={failure} />}
      <div role="status">
        {made && (
          <>
            <div class="command">
              <pre id="made" tabIndex={0}>
                {made.link}
              </pre>
              <button type="button" data-copy={made.link}>
                {t('Copy the link')}
              </button>
            </div>
            <p class="small muted">
              {t('Works until')} <When at={made.expires_at} />
              {t(', or until the key is revoked. Anyone who has it can read the answer.')}
            </p>
          </>
        )}
      </div>
    </section>
  );
}
