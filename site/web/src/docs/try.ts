import { apiKey, noteStatus } from '../site/key';
import { Failure, get } from '../site/api';
import { askForKey } from '../site/site';
import { save } from '../site/take';
import { pretty } from './json';

/** The timeout of a form's request, and how much of the answer it shows. */
const PATIENCE = 20_000;
const MOST = 200_000;

/** Makes the forms of operations send their requests. */
export function operations() {
  for (const form of document.querySelectorAll<HTMLFormElement>('.try form:not([data-socket])')) {
    const line = form.querySelector('[data-line]')!;
    const show = () => (line.textContent = `${form.dataset.method} ${address(form)}`);
    form.addEventListener('input', () => {
      show();
      forget(form);
    });
    show();
    form.addEventListener('submit', event => {
      event.preventDefault();
      void send(form);
    });
    const curl = form.querySelector<HTMLButtonElement>('[data-curl]');
    curl?.addEventListener('click', () => (curl.dataset.copy = curlOf(form)), { capture: true });
    form.querySelector('[data-csv]')?.addEventListener('click', () => void keep(form));
  }
}

const asked = new WeakMap<HTMLFormElement, AbortController>();

/** Removes the answer to a request that the form no longer shows. */
function forget(form: HTMLFormElement) {
  asked.get(form)?.abort();
  const box = form.parentElement!.querySelector<HTMLElement>('[data-answer]')!;
  box.querySelector('pre')!.textContent = '';
  box.hidden = true;
}

/** The address of a form's request. */
function address(form: HTMLFormElement) {
  let path = form.dataset.path!;
  const query: string[] = [];
  const readable = (text: string) => encodeURIComponent(text).replace(/%3A/g, ':').replace(/%2C/g, ',');
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-in]')) {
    const value = field.value.trim();
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, () => readable(value));
    else if (value) query.push(`${encodeURIComponent(field.name)}=${readable(value)}`);
  }
  return query.length ? `${path}?${query.join('&')}` : path;
}

/** A command that sends a form's request; {KEY} stands for the key. */
function curlOf(form: HTMLFormElement) {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value;
  return [
    'curl',
    form.dataset.method === 'GET' ? '' : `-X ${form.dataset.method}`,
    'keyed' in form.dataset ? "-H 'X-API-Key: {KEY}'" : '',
    body ? `-H 'Content-Type: application/json' -d ${quoted(body)}` : '',
    quoted(`{ORIGIN}${address(form)}`),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Saves the answer as CSV. */
async function keep(form: HTMLFormElement) {
  if ('keyed' in form.dataset && !apiKey.value) return askForKey();
  const box = form.parentElement!.querySelector<HTMLElement>('[data-answer]')!;
  const status = box.querySelector('[role=status]')!;
  try {
    const answer = await get(address(form), undefined, 'text/csv');
    save(
      await answer.blob(),
      `${form.dataset
        .path!.slice(4)
        .replace(/[^\w-]+/g, '-')
        .replace(/-$/, '')}.csv`,
    );
    status.textContent = 'Saved as CSV.';
  } catch (error) {
    status.textContent = error instanceof Failure ? `${error.title}: ${error.message}` : String(error);
  }
  box.hidden = false;
}

async function send(form: HTMLFormElement) {
  const key = apiKey.value;
  if ('keyed' in form.dataset && !key) return askForKey();
  const box = form.parentElement!.querySelector<HTMLElement>('[data-answer]')!;
  const [status, text] = [box.querySelector('[role=status]')!, box.querySelector('pre')!];
  const button = form.querySelector('button')!;
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value;
  const headers = new Headers();
  const stop = new AbortController();
  asked.set(form, stop);
  button.ariaDisabled = 'true';
  status.textContent = 'Asking…';
  box.hidden = false;
  try {
    if ('keyed' in form.dataset) headers.set('X-API-Key', key);
    if (body) headers.set('Content-Type', 'application/json');
    const begun = performance.now();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE)]);
    const answer = await fetch(address(form), { method: form.dataset.method, headers, body, signal });
    noteStatus(answer.status, key);
    const media = (answer.headers.get('Content-Type') ?? '').split(';')[0];
    const units = answer.headers.get('X-Usage-Units');
    if (media.startsWith('image/')) {
      const image = new Image();
      image.src = URL.createObjectURL(await answer.blob());
      image.alt = 'The image that the server sent';
      text.replaceChildren(image);
    } else {
      const all = await answer.text();
      const shown =
        all.length > MOST ? `${all.slice(0, MOST)}\n… ${all.length - MOST} more characters` : media.endsWith('json') ? pretty(all) : all;
      text.textContent = shown || 'No body.';
    }
    const parts = [`${answer.status} ${answer.statusText}`.trim(), media, `${Math.round(performance.now() - begun)} ms`];
    if (units) parts.push(`${units} request unit${units === '1' ? '' : 's'}`);
    status.textContent = parts.filter(Boolean).join(' · ');
    box.dataset.answer = answer.ok ? 'good' : 'bad';
  } catch (error) {
    if (stop.signal.aborted) return; // another request is being written
    status.textContent =
      (error as Error).name === 'TimeoutError' ? `No answer within ${PATIENCE / 1000} seconds.` : 'The server cannot be reached.';
    text.textContent = '';
    box.dataset.answer = 'bad';
  } finally {
    button.ariaDisabled = null;
  }
}
