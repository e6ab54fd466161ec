// The keyboard keeps its place: a button that cannot act now stays where it is, and when what has
// the focus is removed, what is beside it gets the focus.

const CONTROLS = 'a[href], button, input, select, textarea, summary';

/** What has or had the focus, what was around it, and the controls of the same name in its list, in order. */
let last: { element: HTMLElement; around: HTMLElement[]; peers: HTMLElement[] } | undefined;
let byKey = true;

function remember(element: HTMLElement) {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) around.push(at);
  const list = element.closest('ul, ol, tbody, [role=status], section');
  const peers = [...(list?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])].filter(peer => peer.textContent === element.textContent);
  last = { element, around, peers };
}

/** What gets the focus instead: the same control of the next or the previous row, else the heading of what is left. */
function heir({ element, around, peers }: NonNullable<typeof last>): HTMLElement | undefined {
  const at = peers.indexOf(element);
  const peer = [...peers.slice(at + 1), ...peers.slice(0, Math.max(at, 0)).reverse()].find(peer => peer.isConnected);
  if (peer) return peer;
  for (const place of around.filter(place => place.isConnected)) {
    const heading = place.querySelector<HTMLElement>('h1, h2, h3, h4');
    if (heading?.classList.contains('unseen')) return place.querySelector<HTMLElement>(CONTROLS) ?? heading;
    if (heading) return heading;
  }
  return document.querySelector<HTMLElement>('main') ?? undefined;
}

document.addEventListener('focusin', ({ target }) => {
  last = undefined;
  if ((target as HTMLElement).closest('main')) remember(target as HTMLElement); // the header looks after itself
});
document.addEventListener('keydown', () => (byKey = true), { capture: true });
document.addEventListener(
  'pointerdown',
  ({ target }) => {
    byKey = false;
    if (!last?.element.contains(target as Node)) last = undefined;
  },
  { capture: true },
);

new MutationObserver(() => {
  if (!last || last.element.isConnected || document.activeElement !== document.body || !document.hasFocus()) return;
  const next = heir(last);
  last = undefined;
  if (!next) return;
  if (!next.matches(CONTROLS)) next.tabIndex = -1;
  next.focus({ preventScroll: !byKey });
}).observe(document.body, { childList: true, subtree: true });

// A button that cannot act now has aria-disabled: disabled would take the focus away from it.
document.addEventListener(
  'click',
  event => {
    if (!(event.target as Element).closest('button[aria-disabled=true]')) return;
    event.preventDefault();
    event.stopPropagation();
  },
  { capture: true },
);
