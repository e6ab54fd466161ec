import type { ComponentChildren } from 'preact';
import { Take } from './take';

/** A column: its head, and the class of the head where it has one, such as "number". */
export type Column = string | [head: string, className: string];

/**
 * A table that scrolls in its own place where the page is narrow, with a head of columns or one of its own. Its children are
 * the rows, or bodies with rows where they are grouped.
 */
export function Table(of: {
  label: string;
  columns?: Column[];
  heads?: ComponentChildren;
  caption?: ComponentChildren;
  class?: string;
  grouped?: boolean;
  /** The REST path with the same answer. */
  take?: string;
  children: ComponentChildren;
}) {
  const heads =
    of.heads ??
    of.columns?.map(column => {
      const [head, className] = typeof column === 'string' ? [column] : column;
      return (
        <th scope="col" class={className}>
          {head}
        </th>
      );
    });
  const table = (
    <div class={`scroll ${of.class ?? ''}`} tabIndex={0} role="group" aria-label={of.label}>
      <table aria-label={of.label}>
        {of.caption && <caption class="small">{of.caption}</caption>}
        {heads && (
          <thead>
            <tr>{heads}</tr>
          </thead>
        )}
        {of.grouped ? of.children : <tbody>{of.children}</tbody>}
      </table>
    </div>
  );
  if (!of.take) return table;
  return (
    <>
      {table}
      <Take of={of.label} path={of.take} />
    </>
  );
}
