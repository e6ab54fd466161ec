// The pages about whole markets: what they show is what the API says, in the order and the columns that the address names.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, keepsFocus, NARROW, picture, PIYASA_KEY, PIYASA_URL, text, texts, Visitor, whole } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => {
  visitor?.behaved();
  return visitor?.leave();
});

/** The day in Turkey at an instant. */
const dayOf = at => new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(0, 10);
const rows = grid => grid.locator('tbody tr').evaluateAll(all => all.map(row => row.dataset.id));
const column = (grid, n) =>
  grid.locator(`tbody tr > :nth-child(${n})`).evaluateAll(cells => cells.map(cell => cell.innerText.replace(/\s/g, '')));

test('movers sort as decimals, keep their columns in the address, and are saved as they are shown', async () => {
  const page = await visitor.open('/markets?list=mostTraded');
  const movers = page.getByRole('table', { name: 'Most traded' });
  await movers.waitFor();
  assert.deepEqual((await rows(movers)).length, (await api('/v1/markets/bist/movers?limit=50')).most_traded.length);
  await movers.getByRole('button', { name: 'Last, TRY' }).click();
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
  const file = await saving;
  assert.equal(file.suggestedFilename(), 'movers-bist-mostTraded.csv');
  const saved = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n');
  assert.equal(saved[0], 'instrument,last,change,volume,turnover,currency,asOf');
  assert.match(saved[1], /,TRY,\d{4}-\d\d-\d\dT[\d:.]+Z$/);
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
  const { as_of } = await api('/v1/sectors/bankacilik/periodic');
  assert.match(await text(page.locator('[aria-labelledby=sectors] .upto')), new RegExp(`Returns up to (days from .* )?${dayOf(as_of)}\\.`));
  assert.match(await text(page.locator('[aria-labelledby=indices] caption')), /Returns up to .*\d{4}-\d\d-\d\d\./);
  await accessible(page);
  await picture(page, 'markets');
  await page.context().close();
});

test('an order that is taken away stays away, and what an old or odd address says of a table breaks nothing', async () => {
  const page = await visitor.open('/screener?of=market:bist&screener-sort=-gone&screener-columns=last,gone');
  const grid = page.getByRole('table', { name: 'Instruments' });
  await grid.waitFor();
  const sorted = name => grid.getByRole('columnheader', { name }).getAttribute('aria-sort');
  assert.equal(await sorted('Market cap'), 'descending');
  for (const then of ['ascending', null]) {
    await grid.getByRole('button', { name: 'Market cap' }).click();
    await agrees(async () => assert.equal(await sorted('Market cap'), then));
  }
  const order = await rows(grid);
  await page.reload();
  await grid.waitFor();
  assert.equal(await sorted('Market cap'), null);
  assert.deepEqual(await rows(grid), order);
  await page.context().close();
});

test('columns that come later are shown, whatever was chosen before', async () => {
  const page = await visitor.open('/compare?ids=bist:DMOST,bist:DMBNK');
  const heads = page.getByRole('table', { name: 'Figures' }).getByRole('columnheader');
  const shows = (...ids) => agrees(async () => assert.deepEqual((await texts(heads)).slice(1), ids));
  await shows('bist:DMOST', 'bist:DMBNK');
  await page.getByText('Columns', { exact: true }).click();
  await page.getByLabel('bist:DMOST', { exact: true }).uncheck();
  await shows('bist:DMBNK');
  await page.goto(page.url().replace('bist:DMBNK', 'bist:DMBNK,bist:DMTEK'));
  await shows('bist:DMBNK', 'bist:DMTEK');
  await page.getByText('Columns', { exact: true }).click();
  await page.getByLabel('bist:DMOST', { exact: true }).check();
  await shows('bist:DMOST', 'bist:DMBNK', 'bist:DMTEK');
  assert.doesNotMatch(page.url(), /columns/);
  // A column that is spare for companies is not for coins, and the other way round.
  await page.goto(new URL('/screener?of=market:bist', page.url()).href);
  const grid = page.getByRole('table', { name: 'Instruments' });
  await grid.waitFor();
  await page.getByText('Columns', { exact: true }).click();
  await page.getByLabel('1 week, %', { exact: true }).check();
  await page.getByLabel('Instruments of').selectOption('market:crypto');
  for (const name of ['Currency', '1 week, %']) await grid.getByRole('columnheader', { name }).waitFor();
  await page.context().close();
});

