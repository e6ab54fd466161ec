// The keyboard keeps its place: a button that cannot act now stays where it is, and when what has
// the focus is removed, what is beside it gets the focus.

const CONTROLS = 'a[href], button, input, select, textarea, summary';

/** What has or had the focus, what was around it, and which it was of the controls of its name in its list. */
let last: { element: HTMLElement; around: HTMLElement[]; at: number } | undefined;
let byKey = true;

function namesakes(place: Element | null, { textContent }: HTMLElement) {
  return [...(place?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])].filter(other => other.textContent === textContent);
}

function remember(element: HTMLElement) {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) around.push(at);
  last = { element, around, at: namesakes(element.closest('ul, ol, tbody, [role=status], section'), element).indexOf(element) };
}

/** What gets the focus instead: the same control of the next or the previous row, else the heading of what is left. */
function heir({ element, around, at }: NonNullable<typeof last>): HTMLElement | undefined {
  for (const place of around.filter(place => place.isConnected)) {
    const peers = namesakes(place, element);
    if (peers.length && at >= 0) return peers[Math.min(at, peers.length - 1)];
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
