import {
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  CrosshairMode,
  HistogramSeries,
  LineSeries,
  type IChartApi,
  type ISeriesApi,
  type SeriesMarker,
  type Time,
} from 'lightweight-charts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Num } from '../site/figures';
import { color, faint, step, useDark } from './drawing';
import { Rows } from './rows';

/** A bar as it was sent. */
export interface Bar {
  /** A day, or an instant. */
  at: string;
  open: string | null;
  high: string | null;
  low: string | null;
  close: string | null;
  volume: string | null;
  turnover: string | null;
}

/** Something that happened on a day. */
export interface Happening {
  kind: 'disclosure' | 'dividend' | 'action';
  day: string;
  text: string;
  href?: string;
}

const FIGURES = ['open', 'high', 'low', 'close', 'volume', 'turnover'] as const;
type Figure = (typeof FIGURES)[number];

const isDay = (bar: Bar) => bar.at.length === 10;
const label = (bar: Bar) => (isDay(bar) ? bar.at : bar.at.replace('T', ' ').replace(/(:\d\d)?(:\d\d)?(\.\d+)?Z$/, '$1 UTC'));

/** What the bars can honestly be drawn as, and what they lack. */
function nature(bars: Bar[]): { candles: boolean; missing: Figure[] } {
  const priced = bars.filter(bar => bar.close !== null);
  const lacks = (figure: Figure) => priced.filter(bar => bar[figure] === null).length;
  return {
    candles: priced.length > 0 && (['open', 'high', 'low'] as const).every(figure => lacks(figure) <= priced.length / 50),
    missing: FIGURES.filter(figure => priced.length > 0 && lacks(figure) === priced.length),
  };
}

