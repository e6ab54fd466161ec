import { render } from 'preact';
import { useInAddress } from '../site/address';
import { Answer, useAnswer } from '../site/answer';
import { askAll } from '../site/api';
import { Num, When } from '../site/figures';
import { type Col, Grid, requestOf } from '../site/grid';
import { Sections } from '../site/sections';
import { spoken, t } from '../site/words';
import { Choice } from './choice';
import { missingText } from './why';

interface Point {
  month: string;
  value: string | null;
  base: string | null;
  source: string | null;
  fetchedAt: string | null;
}

const SERIES = `query Producers($limit: Int!) {
  producerPriceIndex(limit: $limit) { name unit missingReason { message } points { month value base source fetchedAt } links { fromBase toBase factor divisor month } }
}`;

const lengths = () => ({ '24': '2y', '60': '5y', '120': '10y', '600': t('All') });

const columns = (): Col<Point>[] => [
  { key: 'month', name: t('Month'), text: row => row.month },
  { key: 'value', name: t('Index'), number: true, text: row => row.value },
  { key: 'base', name: t('Base'), text: row => row.base },
  { key: 'source', name: t('Source'), spare: true, text: row => row.source },
  { key: 'fetched', name: t('Read'), spare: true, text: row => row.fetchedAt, cell: row => <When at={row.fetchedAt} /> },
];

const WIDTH = 640;
const HEIGHT = 220;

/** The course of the index, a line for each base: values of two bases are never on one line. */
function Course({ points }: { points: Point[] }) {
  const known = points.filter(point => point.value !== null).toReversed();
  if (known.length < 2) return null;
  const values = known.map(point => Math.log(Number(point.value)));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const at = (n: number) =>
    `${((n / (known.length - 1)) * WIDTH).toFixed(1)} ${(HEIGHT - 4 - ((values[n]! - low) / (high - low || 1)) * (HEIGHT - 8)).toFixed(1)}`;
  const path = known.map((point, n) => `${n && known[n - 1]!.base === point.base ? 'L' : 'M'}${at(n)}`).join('');
  return (
    <figure class="course">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('From {from} to {to}, on a logarithmic scale', { from: known[0]!.month, to: known.at(-1)!.month })}
      >
        <path d={path} fill="none" stroke="currentColor" stroke-width="2" vector-effect="non-scaling-stroke" />
      </svg>
      <figcaption class="small muted">
        {known[0]!.month}: <Num text={known[0]!.value} /> – {known.at(-1)!.month}: <Num text={known.at(-1)!.value} />, {t('logarithmic')}
      </figcaption>
    </figure>
  );
}

function Page() {
  const [limit, setLimit] = useInAddress<keyof ReturnType<typeof lengths>>('months', '60', lengths());
  const variables = { limit: Number(limit) };
  const answer = useAnswer(
    signal =>
      askAll<{
        producerPriceIndex: {
          name: string;
          unit: string | null;
          missingReason: { message: string } | null;
          points: Point[];
          links: { fromBase: string; toBase: string; factor: string; divisor: string | null; month: string | null }[];
        };
      }>(SERIES, variables, signal),
    [variables],
  );
  return (
    <>
      <Sections title={t('Prices of producers')} />
      <section class="card" aria-labelledby="producers">
        <div class="row">
          <h2 id="producers">{t('Domestic producer prices (Yİ-ÜFE)')}</h2>
          <span class="end">
            <Choice label={t('Length')} of={lengths()} value={limit} choose={setLimit} />
          </span>
        </div>
        <Answer of={answer} label={t('Index')}>
          {({ producerPriceIndex: series }) =>
            series.points.length ? (
              <>
                <Course points={series.points} />
                {series.links.map(link => (
                  <p class="small muted" key={`${link.fromBase} ${link.toBase}`}>
                    {t('From base {from} to {to}: times {factor}', { from: link.fromBase, to: link.toBase, factor: link.factor })}
                    {link.divisor && ` / ${link.divisor}`}
                  </p>
                ))}
                <Grid
                  id="producers"
                  label={t('Index')}
                  caption={series.unit ?? t('The base differs between months')}
                  columns={columns()}
                  rows={series.points}
                  rowKey={row => row.month}
                  request={requestOf(SERIES, variables)}
                />
              </>
            ) : (
              <p class="muted">{missingText(series.missingReason) ?? t('No month is stored.')}</p>
            )
          }
        </Answer>
      </section>
    </>
  );
}

spoken.then(() => render(<Page />, document.getElementById('app')!));
