import { t } from '../site/words';

/** Buttons, one of which is chosen. */
export function Choice<T extends string>({
  label,
  of,
  value,
  choose,
}: {
  label: string;
  of: Record<T, string>;
  value: T;
  choose: (value: T) => void;
}) {
  return (
    <fieldset class="segmented">
      <legend class="unseen">{label}</legend>
      {(Object.entries(of) as [T, string][]).map(([key, name]) => (
        <button type="button" key={key} aria-pressed={key === value} onClick={() => choose(key)}>
          {t(name)}
        </button>
      ))}
    </fieldset>
  );
}