test('movers that are empty say why', async () => {
  const answers = {
    'The quotes of the trading day state neither a change nor a turnover, so nothing can be ranked.': { count: 0, reason: 'not_stated' },
    'No quote of the trading day has been observed.': { count: 0, reason: 'none_stored' },
    'None of the 3 quotes of the day states such a change or turnover.': { count: 3 },
  };
  for (const [said, { count, reason }] of Object.entries(answers)) {
    const page = await visitor.open('/');
    await page.route('**/graphql', route => {
      if (!route.request().postData().includes('query Movers')) return route.continue();
      const missingReason = reason ? { reason, message: '' } : null;
      return route.fulfill({
        json: { data: { movers: { currency: 'TRY', asOf: null, count, missingReason, gainers: [], losers: [], mostTraded: [] } } },
      });
    });
    await page.goto(new URL('/markets', page.url()).href);
    await page.getByText(said).waitFor();
    await page.context().close();
  }
});

test('what was traded most in the last session is a table of its daily bars, and a file', async () => {
  const page = await visitor.open('/markets');
  await page.getByRole('button', { name: 'Last session before today' }).click();
  await page.waitForURL(/day=\d{4}-\d\d-\d\d/);
  const day = new URL(page.url()).searchParams.get('day');
  const traded = page.getByRole('table', { name: 'Most traded' });
  await traded.getByText(`Daily bars of ${day}`).waitFor();
  const [first] = await rows(traded);
  const { records } = await api(`/v1/eod/${first}?from=${day}&to=${day}`);
  assert.equal((await column(traded, 4))[0].replace(/[^\d.]/g, ''), records[0].turnover);
  const saving = page.waitForEvent('download');
  await page.locator('section', { has: traded }).getByRole('button', { name: 'CSV' }).click();
  const file = await saving;
  assert.equal(file.suggestedFilename(), `most-traded-bist-${day}.csv`);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n');
  assert.match(lines[1], new RegExp(`^${first},.*,${records[0].turnover},TRY,${day}$`));
  await accessible(page);
  // A stock of which no turnover is stated comes last.
  await page.route('**/graphql', async route => {
    const response = await route.fetch();
    const answer = await response.json();
    for (const { instrumentId, bars } of answer.data.candlesBatch?.series ?? []) if (instrumentId === first) bars[0].turnover = null;
    await route.fulfill({ response, json: answer });
  });
  await page.reload();
  await traded.getByText(`Daily bars of ${day}`).waitFor();
  assert.equal((await rows(traded)).at(-1), first);
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().close();
});

test('the last session is sought until it is found or another day is chosen', async () => {
  const page = await visitor.open('/markets');
  const seek = page.getByRole('button', { name: 'Last session before today' });
  const trouble = page.locator('[aria-labelledby=movers] [role=alert]');
  let answer = route => route.fulfill({ json: { data: { marketCalendar: null }, errors: [{ message: 'Not today.', path: ['marketCalendar'] }] } });
  await page.route('**/graphql', route => (route.request().postData().includes('query Sessions') ? answer(route) : route.continue()));
  await seek.click();
  assert.match(await text(trouble), /^Failed\s+Not today\.\s+Try again$/);
  let go;
  const held = new Promise(resume => (go = resume));
  answer = route => held.then(() => route.continue()).catch(() => {}); // nobody waits for it
  await seek.click();
  await trouble.waitFor({ state: 'detached' });
  await page.locator('[aria-labelledby=movers] input[type=date]').fill('2026-01-05');
  go();
  await page.waitForTimeout(500);
  assert.equal(new URL(page.url()).searchParams.get('day'), '2026-01-05');
  answer = route => route.continue();
  await seek.click();
  await page.waitForURL(url => url.searchParams.get('day') > '2026-01-05');
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().close();
});

test('a part of a page that cannot be drawn says so, and leaves the rest alone', async () => {
  const own = await Visitor.come();
  const page = await own.open('/status');
  await page.route('**/graphql', route => {
    if (!route.request().postData().includes('query Movers')) return route.continue();
    return route.fulfill({ json: { data: { movers: { currency: 'TRY' } } } });
  });
  await page.goto(new URL('/markets', page.url()).href);
  await page.getByText('This part of the page cannot be drawn.').waitFor();
  await page.getByRole('table', { name: 'Indices' }).waitFor();
  assert.equal(own.complaints.length, 1); // the error of the page is one
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table', { name: 'Most traded' }).waitFor();
  await own.leave();
});

