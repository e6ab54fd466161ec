// What the browser keeps. Where it may keep nothing, or has no room, the page keeps it for as long as it is open.

function storeOf(kept: () => Storage) {
  const here = new Map<string, string>(); // what the browser did not take
  return {
    get(key: string): string | null {
      try {
        return here.get(key) ?? kept().getItem(key);
      } catch {
        return null;
      }
    },
    set(key: string, value: string) {
      try {
        kept().setItem(key, value);
        here.delete(key);
      } catch {
        here.set(key, value);
      }
    },
  };
}

/** Lasts, and is the same in every tab. */
export const inBrowser = storeOf(() => localStorage);

/** Lasts as long as the tab. */
export const inTab = storeOf(() => sessionStorage);
