import type { ComponentChildren } from 'preact';

/** A column: its head alone, with its class ("number" where it holds figures), or with a title too. */
export type Column =
  string | [head: string, className: string] | { key: string; head: ComponentChildren; className: string; title: string };

/**
 * A table that scrolls in its own place where the page is narrow. Its children are the rows, or bodies with rows
 * where they are grouped.
 */
export function Table(of: {
  label: string;
  columns?: Column[];
  caption?: ComponentChildren;
  class?: string;
  grouped?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={`scroll ${of.class ?? ''}`} tabIndex={0} role="group" aria-label={of.label}>
      <table aria-label={of.label}>
        {of.caption && <caption class="small">{of.caption}</caption>}
        {of.columns && (
          <thead>
            <tr>{of.columns.map(Head)}</tr>
          </thead>
        )}
        {of.grouped ? of.children : <tbody>{of.children}</tbody>}
      </table>
    </div>
  );
}

function Head(column: Column) {
  if (typeof column === 'string') column = [column, ''];
  const { key, head, className, title } = Array.isArray(column)
    ? { key: column[0], head: column[0], className: column[1], title: undefined }
    : column;
  return (
    <th scope="col" class={className || undefined} title={title} key={key}>
      {head}
    </th>
  );
}
