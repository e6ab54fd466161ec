import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** A part of a page whose script is loaded when the visitor comes near, or at once where `now` says so. */
export function Near<Props extends object>({
  label,
  load,
  of,
  now,
}: {
  label: string;
  load: () => Promise<ComponentType<Props>>;
  of: Props;
  now?: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [Part, setPart] = useState<ComponentType<Props>>();
  useEffect(() => {
    if (Part) return;
    const begin = () => void load().then(part => setPart(() => part));
    if (now) {
      begin();
      return;
    }
    const near = new IntersectionObserver(entries => entries.some(entry => entry.isIntersecting) && begin(), { rootMargin: '600px' });
    near.observe(place.current!);
    return () => near.disconnect();
  }, [now]);
  return (
    <div class="stack" ref={place}>
      {Part ? <Part {...of} /> : <Awaited label={label} />}
    </div>
  );
}

/** The placeholder of a part until it is loaded. */
const Awaited = ({ label }: { label: string }) => (
  <section class="card near">
    <h2>{label}</h2>
    <p class="muted awaited">…</p>
  </section>
);
