import {
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  CrosshairMode,
  HistogramSeries,
  LineSeries,
  LineStyle,
  PriceScaleMode,
  TickMarkType,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type SeriesMarker,
  type Time,
} from 'lightweight-charts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { inAddress, putInAddress } from '../site/address';
import { Change, Num } from '../site/figures';
import { decimals } from '../site/grid';
import { DAY, dayOf, now } from '../site/server';
import { save, Take } from '../site/take';
import type { Resolution, Series } from './bars';
import { color, faint, step, useDark } from './drawing';
import type { Quote } from './instrument';
import { Rows } from './rows';
import type { StudyLine } from './studies';
import { language, locale, t, written, writtenDay } from '../site/words';

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

/** The name of a figure; `open` alone would be translated as the state of a market. */
const called = (figure: Figure) => t(figure === 'open' ? 'opening' : figure);

const isDay = (bar: Bar) => bar.at.length === 10;
const timeOf = (bar: Bar) => (isDay(bar) ? bar.at : Date.parse(bar.at) / 1000) as Time;

/** The day of a bar; for a shorter bar, its beginning by the visitor's clock, as every other time of the page. */
const label = (bar: Bar) =>
  isDay(bar) ? writtenDay(bar.at) : new Date(bar.at).toLocaleString('sv-SE', { ...MINUTE, timeZoneName: 'short' });
const MINUTE = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

/** A time on the axis of bars that are shorter than a day; null: as the chart writes days. */
const tick = (time: Time, kind: TickMarkType) =>
  typeof time === 'number' && kind >= TickMarkType.Time
    ? new Date(time * 1000).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
    : null;

/** The chart types that the figures of the bars suffice for, and what the bars lack. */
function nature(bars: Bar[]): { candles: boolean; missing: Figure[] } {
  const priced = bars.filter(bar => bar.close !== null);
  const lacks = (figure: Figure) => priced.filter(bar => bar[figure] === null).length;
  return {
    candles: priced.length > 0 && (['open', 'high', 'low'] as const).every(figure => lacks(figure) <= priced.length / 50),
    missing: FIGURES.filter(figure => priced.length > 0 && lacks(figure) === priced.length),
  };
}

/** The bars with the current price in the last one, or in a new one for a day that is not over; high and low are compared as floats. */
function withQuote(bars: Bar[], resolution: Resolution, market: string, currency: string, quote: Quote | undefined): Bar[] {
  const last = bars.at(-1);
  if (!last || !quote || quote.currency !== currency) return bars;
  const at = Date.parse(quote.asOf);
  const inTurkey = market === 'BIST' || market === 'FX';
  const dayIn = (at: number) => (inTurkey ? dayOf(at) : new Date(at).toISOString().slice(0, 10));
  const day = dayIn(at);
  if (day !== dayIn(now())) return bars; // a day that is over has its bar
  const since = at - Date.parse(last.at);
  const of = { '5m': 300_000, '2h': 7_200_000, '1d': DAY, '1w': 7 * DAY, '1mo': 0 }[resolution];
  const steps = of ? Math.floor(since / of) : Number(day.slice(0, 7) !== last.at.slice(0, 7));
  if (resolution === '1d' ? day === last.at : steps === 0) {
    const most = (figure: 'high' | 'low', sign: number) =>
      [last[figure], resolution === '1d' ? quote[figure] : null, quote.last]
        .filter(text => text !== null)
        .reduce((one, other) => (sign * (Number(other) - Number(one)) > 0 ? other : one));
    const whole = resolution === '1d' ? { volume: quote.volume ?? last.volume, turnover: quote.turnover ?? last.turnover } : {};
    const bar = { ...last, ...whole, close: quote.last, high: last.high && most('high', 1), low: last.low && most('low', -1) };
    return [...bars.slice(0, -1), bar];
  }
  if (since < 0 || steps * of > 5 * DAY || (resolution !== '1d' && (isDay(last) || steps * of > DAY))) return bars;
  const begins = resolution === '1d' ? day : new Date(Date.parse(last.at) + steps * of).toISOString().replace('.000', '');
  const { open, high, low, last: close, volume, turnover } = quote;
  const none = { open: null, high: null, low: null, volume: null, turnover: null };
  return [...bars, { at: begins, close, ...(resolution === '1d' ? { open, high, low, volume, turnover } : none) }];
}

