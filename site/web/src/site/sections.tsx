import { t } from './words';

const PAGES = [
  ['/markets', 'Markets'],
  ['/screener', 'Screener'],
  ['/compare', 'Compare'],
  ['/funds', 'Funds'],
  ['/calendar', 'Calendar'],
  ['/macro', 'Prices of producers'],
] as const;

/** The pages about the whole market. */
export function Sections({ title }: { title: string }) {
  return (
    <>
      <nav class="sections" aria-label={t('Markets')}>
        {PAGES.map(([path, name]) => (
          <a href={path} key={path} aria-current={location.pathname === path ? 'page' : undefined}>
            {t(name)}
          </a>
        ))}
      </nav>
      <h1>{title}</h1>
    </>
  );
}
