import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Num } from '../site/figures';
import { Take } from '../site/take';
import { color, faint, step, useDark } from './drawing';
import { Rows } from './rows';
import { locale, t } from '../site/words';

/** A figure on each of some days, as it was sent; null where none is stated. */
export interface Line {
  name: string;
  unit: string;
  figures: (string | null)[];
}

const HEIGHT = 220;

/**
 * Draws one of the lines over days, oldest first; a day without a figure is a gap. Only the line is made of floats: every figure
 * that can be read is the text of the answer. The arrow keys move through the days.
 */
export function Plot({ days, lines, drawn, path }: { days: string[]; lines: Line[]; drawn: number; path: string }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [cursor, setCursor] = useState<number>();
  const [said, setSaid] = useState('');
  const dark = useDark();
  const line = lines[drawn]!;

  useEffect(() => {
    const [text, edge, up] = ['muted', 'line', 'up'].map(color) as [string, string, string];
    const box = place.current!;
    const width = () => Math.max(box.clientWidth, 100);
    const axis = {
      stroke: text,
      grid: { stroke: faint(edge), width: 1 },
      ticks: { stroke: faint(edge), width: 1 },
      font: '12px system-ui, sans-serif',
    };
    const made = new uPlot(
      {
        width: width(),
        height: HEIGHT,
        tzDate: at => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'), // a day begins where it is written
        legend: { show: false }, // a legend would show floats
        cursor: { y: false, drag: { x: false, y: false } },
        scales: { x: { time: true } },
        axes: [axis, { ...axis, side: 1, size: 72, values: (_, splits) => splits.map(short) }],
        series: [{}, { stroke: up, width: 2, spanGaps: false, points: { show: days.length < 3, fill: up } }],
        hooks: { setCursor: [({ cursor: { idx, left } }) => setCursor(idx === null || (left ?? -1) < 0 ? undefined : idx)] },
      },
      [days.map(day => Date.parse(day) / 1000), line.figures.map(figure => (figure === null ? null : Number(figure)))],
      box,
    );
    plot.current = made;
    const fit = new ResizeObserver(() => made.setSize({ width: width(), height: HEIGHT }));
    fit.observe(box);
    return () => {
      plot.current = undefined;
      fit.disconnect();
      made.destroy();
    };
  }, [days, line, dark]);

  const shown = cursor ?? days.length - 1;
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      plot.current?.setCursor({ left: -10, top: -10 });
      setCursor(undefined);
      return;
    }
    const next = step(event.key, shown, days.length);
    if (next === undefined) return;
    event.preventDefault();
    const made = plot.current;
    made?.setCursor({ left: made.valToPos(made.data[0][next]!, 'x'), top: 0 });
    setCursor(next);
    setSaid(`${days[next]}, ${lines.map(({ name, unit, figures }) => `${name} ${figures[next] ?? 'null'} ${unit}`.trim()).join(', ')}`);
  };

  return (
    <>
      <p class="legend" data-at={days[shown]}>
        <strong>{days[shown]}</strong>
        {lines.map(({ name, unit, figures }) => (
          <span key={name}>
            {' '}
            <b>{name}</b> <Num text={figures[shown]} unit={unit} />
          </span>
        ))}
      </p>
      <div
        class="plot"
        tabIndex={0}
        role="application"
        aria-roledescription="chart"
        aria-label={t('{name} on {count} days from {first} to {last}. Arrow keys move through the days; a table follows.', {
          name: line.name,
          count: days.length,
          first: days[0]!,
          last: days.at(-1)!,
        })}
        onKeyDown={move}
        onBlur={() => setSaid('')}
      >
        <div ref={place} aria-hidden="true" />
      </div>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
      <Take of={t('the days')} path={path} />
      <Rows
        summary={t('The same {count} days as a table', { count: days.length })}
        name={t('Table of days')}
        caption={t('Newest first')}
        first={t('Day')}
        columns={lines.map(({ name, unit }) => `${name}${unit && `, ${unit}`}`)}
        rows={days.map((day, index) => ({ key: day, label: day, figures: lines.map(({ figures }) => figures[index]!) }))}
      />
    </>
  );
}

const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 3 });
const short = (value: number) => compact.format(value);
