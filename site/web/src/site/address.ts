// What a page shows is in its address, so that a link or a reload shows the same.
import { useState } from 'preact/hooks';

/** A parameter of the address; null: it has none. */
export const inAddress = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** Sets parameters of the address; null or empty removes one. */
export function putInAddress(parts: Record<string, string | null>) {
  const address = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parts)) {
    if (value) address.set(name, value);
    else address.delete(name);
  }
  const query = address.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  history.replaceState(null, '', `${location.pathname}${query ? `?${query}` : ''}${location.hash}`);
}

/** A choice that the address keeps; the default is left out. A value that is not allowed counts as the default. */
export function useInAddress<T extends string>(
  name: string,
  fallback: T,
  allowed: object | ((text: string) => boolean),
): [T, (value: T) => void] {
  const [value, setValue] = useState(() => {
    const said = inAddress(name);
    const fits = said !== null && (typeof allowed === 'function' ? allowed(said) : Object.hasOwn(allowed, said));
    return fits ? (said as T) : fallback;
  });
  const change = (value: T) => {
    putInAddress({ [name]: value === fallback ? null : value });
    setValue(value);
  };
  return [value, change];
}

/** Whether a text is a day such as 2026-08-21. */
export const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
