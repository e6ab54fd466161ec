// The watchlists and alerts that the visitor keeps in this browser.
import { signal } from '@preact/signals';
import { inAddress, putInAddress } from '../site/address';
import { settings } from '../site/settings';
import { t } from '../site/words';
import { inBrowser } from '../site/stored';

/** The most ids of a list, and the most alerts. */
export const MOST = 50;
export const MOST_LISTS = 20;
export const LONGEST_NAME = 40;

export interface List {
  key: string;
  /** Empty: the first list, which has not been named. */
  name: string;
  /** None: those that the server offers, or its most alive instruments. Only the first list can have none. */
  ids?: string[];
  /** None: the default columns. */
  columns?: string[];
}

export interface Alert {
  key: string;
  instrumentId: string;
  name: string;
  /** When it fires; a price that is reached exactly counts. */
  on: 'above' | 'below' | 'disclosure';
  price?: string;
  /** What it said when it fired; it fires once. */
  said?: string;
}

/** A value that the browser stores for all tabs. Each change starts from the value stored at that moment. */
function kept<T>(key: string, read: (stored: unknown) => T) {
  const now = (): T => {
    try {
      return read(JSON.parse(inBrowser.get(key) ?? 'null'));
    } catch {
      return read(null);
    }
  };
  const held = signal(now());
  addEventListener('storage', event => {
    if (event.key === key || event.key === null) held.value = now();
  });
  const change = (to: (before: T) => T) => {
    const after = to(now());
    inBrowser.set(key, JSON.stringify(after));
    held.value = after;
  };
  return {
    get value() {
      return held.value;
    },
    change,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const rowsOf = (stored: unknown): Record<string, unknown>[] =>
  Array.isArray(stored) ? stored.filter(row => row && typeof row === 'object' && isText(row.key)) : [];

// Ids also come from links, and go into commands to copy: texts that cannot be ids are left out.
const idsOf = (stored: unknown): string[] | undefined =>
  Array.isArray(stored) ? [...new Set(stored.filter(isText).filter(id => /^[\w:.\-/^=]{1,64}$/.test(id)))] : undefined;

/** A typed name, cleaned up for a list; empty: not a name. */
export const nameOf = (typed: string) => typed.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME).trim();

function readLists(stored: unknown): List[] {
  const lists = rowsOf(stored).map((row, index) => ({
    key: row.key as string,
    name: isText(row.name) ? nameOf(row.name) : '',
    ids: idsOf(row.ids)?.slice(0, MOST) ?? (index ? [] : undefined),
    columns: Array.isArray(row.columns) ? row.columns.filter(isText).slice(0, MOST) : undefined,
  }));
  return lists.length ? lists.slice(0, MOST_LISTS) : [{ key: 'first', name: '', ids: before() }];
}

/** The list that an older version of the site stored; it had only one. */
function before(): string[] | undefined {
  try {
    return idsOf(JSON.parse(inBrowser.get('piyasa:watchlist') ?? 'null'))?.slice(0, MOST);
  } catch {
    return undefined;
  }
}

const readAlerts = (stored: unknown): Alert[] =>
  rowsOf(stored)
    .filter(({ instrumentId, name, on, price }) => {
      const whole = isText(instrumentId) && isText(name) && ['above', 'below', 'disclosure'].includes(on as string);
      return whole && (on === 'disclosure' || isText(price));
    })
    .slice(0, MOST) as unknown as Alert[];

export const lists = kept('piyasa:lists', readLists);
export const alerts = kept('piyasa:alerts', readAlerts);

const SHOWN = 'piyasa:list';

/** The key of the list that this tab shows; new tabs begin with it. */
const chosen = signal(inBrowser.get(SHOWN) ?? '');

export function show(key: string) {
  inBrowser.set(SHOWN, key);
  chosen.value = key;
}

/** Whether the list that this tab has shown is deleted, by another tab. */
export const isLost = () => !shared.value && !!chosen.value && !lists.value.some(list => list.key === chosen.value);

const linked = idsOf(inAddress('ids')?.split(','));

/** The number of instruments that the link names; a list has at most MOST. */
export const linkedCount = linked?.length ?? 0;

/** The list of the link that the page was opened by. */
export const shared = signal<List | undefined>(
  linked?.length ? { key: 'shared', name: nameOf(inAddress('list') ?? '') || t('Shared list'), ids: linked.slice(0, MOST) } : undefined,
);

/** Whether the page was opened by a link to a list that names no instrument. */
export const emptyLink = signal(!linkedCount && (inAddress('ids') !== null || inAddress('list') !== null));

/** The list that is shown. */
export const shownList = (): List => shared.value ?? lists.value.find(list => list.key === chosen.value) ?? lists.value[0]!;

/** The displayed name of a list. */
export const titleOf = (list: List) => list.name || (list.ids || settings.watchlist ? t('First list') : t('Most alive'));

/** The address at which others can open a list. */
export const linkTo = (list: List, ids: string[]) =>
  `/?list=${encodeURIComponent(titleOf(list))}&ids=${ids.map(id => encodeURIComponent(id).replaceAll('%3A', ':')).join()}`;

export const newKey = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

/** A name that no other list has. */
export function freeName(wanted: string, among: List[]): string {
  const taken = (name: string) => among.some(list => titleOf(list) === name);
  let name = wanted;
  for (let n = 2; taken(name); n++) name = `${wanted.slice(0, LONGEST_NAME - 5)} (${n})`;
  return name;
}

/** Changes the list with this key, if another tab has not deleted it. */
export const changeList = (key: string, to: (list: List) => Partial<List>) =>
  lists.change(all => all.map(list => (list.key === key ? { ...list, ...to(list) } : list)));

/** Adds a list and shows it; false: there are already MOST_LISTS. */
export function addList(list: Omit<List, 'key'>, at = MOST_LISTS): boolean {
  const key = newKey();
  let added = false;
  lists.change(all => {
    added = all.length < MOST_LISTS;
    return added ? all.toSpliced(at, 0, { ...list, key, name: freeName(list.name, all) }) : all;
  });
  if (added) show(key);
  return added;
}

/** Leaves the list of the link. */
export function leaveShared() {
  putInAddress({ list: null, ids: null });
  shared.value = undefined;
  emptyLink.value = false;
}