test('what nobody would write into an address is as if it were not there', async () => {
  const page = await visitor.open('/');
  for (const path of [
    '/calendar?from=x&importance=9&state=toString',
    '/macro?months=999999',
    '/markets?list=zz&window=toString&day=2026-99-99',
    '/funds?period=toString&order=zz',
    '/screener?of=zz',
    '/compare?currency=toString&ids=,,%20,bist:DMOST,%20bist:DMOST',
  ]) {
    await page.goto(new URL(path, page.url()).href);
    await page
      .locator(path.startsWith('/screener') ? 'main [role=alert]' : 'main table')
      .first()
      .waitFor();
    if (!path.startsWith('/screener')) assert.equal(await page.locator('main [role=alert]').count(), 0, path);
    if (path.startsWith('/compare')) assert.equal(await page.getByRole('columnheader', { name: 'bist:DMOST' }).count(), 1);
  }
  await page.context().close();
});

test('every market has its instruments in the screener', async () => {
  const page = await visitor.open('/markets');
  await page.getByRole('link', { name: /^Currencies/ }).click();
  const grid = page.getByRole('table', { name: 'Instruments' });
  await grid.getByRole('link').first().waitFor();
  const { instruments, market_sizes } = await api('/v1/instruments?market=fx&limit=100');
  assert.equal(await grid.locator('tbody tr').count(), market_sizes.fx);
  const row = grid.locator(`tr[data-id="${instruments[0].instrument_id}"]`);
  await agrees(
    async () => {
      const { quotes } = await api(`/v1/quotes?ids=${instruments[0].instrument_id}`);
      assert.ok((await row.innerText()).includes(quotes[0].last));
    },
    () => page.reload().then(() => row.waitFor()),
  );
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
  const caption = await text(again.locator('caption'));
  const { periodic } = await api(`/v1/periodic?ids=${below.join(',')}`);
  assert.ok(
    caption.includes(
      periodic
        .map(row => dayOf(row.as_of))
        .toSorted()
        .at(-1),
    ),
    caption,
  );
  await again.getByRole('columnheader', { name: 'Market cap, TRY' }).waitFor();
  await accessible(other);
  await other.getByLabel('Value').fill('-1');
  await other.getByRole('button', { name: 'Add a filter' }).click();
  const none = valuations.filter(row => row.pe_ratio.value === null).length;
  await other.getByText(`P/E < -1: 0 match, ${all.length - none} do not, ${none} have no figure.`).waitFor();
  assert.equal(await other.locator('main').getByRole('button', { name: 'CSV' }).count(), 0);
  await other.context().close();
  await page.context().close();
});

test('the screener reads numbers as the language writes them, and says what it cannot read', async () => {
  for (const [locale, value, add, cases] of [
    [
      'tr-TR',
      'Değer',
      'Süzgeç ekle',
      { '12,5': '12,5', '1.000.000.000': '1000000000', '1.234,5': '1234,5', '1 000': '1000', '1.500': null, '5%': null },
    ],
    ['en-GB', 'Value', 'Add a filter', { '-12.5': '-12.5', '1,234.5': '1234.5', '1,500': null, 'x': null }],
  ]) {
    const page = await visitor.open('/screener', { locale });
    const form = page.locator('form.filters');
    for (const [typed, said] of Object.entries(cases)) {
      await form.getByLabel(value, { exact: true }).fill(typed);
      await form.getByRole('button', { name: add }).click();
      if (said === null) await form.getByRole('alert').filter({ hasText: `“${typed}”` }).waitFor();
      else await agrees(async () => assert.match(await text(form.locator('.tag').last()), new RegExp(`< ${said}\\s`)));
    }
    assert.equal(await form.locator('.tag').count(), Object.values(cases).filter(said => said !== null).length);
    await accessible(page);
    assert.match(decodeURIComponent(page.url()), locale === 'tr-TR' ? /<12\.5,.*<1000000000,.*<1234\.5,.*<1000$/ : /<-12\.5,.*<1234\.5$/);
    await page.context().close();
  }
});