/** Draws bars. Only the lines are made of floats: every figure that can be read is the text of the answer. */
export function Chart({
  bars,
  happenings,
  currency,
  resolution,
  note,
}: {
  bars: Bar[];
  happenings: Happening[];
  currency: string;
  resolution: string;
  note?: string | null;
}) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<{ api: IChartApi; series: ISeriesApi<'Candlestick' | 'Line'> }>(undefined);
  const [cursor, setCursor] = useState<number>();
  const [said, setSaid] = useState('');
  const dark = useDark();
  const { candles, missing } = useMemo(() => nature(bars), [bars]);
  const times = useMemo(() => bars.map(bar => (isDay(bar) ? bar.at : Date.parse(bar.at) / 1000) as Time), [bars]);
  const byTime = useMemo(() => new Map(times.map((time, index) => [time, index])), [times]);

  useEffect(() => {
    if (!bars.length) return; // there is no place to draw
    const [text, line, up, down, muted] = ['muted', 'line', 'up', 'down', 'edge'].map(color) as [string, string, string, string, string];
    const api = createChart(place.current!, {
      autoSize: true,
      layout: {
        background: { type: ColorType.Solid, color: 'transparent' },
        textColor: text,
        attributionLogo: false,
        fontFamily: 'system-ui, sans-serif',
      },
      grid: { vertLines: { color: faint(line) }, horzLines: { color: faint(line) } },
      rightPriceScale: { borderColor: line, scaleMargins: { top: 0.08, bottom: 0.24 } },
      timeScale: { borderColor: line, timeVisible: bars.length > 0 && !isDay(bars[0]!), secondsVisible: false },
      crosshair: { mode: CrosshairMode.Magnet, horzLine: { labelVisible: false } }, // a label would show a float
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false },
      localization: { locale: 'en-GB' },
    });
    const plain = { lastValueVisible: false, priceLineVisible: false };
    const number = (value: string | null) => Number(value);
    const series = candles
      ? api.addSeries(CandlestickSeries, {
          ...plain,
          upColor: up,
          downColor: down,
          wickUpColor: up,
          wickDownColor: down,
          borderVisible: false,
        })
      : api.addSeries(LineSeries, { ...plain, color: up, lineWidth: 2 });
    series.setData(
      bars.map((bar, index) => {
        const time = times[index]!;
        if (bar.close === null || (candles && (bar.open === null || bar.high === null || bar.low === null))) return { time };
        return candles
          ? { time, open: number(bar.open), high: number(bar.high), low: number(bar.low), close: number(bar.close) }
          : { time, value: number(bar.close) };
      }) as never,
    );
    if (bars.some(bar => bar.volume !== null)) {
      const volume = api.addSeries(HistogramSeries, {
        ...plain,
        priceScaleId: 'volume',
        priceFormat: { type: 'volume' },
        color: faint(muted),
      });
      volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
      volume.setData(
        bars.map((bar, index) => (bar.volume === null ? { time: times[index]! } : { time: times[index]!, value: number(bar.volume) })),
      );
    }
    const markers: SeriesMarker<Time>[] = [];
    let day = '';
    for (const [index, bar] of bars.entries()) {
      const today = bar.at.slice(0, 10);
      if (today === day) continue;
      day = today;
      const time = times[index]!;
      if (!isDay(bar) && index) markers.push({ time, position: 'belowBar', shape: 'square', color: muted, size: 0.4, text: 'session' });
      const kinds = new Set(happenings.filter(happening => happening.day === today).map(happening => happening.kind));
      if (kinds.has('disclosure')) markers.push({ time, position: 'aboveBar', shape: 'circle', color: muted, size: 0.6 });
      if (kinds.has('dividend')) markers.push({ time, position: 'belowBar', shape: 'arrowUp', color: up, text: 'dividend' });
      if (kinds.has('action')) markers.push({ time, position: 'belowBar', shape: 'square', color: down, text: 'action' });
    }
    createSeriesMarkers(series, markers);
    api.timeScale().fitContent();
    api.subscribeCrosshairMove(({ time }) => setCursor(time === undefined ? undefined : byTime.get(time)));
    chart.current = { api, series };
    return () => {
      chart.current = undefined;
      api.remove();
    };
  }, [bars, happenings, dark]);

  const shown = cursor ?? bars.length - 1;
  const bar = bars[shown];
  const stated = FIGURES.filter(figure => !missing.includes(figure));
  const near = happenings.filter(({ day }) => day === bar?.at.slice(0, 10));

  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      chart.current?.api.clearCrosshairPosition();
      setCursor(undefined);
      return;
    }
    const next = step(event.key, shown, bars.length);
    if (next === undefined) return;
    event.preventDefault();
    setCursor(next);
    const to = bars[next]!;
    chart.current?.api.setCrosshairPosition(to.close === null ? 0 : Number(to.close), times[next]!, chart.current.series);
    setSaid(
      speech(
        to,
        currency,
        happenings.filter(({ day }) => day === to.at.slice(0, 10)),
      ),
    );
  };

  if (!bars.length) return <p class="note">There are no bars in this range.{note && ` ${note}`}</p>;
  return (
    <>
      <p class="legend" data-at={bar?.at}>
        <strong>{bar && label(bar)}</strong>
        {stated.map(figure => (
          <span key={figure}>
            {' '}
            <b>{figure}</b> <Num text={bar?.[figure]} />
          </span>
        ))}{' '}
        <span class="muted">{currency}</span>
        {near.map(({ text, href, kind }) => (
          <span class="small" key={text}>
            {' '}
            · {kind}: {href ? <a href={href}>{text}</a> : text}
          </span>
        ))}
      </p>
      <div
        class="chart-box"
        tabIndex={0}
        role="application"
        aria-roledescription="chart"
        aria-label={`Chart of ${bars.length} bars from ${label(bars[0]!)} to ${label(bars.at(-1)!)}. Arrow keys move through the bars; a table follows.`}
        onKeyDown={move}
        onBlur={() => setSaid('')}
      >
        <div class="chart" ref={place} aria-hidden="true" />
      </div>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
      <p class="small muted">
        {candles ? 'Candles.' : 'A line of closes: not every bar here has an open, a high and a low.'}
        {!!missing.length &&
          ` This market does not state ${listed(missing)} at ${resolution}, so ${missing.length > 1 ? 'they are' : 'it is'} null in every bar.`}
        {note && ` ${note}`} Chart by <a href="https://www.tradingview.com/">TradingView</a>’s Lightweight Charts.
      </p>
      <Rows
        summary={`The same ${bars.length} bars as a table`}
        name="Table of bars"
        caption={`Newest first, in ${currency}`}
        first={isDay(bars[0]!) ? 'Day' : 'Start'}
        columns={stated}
        rows={bars.map(bar => ({ key: bar.at, label: label(bar), figures: stated.map(figure => bar[figure]) }))}
      />
    </>
  );
}

const listed = (names: string[]) => (names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

const speech = (bar: Bar, currency: string, near: Happening[]) =>
  [
    label(bar),
    ...FIGURES.filter(figure => bar[figure] !== null).map(figure => `${figure} ${bar[figure]}`),
    currency,
    ...near.map(({ kind, text }) => `${kind}: ${text}`),
  ].join(', ');
