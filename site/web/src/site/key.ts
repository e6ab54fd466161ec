import { signal } from '@preact/signals';
import { settings } from './settings';
import { inTab } from './stored';

// The key lives as long as the browser tab.
const STORED = 'piyasa:apiKey';

/** The API key; empty: none. A key from the server takes precedence: the demo makes a new one at each start. */
export const apiKey = signal(settings.key || inTab.get(STORED) || '');

/** The last key that the server refused. */
export const refusedKey = signal<string>();

export function changeKey(key: string) {
  inTab.set(STORED, key);
  apiKey.value = key;
}

/** Notes the status of an answer to a request with a key. */
export function noteStatus(status: number, key: string) {
  if (status === 401) refusedKey.value = key;
  else if (refusedKey.value === key) refusedKey.value = undefined;
}
