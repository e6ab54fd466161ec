// The pages about whole markets: what they show is what the API says, in the order and the columns that the address names.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { accessible, api, NARROW, picture, PIYASA_KEY, PIYASA_URL, text, texts, Visitor, whole } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => {
  visitor?.behaved();
  return visitor?.leave();
});

const rows = grid => grid.locator('tbody tr').evaluateAll(all => all.map(row => row.dataset.id));
const column = (grid, n) =>
  grid.locator(`tbody tr > :nth-child(${n})`).evaluateAll(cells => cells.map(cell => cell.innerText.replace(/\s/g, '')));

test('movers sort as decimals, keep their columns in the address, and are saved as they are shown', async () => {
  const page = await visitor.open('/markets?list=mostTraded');
  const movers = page.getByRole('table', { name: 'Most traded' });
  await movers.waitFor();
  assert.deepEqual((await rows(movers)).length, (await api('/v1/markets/bist/movers?limit=50')).most_traded.length);
  await movers.getByRole('button', { name: 'Last' }).click();
  const sorted = async () => {
    const shown = (await column(movers, 2)).map(Number); // they move while the demo runs
    assert.deepEqual(
      shown,
      shown.toSorted((a, b) => b - a),
    );
    return shown;
  };
  const shown = await sorted();
  assert.ok(shown[0] >= 100 && shown.at(-1) < 100, 'the prices differ in length, so that text would sort otherwise');
  await page.locator('section', { has: movers }).getByText('Columns').click();
  await page.locator('section', { has: movers }).getByLabel('Volume').check();
  await page.reload();
  await movers.waitFor();
  await sorted();
  await movers.getByRole('columnheader', { name: 'Volume' }).waitFor();
  const saving = page.waitForEvent('download');
  await page.locator('section', { has: movers }).getByRole('button', { name: 'CSV' }).click();
  const saved = readFileSync(await (await saving).path(), 'utf8')
    .trim()
    .split('\n');
  assert.equal(saved[0], 'instrument,last,change,volume,turnover');
  assert.deepEqual(
    saved.slice(1).map(line => line.split(',')[0]),
    await rows(movers),
  );
  const script = await page.locator('section', { has: movers }).getByRole('button', { name: 'Copy as Python' }).getAttribute('data-copy');
  const filled = script.replaceAll('{KEY}', PIYASA_KEY).replaceAll('{ORIGIN}', PIYASA_URL);
  const { status, stdout, stderr } = spawnSync('python3', ['-c', filled], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
  assert.ok(stdout.includes("'mostTraded'"), stdout.slice(0, 200));
  await page.locator('.tile').first().waitFor();
  await accessible(page);
  await picture(page, 'markets');
  await page.context().close();
});

test('every market has its instruments in the screener', async () => {
  const page = await visitor.open('/markets');
  await page.getByRole('link', { name: /^Currencies/ }).click();
  const grid = page.getByRole('table', { name: 'Instruments' });
  await grid.getByRole('link').first().waitFor();
  const { instruments, market_sizes } = await api('/v1/instruments?market=fx&limit=100');
  assert.equal(await grid.locator('tbody tr').count(), market_sizes.fx);
  const { quotes } = await api(`/v1/quotes?ids=${instruments[0].instrument_id}`);
  const row = grid.locator(`tr[data-id="${instruments[0].instrument_id}"]`);
  assert.ok((await row.innerText()).includes(quotes[0].last));
  await accessible(page);
  await page.context().close();
});

test('the screener keeps what passes its filters, and a link shows the same', async () => {
  const page = await visitor.open('/screener');
  const { indices } = await api('/v1/indices');
  await page.getByLabel('Instruments of').selectOption(`index:${indices[0].code}`);
  const grid = page.getByRole('table', { name: 'Instruments' });
  await grid.waitFor();
  const all = await rows(grid);
  assert.equal(all.length, indices[0].member_count);
  await page.getByLabel('Figure').selectOption('peRatio');
  await page.getByLabel('Value').fill('12,5');
  await page.getByRole('button', { name: 'Add a filter' }).click();
  const some = await rows(grid);
  assert.ok(some.length > 0 && some.length < all.length, `${some.length} of ${all.length}`);
  const { valuations } = await api(`/v1/valuation?ids=${all.join(',')}`);
  const below = valuations.filter(row => row.pe_ratio.value !== null && Number(row.pe_ratio.value) < 12.5).map(row => row.instrument_id);
  assert.deepEqual(some.toSorted(), below.toSorted());
  const link = page.url();
  assert.match(link, /where=peRatio(<|%3C)12\.5/);
  const other = await visitor.open(link.slice(link.indexOf('/screener')), NARROW);
  const again = other.getByRole('table', { name: 'Instruments' });
  await again.waitFor();
  assert.deepEqual((await rows(again)).toSorted(), below.toSorted());
  await accessible(other);
  await other.context().close();
  await page.context().close();
});

test('instruments stand beside each other', async () => {
  const page = await visitor.open('/compare?ids=bist:DMOST,bist:DMBNK&currency=USD');
  const grid = page.getByRole('table', { name: 'Figures' });
  await grid.waitFor();
  const { last } = await api('/v1/quotes/bist:DMBNK?currency=USD');
  assert.equal((await text(grid.locator('[data-id=last] > :nth-child(3)'))).replace(/\s/g, ''), last);
  await page.getByRole('button', { name: 'Remove bist:DMOST' }).click();
  await grid.getByRole('columnheader', { name: 'bist:DMOST' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /ids=bist:DMBNK&/);
  await accessible(page);
  await page.context().close();
});

test('funds, calendar and prices of producers', async () => {
  const page = await visitor.open('/funds?period=Y1', NARROW);
  const funds = page.getByRole('table', { name: 'Funds' });
  await funds.waitFor();
  assert.deepEqual(
    await rows(funds),
    (await api('/v1/funds/ranking?period=1y&limit=100')).items.map(row => row.code),
  );
  await accessible(page);
  await page.goto(new URL('/calendar', page.url()).href);
  const releases = page.getByRole('table', { name: 'Releases' });
  await releases.waitFor();
  assert.equal((await rows(releases)).length, (await api('/v1/calendar')).items.length);
  await page.getByRole('table', { name: 'Public offerings' }).waitFor();
  await accessible(page);
  await page.goto(new URL('/macro', page.url()).href);
  const index = page.getByRole('table', { name: 'Index' });
  await index.waitFor();
  assert.deepEqual((await texts(index.locator('tbody th'))).length, 60);
  await accessible(page);
  await page.context().close();
});

test('the page of a fund has its profile, what it held, and the money that came and went', async () => {
  const { items } = await api('/v1/funds/ranking?period=1y&limit=1');
  const page = await visitor.open(`/instruments/${items[0].instrument_id}`, NARROW);
  const flows = page.getByRole('table', { name: 'Money of investors' });
  await whole(page);
  await flows.waitFor();
  const { points } = await api(`/v1/funds/${items[0].code}/investor-flows?window=1m`);
  assert.deepEqual(
    await rows(flows),
    points
      .map(row => row.date)
      .toSorted()
      .reverse(),
  );
  const held = page.getByRole('table', { name: 'Holdings' });
  const { holdings } = await api(`/v1/funds/${items[0].code}/holdings?limit=1000`);
  assert.ok(holdings.length > 1);
  assert.deepEqual(
    await rows(held),
    holdings.map(row => row.instrument_id),
  );
  assert.match(await held.getByRole('link').first().getAttribute('href'), new RegExp(`/instruments/${holdings[0].instrument_id}$`));
  await held.getByRole('button', { name: 'Weight, %' }).click();
  const weights = (await column(held, 2)).map(Number);
  assert.deepEqual(
    weights,
    holdings.map(row => Number(row.weight_pct)).toSorted((a, b) => b - a),
  );
  await page.locator('[aria-labelledby=holdings]').getByRole('button', { name: 'Copy as curl' }).waitFor();
  const { price } = await api(`/v1/funds/${items[0].code}/profile`);
  assert.ok((await text(page.locator('[aria-labelledby=profile]'))).includes(price));
  await accessible(page);
  await page.context().close();
});