test('the screener asks for all of a large group, and says beside its heading what it left', async () => {
  const page = await visitor.open('/');
  const id = n => `crypto:C${n}`;
  await page.route('**/graphql', route => {
    const { query, variables } = route.request().postDataJSON();
    if (query.includes('query Members')) {
      const instruments = Array.from({ length: 1000 }, (_, n) => ({ instrumentId: id(n), name: null }));
      return route.fulfill({ json: { data: { instruments: { instruments, marketSizes: [{ market: 'CRYPTO', size: 1610 }] } } } });
    }
    if (!query.includes('query Figures')) return route.continue();
    const quotes = variables.ids.map(instrumentId => ({
      instrumentId,
      last: '1',
      currency: 'USD',
      changePct: `${instrumentId.slice(8)}.5`,
      turnover: null,
      marketCap: null,
      asOf: '2026-03-17T12:00:00Z',
    }));
    const notFound = variables.ids.map(id => ({ id, reason: 'market_not_supported' }));
    return route.fulfill({ json: { data: { quotes: { quotes, notFound: [] }, periodicBatch: { periodic: [], notFound } } } });
  });
  await page.goto(new URL('/screener?of=market:crypto', page.url()).href);
  const grid = page.getByRole('table', { name: 'Instruments' });
  await grid.waitFor();
  assert.deepEqual((await rows(grid)).slice(0, 2), [id(999), id(998)]);
  assert.equal(await grid.locator('tbody tr').count(), 1000);
  await page.getByText('Only 1000 of 1610 were asked for: the order and the filters are of those.').waitFor();
  assert.match(await text(page.locator('.reasons')), /does not compute this metric in this market\. \(3000\)/);
  await page.context().close();
});

