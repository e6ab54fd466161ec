// The interactive parts of the book's pages, which can be read without them.
import './docs.css';
import './search';
import { operations } from './try';
import { sockets } from './sockets';
import { tabs } from './tabs';

// The contents are open where there is room beside the page.
const menu = document.querySelector<HTMLDetailsElement>('.book .menu');
const wide = matchMedia('(min-width: 900px)');
const fit = () => {
  if (!menu) return;
  menu.open = wide.matches;
  menu.dataset.fits = '';
  const current = menu.querySelector('[aria-current]');
  const side = menu.closest('.side');
  if (wide.matches && current && side) side.scrollTop = Math.max(0, (current as HTMLElement).offsetTop - side.clientHeight / 2);
};
wide.addEventListener('change', fit);
fit();

// Every block of code can be copied.
for (const [number, code] of document.querySelectorAll<HTMLElement>('.page .code').entries()) {
  code.querySelector('code')!.id = `code-${number}`;
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.copyFrom = `code-${number}`;
  button.textContent = 'Copy';
  code.querySelector(':scope > p')!.append(button);
}

tabs();
operations();
sockets();
