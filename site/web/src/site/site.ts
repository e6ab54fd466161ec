// What every page has: the key in its header, buttons that copy, and the style.
import './site.css';
import './focus';
import { effect } from '@preact/signals';
import { age } from './figures';
import { apiKey, changeKey, refusedKey } from './key';
import { exact, type Language, language, locale, showExact, speak, spoken, t } from './words';
import { gone, now } from './server';

const panel = document.querySelector<HTMLDetailsElement>('.key-panel'); // operators' pages have none
if (panel) watch(panel);

function watch(panel: HTMLDetailsElement) {
  const field = panel.querySelector('input')!;
  const state = panel.querySelector('.key-state')!;
  const [empty, refused] = panel.querySelectorAll<HTMLElement>('.key-hint > *');

  field.value = apiKey.value;

  // Typing is over after a short rest, or at once on Enter and on leaving.
  let resting: ReturnType<typeof setTimeout>;
  const typed = () => {
    clearTimeout(resting);
    const key = field.value.trim();
    if (key !== apiKey.value) changeKey(key);
  };
  field.addEventListener('input', () => {
    clearTimeout(resting);
    resting = setTimeout(typed, 600);
  });
  field.addEventListener('change', typed);
  panel.querySelector('form')!.addEventListener('submit', event => {
    event.preventDefault();
    typed();
    if (apiKey.value && refusedKey.value !== apiKey.value) panel.open = false;
  });

  effect(() => {
    const isRefused = !!apiKey.value && refusedKey.value === apiKey.value;
    empty.hidden = !!apiKey.value;
    refused.hidden = !isRefused;
    if (document.activeElement !== field) field.value = apiKey.value; // the first-run page may have made a key
    field.setAttribute('aria-invalid', String(isRefused));
    state.className = `key-state ${isRefused ? 'bad' : apiKey.value ? 'good' : 'none'}`;
    state.textContent = isRefused ? t('refused') : apiKey.value ? '' : t('missing');
  });
}

// The frame of a page is in English until the words of another language are there.
spoken.then(() => {
  document.title = document.title
    .split(' · ')
    .map(part => t(part))
    .join(' · ');
  for (const element of document.querySelectorAll<HTMLElement>('[data-t]')) {
    if (!element.dataset.t) element.textContent = t(element.textContent!.trim());
    else for (const name of element.dataset.t.split(' ')) element.setAttribute(name, t(element.getAttribute(name)!));
  }
});
for (const button of document.querySelectorAll<HTMLButtonElement>('.site-footer [data-language]')) {
  button.setAttribute('aria-pressed', String(button.dataset.language === language));
  button.addEventListener('click', () => speak(button.dataset.language as Language));
}
const figures = document.querySelector<HTMLButtonElement>('[data-exact]');
if (figures) {
  figures.hidden = language === 'en'; // English writes them as the API does
  figures.addEventListener('click', () => showExact(!exact.value));
  effect(() => figures.setAttribute('aria-pressed', String(exact.value)));
}

// The contents of some pages are in English only.
const main = document.getElementById('main');
if (main && language !== 'en' && !main.querySelector('#app, [data-t]')) main.lang = 'en';

// A narrow window has no room for the whole navigation: the current item is in sight.
spoken.then(() => {
  const item = document.querySelector<HTMLElement>('.doors [aria-current]');
  const doors = item?.parentElement;
  if (!item || !doors) return;
  const [seen, wanted] = [doors.getBoundingClientRect(), item.getBoundingClientRect()];
  if (wanted.right > seen.right) doors.scrollLeft += wanted.right - seen.right;
});

// The search of the header is loaded when it is used; / goes to the first search of the page.
const finder = document.querySelector<HTMLElement>('.finder');
finder?.addEventListener('focusin', () => import('./finder').then(({ find }) => find(finder)), { once: true });
document.addEventListener('keydown', event => {
  const at = event.target as HTMLElement;
  if (
    event.key !== '/' ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) ||
    at.isContentEditable
  )
    return;
  const field = document.querySelector('.book .search') ? undefined : finder?.querySelector('input'); // docs have a search of their own
  if (!field) return;
  event.preventDefault();
  field.focus();
});

// Nothing on a page may look alive while the server cannot be reached.
effect(() => {
  const place = document.getElementById('gone')!;
  const heard = gone.value;
  place.hidden = heard === undefined;
  document.documentElement.classList.toggle('stale', heard !== undefined);
  if (heard === undefined) return;
  const told = new Date(heard).toISOString();
  place.firstElementChild!.textContent = `${t(navigator.onLine ? 'The server cannot be reached.' : 'This browser is offline.')} ${t('Figures are as they were at {time}.', { time: new Date(heard).toLocaleTimeString(locale) })}`;
  const grow = () => (place.querySelector('.age')!.textContent = t('That was {when}. The page tries again.', { when: age(told, now()) }));
  grow();
  const timer = setInterval(grow, 1000);
  return () => clearInterval(timer);
});

// Open panels of the header close on Escape, and on a click elsewhere.
document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  for (const open of document.querySelectorAll<HTMLDetailsElement>('header details[open]')) {
    open.open = false;
    open.querySelector('summary')!.focus();
  }
});
document.addEventListener('pointerdown', event => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>('header details[open]')) {
    if (!open.contains(event.target as Node)) open.open = false;
  }
});

// A button copies the text of its attribute data-copy, or of the element that data-copy-from names; {KEY} becomes the key.
document.addEventListener('click', async event => {
  const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy], button[data-copy-from]');
  if (!button) return;
  const from = button.dataset.copyFrom;
  const text = from ? document.getElementById(from)!.textContent! : button.dataset.copy!;
  const label = (button.dataset.label ??= button.textContent!);
  const said = document.getElementById('said')!;
  try {
    await navigator.clipboard.writeText(text.replaceAll('{KEY}', apiKey.value || '$KEY').replaceAll('{ORIGIN}', location.origin));
    button.textContent = t('Copied');
  } catch {
    button.textContent = t('Not allowed');
  }
  said.textContent = button.textContent; // screen readers do not read a button again when its name changes
  setTimeout(() => {
    button.textContent = label;
    said.textContent = '';
  }, 1500);
});

/** Opens the panel with the key. */
export function askForKey() {
  if (!panel) return;
  panel.open = true;
  panel.querySelector('input')!.focus();
}
