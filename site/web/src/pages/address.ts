import { useState } from 'preact/hooks';

/** A choice that stays in the address, so that a link or a reload shows the same; the default is left out. */
export function useInAddress<T extends string>(name: string, fallback: T, allowed: (text: string) => boolean): [T, (value: T) => void] {
  const [value, setValue] = useState(() => {
    const said = new URLSearchParams(location.search).get(name);
    return said !== null && allowed(said) ? (said as T) : fallback;
  });
  const change = (value: T) => {
    const address = new URL(location.href);
    if (value === fallback) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
    history.replaceState(history.state, '', address.href.replaceAll('%2C', ',').replaceAll('%3A', ':'));
    setValue(value);
  };
  return [value, change];
}