/** The visible part of the bars as the address states it; null: all of them. */
function viewOf({ from, to }: { from: number; to: number }, bars: Bar[]): string | null {
  const [first, last] = [Math.max(0, Math.round(from)), Math.min(bars.length - 1, Math.round(to))];
  return first >= last || (first === 0 && last === bars.length - 1) ? null : `${bars[first]!.at}..${bars[last]!.at}`;
}

/** The part of the bars that the address names. */
function viewIn(bars: Bar[]): { from: number; to: number } | undefined {
  const [first, last] = (inAddress('view') ?? '').split('..');
  if (!first || !last) return undefined;
  const [from, to] = [bars.findIndex(bar => bar.at >= first), bars.findLastIndex(bar => bar.at <= last)];
  return from >= 0 && to > from ? { from, to } : undefined;
}

/** The change from one decimal to another in percent, to two decimals, half away from zero. */
function changePct(from: string, to: string): string | null {
  const places = (text: string) => Math.max(0, decimals(text) - 1);
  const most = Math.max(places(from), places(to));
  const units = (text: string) => BigInt(text.replace('.', '') + '0'.repeat(most - places(text)));
  const base = units(from);
  if (base <= 0n) return null;
  const scaled = (units(to) - base) * 20_000n;
  const rounded = (scaled + (scaled < 0n ? -base : base)) / (2n * base);
  const digits = String(rounded < 0n ? -rounded : rounded).padStart(3, '0');
  return `${rounded < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** What each of several lines gained from its first close of the range to its last. */
function Returns({ of }: { of: Series[] }) {
  return (
    <ul class="returns" aria-label={t('Returns over the range')}>
      {of.map(({ id, currency, bars }, n) => {
        const closed = bars.filter(bar => bar.close !== null);
        const [first, last] = [closed[0], closed.at(-1)];
        return (
          <li key={id} data-id={id}>
            {n > 0 && <span class={`swatch line-${n}`} aria-hidden="true" />} <b>{id}</b>{' '}
            {first && last ? <Change pct={changePct(first.close!, last.close!)} /> : <Num text={null} />}{' '}
            {first && last && (
              <span class="muted small">{t('in {currency}, {first} – {last}', { currency, first: label(first), last: label(last) })}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Draws bars. Only the lines are made of floats: every figure that can be read is the text of the answer. */
export function Chart({
  of: { series, lines: studied, range, resolution, ids },
  market,
  happenings,
  path,
  linesPath,
  quote,
  log,
  earlier,
  note,
}: {
  of: { series: Series[]; lines: StudyLine[]; range: string; resolution: Resolution; ids: string[] };
  market: string;
  happenings: Happening[];
  path: string;
  /** The REST path of the lines of indicators. */
  linesPath?: string;
  quote?: Quote;
  log: boolean;
  /** Asks for a longer range. */
  earlier?: () => void;
  note?: string | null;
}) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Parts>(undefined);
  const [cursor, setCursor] = useState<string>();
  const [picked, setPicked] = useState<string>();
  const [said, setSaid] = useState('');
  const dark = useDark();
  const [{ currency, bars: sent }, ...others] = series as [Series, ...Series[]];
  const bars = useMemo(() => withQuote(sent, resolution, market, currency, quote), [sent, resolution, market, currency, quote]);
  const { candles, missing } = useMemo(() => nature(sent), [sent]);
  const asCandles = candles && !others.length;
  const precision = useMemo(() => precisionOf(bars), [bars]);
  // Each in percent of its own beginning, an average and its price would not fit together.
  const drawn = useMemo(() => studied.filter(line => line.own || !others.length), [studied, others.length]);
  const panes = [...new Set(drawn.filter(line => line.own).map(line => line.study))];
  const volumes = !others.length && sent.some(bar => bar.volume !== null);
  const widened = useRef(false);
  const moved = useRef(false); // by the visitor: only then may the visible part request more bars
  const last = useRef({ earlier, bars });
  last.current = { earlier, bars };

  useEffect(() => {
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
      rightPriceScale: {
        borderColor: line,
        scaleMargins: { top: 0.08, bottom: volumes ? 0.24 : 0.08 },
        mode: others.length ? PriceScaleMode.Percentage : log ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal,
      },
      timeScale: {
        borderColor: line,
        timeVisible: resolution === '5m' || resolution === '2h',
        secondsVisible: false,
        tickMarkFormatter: tick,
      },
      crosshair: { mode: CrosshairMode.Magnet, horzLine: { labelVisible: false } }, // a label would show a float
      handleScroll: { vertTouchDrag: false }, // which is the page's
      localization: {
        locale,
        ...(!isDay(bars[0]!) && { timeFormatter: (time: Time) => label({ at: new Date(Number(time) * 1000).toISOString() } as Bar) }),
        priceFormatter: (price: number) => written(price.toFixed(precision)),
        percentageFormatter: (change: number) => `${written(change.toFixed(2))}%`,
      },
    });
    const priceFormat = { type: 'price' as const, precision, minMove: 10 ** -precision };
    const plain = { lastValueVisible: false, priceLineVisible: false, priceFormat };
    const main = asCandles
      ? api.addSeries(CandlestickSeries, {
          ...plain,
          upColor: up,
          downColor: down,
          wickUpColor: up,
          wickDownColor: down,
          borderVisible: false,
        })
      : api.addSeries(LineSeries, { ...plain, color: up, lineWidth: 2 });
    const volume = volumes
      ? api.addSeries(HistogramSeries, { ...plain, priceScaleId: 'volume', priceFormat: { type: 'volume' }, color: faint(muted) })
      : undefined;
    volume?.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    const lines = others.map((_, n) => api.addSeries(LineSeries, { ...plain, color: color(`line-${n + 1}`), lineWidth: 2 }));
    const indicators = drawn.map(({ study, own }, n) => {
      const line = { ...plain, color: color(colorOf(drawn, n, others.length)), lineWidth: 1 as const };
      const added = api.addSeries(LineSeries, line, own ? 1 + panes.indexOf(study) : 0);
      if (study === 'rsi')
        for (const price of [30, 70])
          added.createPriceLine({
            price,
            color: faint(muted),
            lineWidth: 1,
            lineStyle: LineStyle.Dashed,
            axisLabelVisible: false,
            title: '',
          });
      // Percentages and logarithms mean nothing for values other than prices.
      if (own) added.priceScale().applyOptions({ mode: PriceScaleMode.Normal, scaleMargins: { top: 0.1, bottom: 0.1 } });
      return added;
    });
    for (const pane of api.panes().slice(1)) pane.setStretchFactor(0.4);
    chart.current = { api, main, volume, lines, indicators, markers: createSeriesMarkers<Time>(main, []), colors: { up, down, muted } };
    const under = (time: Time | undefined) =>
      time === undefined ? undefined : (last.current.bars.findLast(bar => timeOf(bar) <= time) ?? last.current.bars[0])?.at;
    api.subscribeCrosshairMove(({ time }) => setCursor(under(time)));
    api.subscribeClick(({ time }) => setPicked(under(time)));
    let settled: ReturnType<typeof setTimeout>;
    api.timeScale().subscribeVisibleLogicalRangeChange(seen => {
      clearTimeout(settled);
      if (seen && moved.current) settled = setTimeout(() => putInAddress({ view: viewOf(seen, last.current.bars) }), 300);
      if (!seen || seen.from > -8 || !moved.current || widened.current || !last.current.earlier) return;
      widened.current = true;
      last.current.earlier();
    });
    return () => {
      clearTimeout(settled);
      chart.current = undefined;
      api.remove();
    };
  }, [ids.join(), others.length, asCandles, volumes, resolution, log, dark, drawn.map(line => line.name).join()]);

  const fitted = useRef<string>(undefined);
  useEffect(() => {
    const { api, main, volume, lines, indicators, markers, colors } = chart.current!;
    const scale = api.timeScale();
    const place = `${resolution} ${ids.join()} ${range}`;
    const before = fitted.current === undefined || scale.getVisibleRange() === null ? null : scale.getVisibleRange();
    const number = (value: string | null) => Number(value);
    main.setData(
      bars.map(bar => {
        const time = timeOf(bar);
        if (bar.close === null || (asCandles && (bar.open === null || bar.high === null || bar.low === null))) return { time };
        return asCandles
          ? { time, open: number(bar.open), high: number(bar.high), low: number(bar.low), close: number(bar.close) }
          : { time, value: number(bar.close) };
      }) as never,
    );
    volume?.setData(bars.map(bar => (bar.volume === null ? { time: timeOf(bar) } : { time: timeOf(bar), value: number(bar.volume) })));
    for (const [n, line] of lines.entries())
      line.setData(
        others[n]!.bars.map(bar => (bar.close === null ? { time: timeOf(bar) } : { time: timeOf(bar), value: number(bar.close) })),
      );
    for (const [n, line] of indicators.entries()) {
      const valueOf = (bar?: Bar) => (bar && drawn[n]!.values.get(bar.at)) ?? null;
      line.setData(
        bars.map((bar, at) => {
          const value = valueOf(bar);
          // A line to the next value has the color of this one: over a gap it must not be visible.
          const ends = valueOf(bars[at + 1]) === null;
          return { time: timeOf(bar), ...(value !== null && { value: number(value), ...(ends && { color: 'transparent' }) }) };
        }) as never,
      );
    }
    markers.setMarkers(marksOf(bars, happenings, colors));
    const other = fitted.current !== undefined && fitted.current !== place && !widened.current;
    if (other) putInAddress({ view: null });
    const view = before ? undefined : viewIn(bars);
    if (view) scale.setVisibleLogicalRange(view);
    else if (other || !before) scale.fitContent(); // else the visible part stays
    if (fitted.current !== place) moved.current = widened.current = false;
    fitted.current = place;
  }, [series, bars, drawn, happenings, asCandles, volumes, log, dark]);

  const found = bars.findIndex(({ at }) => at === cursor);
  const shown = found < 0 ? bars.length - 1 : found;
  const bar = bars[shown]!;
  const stated = FIGURES.filter(figure => !missing.includes(figure));
  const nearOf = (at: string) => happenings.filter(({ day }) => within(day, at, bars[bars.findIndex(bar => bar.at === at) + 1]?.at));
  const near = nearOf(bar.at);
  const opened = picked ? nearOf(picked) : [];
  const compared = others.map(({ id, bars, currency }) => ({ id, currency, close: bars.find(({ at }) => at === bar.at)?.close }));

  const move = (event: KeyboardEvent) => {
    const { api, main } = chart.current!;
    const zoom = { '+': 0.7, '=': 0.7, '-': 1.4 }[event.key];
    const seen = api.timeScale().getVisibleLogicalRange();
    if (event.ctrlKey || event.metaKey || event.altKey) return; // the browser's own
    if (zoom && seen) {
      moved.current = true;
      const center = Math.min(Math.max(shown, seen.from), seen.to);
      api.timeScale().setVisibleLogicalRange({ from: center - (center - seen.from) * zoom, to: center + (seen.to - center) * zoom });
    } else if (event.key === '0') api.timeScale().fitContent();
    else if (event.key === 'Enter') setPicked(bar.at);
    else if (event.key === 'Escape') {
      api.clearCrosshairPosition();
      setCursor(undefined);
      setPicked(undefined);
      return;
    } else {
      const next = step(event.key, shown, bars.length);
      if (next === undefined) return;
      const to = bars[next]!;
      setCursor(to.at);
      if (seen && (next < seen.from || next > seen.to)) {
        const by = next < seen.from ? next - seen.from : next - seen.to;
        api.timeScale().setVisibleLogicalRange({ from: seen.from + by, to: seen.to + by });
      }
      api.setCrosshairPosition(to.close === null ? 0 : Number(to.close), timeOf(to), main);
      setSaid(speech(to, currency, nearOf(to.at)));
    }
    event.preventDefault();
  };

  /** The picture, with a title above it that says what it shows. */
  const png = () => {
    const picture = chart.current!.api.takeScreenshot(true);
    const head = 28 * devicePixelRatio;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.width, picture.height + head];
    const context = canvas.getContext('2d')!;
    context.fillStyle = color('ground');
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = color('text');
    context.font = `${14 * devicePixelRatio}px system-ui, sans-serif`;
    const drawn = `${ids.join(', ')} · ${resolution} · ${label(bars[0]!)} – ${label(bars.at(-1)!)} · ${others.length ? '%' : currency}`;
    context.fillText(drawn, 8 * devicePixelRatio, 19 * devicePixelRatio);
    context.drawImage(picture, 0, head);
    canvas.toBlob(blob => blob && save(blob, `${ids.join('-').replace(/[^\w-]+/g, '-')}-${resolution}.png`));
  };

  return (
    <>
      <p class="legend" data-at={bar.at}>
        <strong>{label(bar)}</strong>
        {stated.map(figure => (
          <span key={figure}>
            {' '}
            <b>{called(figure)}</b> <Num text={bar[figure]} />
          </span>
        ))}{' '}
        <span class="muted">{currency}</span>
        {bar.close !== null && bar.low === null && stated.includes('low') && (
          <span class="muted small"> {t('The source states no high and low of this bar, or such as contradict its price.')}</span>
        )}
        {bar !== sent[shown] && <span class="muted small"> {t('so far')}</span>}
        {compared.map(({ id, close, currency }, n) => (
          <span key={id}>
            {' '}
            <span class={`swatch line-${n + 1}`} aria-hidden="true" /> <b>{id}</b> <Num text={close} unit={currency} />
          </span>
        ))}
        {drawn.map(({ name, values }, n) => (
          <span class="small" key={name}>
            {' '}
            <span class={`swatch ${colorOf(drawn, n, others.length)}`} aria-hidden="true" /> <b>{name}</b>{' '}
            {values.has(bar.at) ? <Num text={values.get(bar.at)} /> : found < 0 && <Num text={[...values.values()].at(-1)} />}
          </span>
        ))}
        {near.map(({ text, href, kind }) => (
          <span class="small" key={text}>
            {' '}
            · {t(kind)}: {href ? <a href={href}>{text}</a> : text}
          </span>
        ))}
      </p>
      {others.length > 0 && <Returns of={series} />}
      <div
        class={`chart-box panes-${panes.length}`}
        tabIndex={0}
        role="application"
        aria-roledescription="chart"
        aria-label={
          t('Chart of {count} bars from {first} to {last}.', { count: bars.length, first: label(bars[0]!), last: label(bars.at(-1)!) }) +
          (others.length ? ` ${t('Compared in percent with {ids}.', { ids: others.map(({ id }) => id).join(', ') })}` : '') +
          ` ${t('Arrow keys move through the bars, plus and minus zoom, 0 shows all, Enter opens what happened; a table follows.')}`
        }
        onKeyDown={move}
        onWheel={() => (moved.current = true)}
        onPointerDown={() => (moved.current = true)}
        onBlur={() => setSaid('')}
      >
        <div class="chart" ref={place} aria-hidden="true" />
      </div>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
      {picked && (
        <div class="note events" role="status">
          <strong>{label(bars.find(({ at }) => at === picked) ?? bar)}</strong>{' '}
          {opened.length ? (
            <ul>
              {opened.map(({ text, href, kind }) => (
                <li key={kind + text}>
                  {t(kind)}: {href ? <a href={href}>{text}</a> : text}
                </li>
              ))}
            </ul>
          ) : (
            t('Nothing is known to have happened.')
          )}
        </div>
      )}
      <Take of={t('the bars')} path={path}>
        <button type="button" onClick={png}>
          {t('PNG')}
        </button>
        <a href={`/status?address=${encodeURIComponent(path)}#link`}>{t('In a spreadsheet')}</a>
      </Take>
      {linesPath && <Take of={t('the lines of indicators')} path={linesPath} />}
      <p class="small muted">
        {asCandles
          ? t('Candles.')
          : others.length
            ? t('Lines of closes, in percent of the first that is seen; no averages and bands of prices.')
            : t('A line of closes: not every bar here has an open, a high and a low.')}
        {!!missing.length &&
          ` ${t('Not stated by this market at {resolution}, so null in every bar: {figures}.', { resolution, figures: listed(missing) })}`}
        {drawn.length > 0 && ` ${t('Lines of indicators are the API’s, with the exact figure at each bar.')}`}
        {note && ` ${note}`} {t('Chart by')} <a href="https://www.tradingview.com/">{t('TradingView')}</a>
        {t('’s Lightweight Charts.')}
      </p>
      <Rows
        summary={t('The same {count} bars as a table', { count: bars.length })}
        name={t('Table of bars')}
        caption={t('Newest first, in {currency}', { currency: currency ?? '' })}
        first={t(isDay(bar) ? 'Day' : 'Start')}
        columns={stated.map(called)}
        rows={bars.map(bar => ({ key: bar.at, label: label(bar), figures: stated.map(figure => bar[figure]) }))}
      />
    </>
  );
}

