// What all drawings on a canvas share: colors of the page, and the keys that move through figures.
import { useEffect, useState } from 'preact/hooks';

/** A color of the style sheet, by its name there. Canvas does not know light-dark(), so the browser resolves it. */
export function color(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

/** The same color, light enough for figures to stand out on it. */
export const faint = (of: string) => of.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.35)');

/** Whether the visitor's system is dark now. */
export function useDark(): boolean {
  const [dark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setDark(system.matches);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, []);
  return dark;
}

/** The index that a key leads to from another of the given number of figures; undefined: the key does not move. */
export function step(key: string, from: number, count: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    PageUp: from - 20,
    PageDown: from + 20,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined || !count ? undefined : Math.max(0, Math.min(count - 1, next));
}
