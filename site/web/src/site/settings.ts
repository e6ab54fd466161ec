/** What the server writes into every page. */
export interface Settings {
  /** The demo's key. */
  key?: string;
  version: string;
  /** The service's clock when the page was sent. */
  now?: string;
  /** Instruments that a first visit to the home page shows. */
  watchlist?: string[];
  /** GraphiQL's. */
  tabs?: { title?: string; query: string; variables?: string }[];
}

export const settings: Settings = JSON.parse(document.getElementById('settings')!.textContent!);