interface Parts {
  api: IChartApi;
  main: ISeriesApi<'Candlestick' | 'Line'>;
  volume?: ISeriesApi<'Histogram'>;
  lines: ISeriesApi<'Line'>[];
  indicators: ISeriesApi<'Line'>[];
  markers: ISeriesMarkersPluginApi<Time>;
  colors: Record<'up' | 'down' | 'muted', string>;
}

/** Whether a day is in the bar that begins at the first moment; the next bar begins at the second. */
function within(day: string, at: string, next: string | undefined): boolean {
  if (at.length > 10) return day === at.slice(0, 10);
  return day >= at && (next ? day < next : Date.parse(day) - Date.parse(at) < DAY);
}

/** Name of the colour of a line of an indicator: bands share one. */
function colorOf(drawn: StudyLine[], n: number, taken: number): string {
  const study = drawn[n]!.study;
  return `line-${(((study === 'bbands' ? drawn.findIndex(line => line.study === study) : n) + taken) % 4) + 1}`;
}

/** Marks of what happened, and of where a session of short bars begins. */
function marksOf(bars: Bar[], happenings: Happening[], { up, down, muted }: Parts['colors']): SeriesMarker<Time>[] {
  const marks: SeriesMarker<Time>[] = [];
  let day = '';
  for (const [index, bar] of bars.entries()) {
    const today = bar.at.slice(0, 10);
    if (today === day) continue;
    day = today;
    const time = timeOf(bar);
    if (!isDay(bar) && index) marks.push({ time, position: 'belowBar', shape: 'square', color: muted, size: 0.4, text: 'session' });
    const kinds = new Set(happenings.filter(({ day }) => within(day, bar.at, bars[index + 1]?.at)).map(({ kind }) => kind));
    if (kinds.has('disclosure')) marks.push({ time, position: 'aboveBar', shape: 'circle', color: muted, size: 0.6 });
    if (kinds.has('dividend')) marks.push({ time, position: 'belowBar', shape: 'arrowUp', color: up, text: t('dividend') });
    if (kinds.has('action')) marks.push({ time, position: 'belowBar', shape: 'square', color: down, text: 'action' });
  }
  return marks;
}

/** How many decimals the axis needs: those of five digits of the largest price, at most as many as prices have. */
function precisionOf(bars: Bar[]): number {
  const closes = bars.flatMap(({ close }) => close ?? []);
  const most = Math.max(...closes.map(close => Math.abs(Number(close))));
  const wanted = most > 0 && Number.isFinite(most) ? 4 - Math.floor(Math.log10(most)) : 2;
  return Math.min(Math.max(2, wanted), 10, Math.max(2, ...closes.map(close => decimals(close) - 1)));
}

const listed = (names: Figure[]) => new Intl.ListFormat(language).format(names.map(called));

const speech = (bar: Bar, currency: string, near: Happening[]) =>
  [
    label(bar),
    ...FIGURES.filter(figure => bar[figure] !== null).map(figure => `${called(figure)} ${bar[figure]}`),
    currency,
    ...near.map(({ kind, text }) => `${t(kind)}: ${text}`),
  ].join(', ');
