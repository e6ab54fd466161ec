import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { failureFrom, get } from './api';
import { t } from './words';

const python = (path: string) => `import json
import urllib.request

request = urllib.request.Request("{ORIGIN}${path}", headers={"X-API-Key": "{KEY}"})
print(json.load(urllib.request.urlopen(request, timeout=30)))
`;

/** Saves bytes as a file of the visitor's. */
export function save(content: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers begin to read late
}

/** Links to take away the answer of a REST path: as CSV, and as a request for programs. */
export function Take({ of, path: asked, children }: { of: string; path: string; children?: ComponentChildren }) {
  // Part of it may come from the page's address: nothing in it may end the quotes in a copied shell
  // command.
  const path = asked.replace(/\?$/, '').replace(/[^\w\-.~:/?@&+,;=%]/g, sign => (sign === "'" ? '%27' : encodeURIComponent(sign)));
  const [failure, setFailure] = useState<string>();
  const csv = async () => {
    setFailure(undefined);
    try {
      save(
        await (await get(path, undefined, 'text/csv')).blob(),
        `${path
          .slice(4)
          .replace(/[^\w-]+/g, '-')
          .slice(0, 120)}.csv`,
      );
    } catch (error) {
      setFailure(failureFrom(error).message);
    }
  };
  return (
    <div class="take small" role="group" aria-label={t('Take: {what}', { what: of })}>
      <button type="button" onClick={csv}>
        {t('CSV')}
      </button>
      {children}
      <button type="button" data-copy={`curl -H 'X-API-Key: {KEY}' '{ORIGIN}${path}'`}>
        {t('Copy as curl')}
      </button>
      <button type="button" data-copy={python(path)}>
        {t('Copy as Python')}
      </button>
      {failure && <span role="alert">{failure}</span>}
    </div>
  );
}
