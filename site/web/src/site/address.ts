// What a page shows is in its address, so that a link or a reload shows the same.

/** A part of the address; null: it has none. */
export const inAddress = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** Puts parts into the address; null or empty takes one out. */
export function putInAddress(parts: Record<string, string | null>) {
  const address = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parts)) {
    if (value) address.set(name, value);
    else address.delete(name);
  }
  const query = address.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  history.replaceState(null, '', `${location.pathname}${query ? `?${query}` : ''}${location.hash}`);
}