test('instruments stand beside each other', async () => {
  const page = await visitor.open('/compare?ids=bist:DMOST,bist:DMBNK&currency=USD');
  const grid = page.getByRole('table', { name: 'Figures' });
  await agrees(
    async () => {
      await grid.waitFor();
      const shown = await text(grid.locator('[data-id=last] > :nth-child(3)'));
      assert.equal(shown.replace(/\s/g, ''), (await api('/v1/quotes/bist:DMBNK?currency=USD')).last);
    },
    () => page.reload(),
  );
  assert.match(await text(grid.locator('[data-id="1m"] > th')), /, TRY$/, 'changes in percent are not converted');
  const { as_of } = await api('/v1/periodic/bist:DMBNK');
  assert.equal(await text(grid.locator('[data-id=until] > :nth-child(3)')), dayOf(as_of));
  await page.getByRole('button', { name: 'Remove bist:DMOST' }).click();
  await grid.getByRole('columnheader', { name: 'bist:DMOST' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /ids=bist:DMBNK&/);
  await accessible(page);
  await page.context().close();
});

test('what cannot be converted has its own currency, and what is unknown its reason', async () => {
  const page = await visitor.open('/');
  const refusal = 'No rate from TRY to USD was observed in the last 1 hour, or is stated to be current.';
  await page.route('**/graphql', async route => {
    const { query, variables } = route.request().postDataJSON();
    if (!query.includes('query Compare')) return route.continue();
    const answer = await route.fetch();
    const body = await answer.json();
    if (variables.currency) {
      const parts = ['quote', 'valuation'];
      for (const row of body.data.watchlist) for (const part of parts) row[part] = null;
      body.errors = body.data.watchlist.flatMap((_, n) => parts.map(part => ({ message: refusal, path: ['watchlist', n, part] })));
    }
    return route.fulfill({ json: body });
  });
  await page.goto(new URL('/compare?ids=bist:DMOST,fund:DMF&currency=USD', page.url()).href);
  const grid = page.getByRole('table', { name: 'Figures' });
  await grid.waitFor();
  await page.getByText(refusal).waitFor();
  assert.match(await text(grid.locator('[data-id=last] > :nth-child(2)')), / TRY$/);
  assert.match(await text(grid.locator('[data-id=marketCap] > :nth-child(2)')), / TRY$/);
  const empty = await grid
    .locator('td')
    .evaluateAll(cells => cells.filter(cell => cell.innerText === '–' && !cell.firstElementChild?.title));
  assert.equal(empty.length, 0, 'a cell without a figure and without a reason');
  assert.match(await text(page.locator('.reasons')), /\(\d+\)/);
  await page.context().close();
});

test('a chart that compares says what each line gained over its range', async () => {
  const page = await visitor.open('/instruments/bist:DMOST?compare=bist:DMBNK&range=5y&currency=USD');
  const returns = page.getByRole('list', { name: 'Returns over the range' });
  await returns.waitFor();
  for (const id of ['bist:DMOST', 'bist:DMBNK'])
    await agrees(
      async () => {
        const said = await text(returns.locator(`[data-id="${id}"]`));
        const [, from, to] = /in USD, (\S+) – (\S+)$/.exec(said);
        const { bars } = await api(`/v1/candles/${id}?resolution=1w&from=${from}&currency=USD`);
        const of = day => Number(bars.find(bar => dayOf(bar.t) === day).close);
        const expected = Math.abs((of(to) / of(from) - 1) * 100).toFixed(2);
        assert.ok(said.includes(`${expected}%`), `${said}: ${expected}`);
      },
      () => page.reload().then(() => returns.waitFor()),
    );
  await page.context().close();
});

test('the keyboard keeps its place where a choice goes', async () => {
  const page = await visitor.open('/funds?period=Y1');
  await keepsFocus(page, () => page.locator('td button.plain').first().press('Enter'));
  await keepsFocus(page, () => page.getByRole('button', { name: 'All categories' }).press('Enter'));
  await page.goto(new URL('/compare?ids=bist:DMOST,bist:DMBNK', page.url()).href);
  await keepsFocus(page, () => page.getByRole('button', { name: 'Remove bist:DMOST' }).press('Enter'));
  await keepsFocus(page, () => page.getByRole('button', { name: 'Remove bist:DMBNK' }).press('Enter'));
  await page.goto(new URL('/markets?day=2026-01-05', page.url()).href);
  await keepsFocus(page, () => page.getByRole('button', { name: 'Now', exact: true }).press('Enter'));
  await page.context().close();
});

test('tables on a phone show that they scroll, beside what their rows are of', async () => {
  for (const [path, name, least] of [
    ['/compare?ids=bist:DMOST,bist:DMBNK,bist:DMTEK,us:DMAP', 'Figures', 2],
    ['/screener?of=market:bist', 'Instruments', 2],
    ['/calendar', 'Releases', 4],
  ]) {
    const page = await visitor.open(path, NARROW);
    const table = page.getByRole('table', { name, exact: true });
    await table.waitFor();
    const seen = await table.evaluate(table => {
      const box = table.parentElement;
      const shades = getComputedStyle(box)
        .backgroundAttachment.split(', ')
        .filter(kind => kind === 'scroll').length;
      const { right } = box.getBoundingClientRect();
      const whole = [...table.tHead.rows[0].cells].filter(cell => cell.getBoundingClientRect().right <= right + 1).length;
      box.scrollLeft = 120;
      const left = table.tBodies[0].rows[0].cells[0].getBoundingClientRect().left - box.getBoundingClientRect().left;
      box.scrollLeft = 0;
      return { shades, whole, left: Math.round(left) };
    });
    assert.equal(seen.shades, 2, path);
    assert.ok(seen.whole >= least, `${path} shows ${seen.whole} columns`);
    assert.equal(seen.left, 0, `the first column of ${path} scrolls away`);
    await accessible(page);
    await page.context().close();
  }
});

test('funds, calendar and prices of producers', async () => {
  const page = await visitor.open('/funds?period=Y1', NARROW);
  const funds = page.getByRole('table', { name: 'Funds' });
  await funds.waitFor();
  const ranking = await api('/v1/funds/ranking?period=1y&limit=100');
  assert.deepEqual(
    await rows(funds),
    ranking.items.map(row => row.code),
  );
  const said = await text(funds.locator('caption'));
  assert.ok(said.startsWith(`All ${ranking.items.length} that state a return`) && said.endsWith(` ${dayOf(ranking.as_of)}.`), said);
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
  await page.getByRole('group', { name: 'Window' }).getByRole('button', { name: '1w' }).click();
  await page.reload();
  await whole(page);
  await page.getByRole('group', { name: 'Window' }).getByRole('button', { name: '1w', pressed: true }).waitFor();
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
  const ranking = await api('/v1/funds/ranking?period=1y&limit=100');
  const { return_pct } = ranking.items.find(({ code }) => code === items[0].code);
  const stated = await text(page.locator('[aria-labelledby=profile] div', { hasText: /^Stated return, 1y/ }));
  assert.ok(stated.includes(`${return_pct.replace('-', '')}%`), stated);
  assert.ok((await text(page.locator('[aria-labelledby=profile]'))).includes(price));
  await accessible(page);
  await page.context().close();
});
