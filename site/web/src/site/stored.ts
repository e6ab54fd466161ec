// Values that the browser stores. If it may store nothing, or has no room, the page keeps them
// while it is open.

function storeOf(kept: () => Storage) {
  const here = new Map<string, string>(); // values that the browser did not store
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
    remove(key: string) {
      here.delete(key);
      try {
        kept().removeItem(key);
      } catch {
        // it stores nothing
      }
    },
    keys(): string[] {
      try {
        return [...new Set([...here.keys(), ...Object.keys(kept())])];
      } catch {
        return [...here.keys()];
      }
    },
  };
}

/** Permanent storage, shared by all tabs. */
export const inBrowser = storeOf(() => localStorage);

/** Storage that lasts as long as the tab. */
export const inTab = storeOf(() => sessionStorage);
