import { useState } from 'preact/hooks';
import { Num } from '../site/figures';
import { t } from '../site/words';

/** The figures behind one point of a picture, each as the text of the answer. */
export interface Row {
  key: string;
  label: string;
  figures: (string | null)[];
}

const PAGE = 100;

/** The figures of a picture as a table, newest first; `rows` are oldest first. Drawn when the visitor opens it. */
export function Rows({
  summary,
  name,
  caption,
  first,
  columns,
  rows,
}: {
  summary: string;
  name: string;
  caption: string;
  first: string;
  columns: string[];
  rows: Row[];
}) {
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState(PAGE);
  return (
    <details class="more" onToggle={event => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{summary}</summary>
      {open && (
        <div class="bars" tabIndex={0} role="group" aria-label={name}>
          <table aria-label={name}>
            <caption>{caption}</caption>
            <thead>
              <tr>
                <th scope="col">{first}</th>
                {columns.map(column => (
                  <th scope="col" class="number" key={column}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows
                .slice(-shown)
                .reverse()
                .map(({ key, label, figures }) => (
                  <tr key={key}>
                    <th scope="row">{label}</th>
                    {figures.map((text, column) => (
                      <td class="number" key={columns[column]}>
                        <Num text={text} />
                      </td>
                    ))}
                  </tr>
                ))}
            </tbody>
          </table>
          {shown < rows.length && (
            <button type="button" onClick={() => setShown(shown + 10 * PAGE)}>
              {t('Earlier rows')}
            </button>
          )}
        </div>
      )}
    </details>
  );
}
