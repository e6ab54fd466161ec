// What the page of the status shows is what the API says to the key at hand.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, keepsFocus, NARROW, picture, PIYASA_KEY, PIYASA_URL, text, Visitor, WIDE } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => visitor?.leave());

test('the status page says what /healthz, /readyz and /v1/usage say', async () => {
  const page = await visitor.open('/status', NARROW);
  await page.locator('#plan').waitFor();
  assert.equal(await text(page.locator('#plan')), (await api('/v1/usage')).plan);
  assert.equal(await text(page.locator('#version')), (await api('/healthz')).version);
  assert.match(await text(page.locator('#lag')), /^[\d.]+ s$/);
  await agrees(async () => assert.match(await text(page.locator('#epoch')), /^[a-z0-9]+$/));
  for (;;) {
    const [answer] = await Promise.all([page.waitForResponse('**/v1/usage'), page.reload()]); // the page's own, since each question changes it
    const { request_rate: own, request_rate_of_all: all } = await answer.json();
    if (!own.requests) continue; // they are not yet over
    assert.equal(own.per_second, String(Math.round((own.requests / 60) * 100) / 100));
    assert.ok(all.requests >= own.requests);
    await agrees(async () => {
      assert.match(await text(page.locator('#rate')), new RegExp(`^${own.per_second} a second\\s+${own.requests} in the last minute`));
      assert.match(await text(page.locator('#rate-of-all')), new RegExp(`^${all.per_second} a second\\s+${all.requests} in the last minute`));
    }, 5_000);
    break;
  }
  await page.close();
});

test('what is asked for regularly comes again after any failure, and is dated meanwhile', async () => {
  const page = await visitor.open('/status', NARROW);
  const server = page.locator('[aria-labelledby=server]');
  await server.locator('.dot.open').waitFor();
  await page.route('**/healthz', route => route.fulfill({ contentType: 'application/json', body: '{"status":' }));
  await server.getByText(/An answer without data\. Figures are as they were at \d/).waitFor();
  assert.match(await text(server.locator('dl')), /unknown ready (.* ago|now)/);
  assert.equal(await server.locator('.dot.open').count(), 0);
  await accessible(page);
  await page.unroute('**/healthz');
  await server.locator('.dot.open').waitFor();
  assert.equal(await server.getByRole('alert').count(), 0);

  await page.goto(new URL('/', page.url()).href);
  await page.locator('.market', { hasText: 'Borsa Istanbul is' }).waitFor();
  const failing = route => (route.request().postData().includes('query State') ? route.fulfill({ json: { data: null, errors: [{ message: 'Not today.' }] } }) : route.continue());
  await page.route('**/graphql', failing);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.locator('.market', { hasText: 'Borsa Istanbul: unknown' }).waitFor();
  await page.unroute('**/graphql', failing);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.locator('.market', { hasText: 'Borsa Istanbul is' }).waitFor();
  await page.context().close();
});

/** The rows of what is stored, as the page shows them and as the API says them. */
const storedRows = page =>
  page.locator('.stored tr[data-kind]').evaluateAll(rows =>
    rows.map(row => {
      const [title, ...cells] = [...row.children];
      const reasons = cell => [...cell.querySelectorAll('span[title]')].map(span => span.title); // the words stand beside it
      const days = cells.slice(1, -1).map(cell => reasons(cell)[0] ?? cell.firstChild?.textContent);
      return { of: [row.dataset.kind, row.dataset.market, row.dataset.id, row.dataset.series].map(word => word ?? null), named: title.textContent, records: cells[0].textContent, days, gaps: [...reasons(cells.at(-1)), cells.at(-1).textContent].join(' ') };
    }),
  );

async function storedAgrees(page, rows) {
  const shown = await storedRows(page);
  assert.deepEqual(shown.map(row => row.of), rows.map(row => [row.kind, row.market?.toUpperCase() ?? null, row.instrument_id, row.series]));
  for (const [n, row] of rows.entries()) {
    const { named, records, days, gaps } = shown[n];
    const what = JSON.stringify(row);
    assert.ok(named.includes(row.instrument_id ?? row.kind) && named.includes(row.series ?? ''), what);
    if (row.subjects !== null) assert.ok(named.endsWith(`of ${row.subjects}`), what);
    assert.equal(records, String(row.records), what);
    assert.deepEqual(days, row.null_reason ? [days[0]] : [row.first_day, row.last_day], what);
    if (row.null_reason) assert.ok(days[0].startsWith(row.null_reason), what);
    if (row.missing === null) assert.ok(gaps.startsWith(row.gaps_reason), what);
    else if (!row.missing) assert.match(gaps, row.with_gaps ? new RegExp(`^${row.with_gaps} of`) : /^none$/, what);
    else {
      assert.ok(gaps.includes(`${row.missing} ${row.gaps_in.replace('_', ' ').slice(0, -1)}`) && gaps.includes(` in ${row.gap_count} gap`), what);
      for (const gap of row.gaps) assert.ok(gaps.includes(gap.from) && gaps.includes(gap.to) && gaps.includes(gap.reason), `${JSON.stringify(gap)} in ${gaps}`);
    }
  }
}

test('the status page shows what is stored, down to the instruments of a market by page', async () => {
  const page = await visitor.open('/status');
  const rows = page.locator('.stored tr[data-kind]');
  await rows.first().waitFor();
  await agrees(async () => storedAgrees(page, (await api('/v1/coverage?limit=50')).rows), () => page.reload());
  const gaps = page.locator('.stored details').first();
  await gaps.locator('summary').click();
  await gaps.locator('li').first().waitFor();
  await accessible(page);

  await page.getByRole('link', { name: 'each instrument of bist' }).click();
  await page.getByRole('heading', { name: 'Stored of the market Borsa Istanbul' }).waitFor();
  await page.waitForFunction(() => document.activeElement.id === 'stored');
  const bist = '/v1/coverage?market=bist&limit=50';
  const first = await api(bist);
  assert.ok(first.next_cursor, 'one page has everything');
  await agrees(async () => storedAgrees(page, (await api(bist)).rows), () => page.reload());
  await page.getByText(`Rows 1 to 50 of ${first.total}`).waitFor();
  await keepsFocus(page, () => page.getByRole('button', { name: 'Next page' }).press('Enter'));
  await page.getByText(`Rows 51 to`).waitFor();
  await agrees(async () => storedAgrees(page, (await api(`${bist}&cursor=${encodeURIComponent(first.next_cursor)}`)).rows));
  assert.ok((await rows.count()) > 0);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByText('Rows 1 to 50').waitFor();
  const only = page.getByRole('checkbox', { name: 'Only what has gaps' });
  await only.check();
  assert.deepEqual((await api('/v1/coverage?market=bist&gaps=true')).rows, []);
  await page.getByText('No gaps of the market Borsa Istanbul are known').waitFor();
  await only.uncheck();
  await rows.first().waitFor();
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: 'dark' });
  await accessible(page);
  await page.goBack();
  await page.getByRole('heading', { name: 'Stored', exact: true }).waitFor();
  await page.getByRole('link', { name: 'each instrument of bist' }).waitFor();
  await only.check();
  await agrees(async () => {
    const lacking = (await api('/v1/coverage?gaps=true')).rows;
    assert.ok(lacking.length > 0);
    await storedAgrees(page, lacking);
  });
  await only.uncheck();
  await page.setViewportSize(WIDE);
  await page.evaluate(() => scrollTo(0, 0));
  await picture(page, 'status');
  await page.close();
});

test('without a key the status page shows what is public', async () => {
  const context = await visitor.browser.newContext();
  const page = await context.newPage();
  await page.route('**/status', async route => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll(PIYASA_KEY, '') }); // as a server that is no demo has it
  });
  const asked = [];
  page.on('request', request => asked.push(new URL(request.url()).pathname));
  await page.goto(new URL('/status', PIYASA_URL).href);
  await page.locator('#version').waitFor();
  await page.getByRole('button', { name: 'Enter a key' }).waitFor();
  await accessible(page);
  assert.deepEqual(asked.filter(path => path.startsWith('/v1') || path === '/graphql'), []);
  assert.equal(await page.locator('#rate, .stored').count(), 0);
  await context.close();
});

/** What an address answers without a key. */
async function keyless(address) {
  const response = await fetch(address);
  assert.equal(response.status, 200, address);
  return response.text();
}

test('a link of an instrument’s bars gives them without the key', async () => {
  const page = await visitor.open('/instruments/bist:DMOST');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: '6m', exact: true }).click();
  await page.locator('.segmented').getByRole('button', { name: 'USD' }).click();
  await page.getByRole('button', { name: 'Splits', exact: true }).click();
  const days = (await api('/v1/eod/bist:DMOST')).records.map(bar => bar.date);
  const since = new Date(Date.parse(days.at(-1)) - 183 * 86_400_000).toISOString().slice(0, 10);
  const from = days.find(day => day >= since); // the first bar that is drawn
  const bars = `/v1/candles/bist:DMOST?resolution=1d&from=${from}&currency=USD&adjust=splits`;
  const link = page.getByRole('link', { name: 'In a spreadsheet' });
  await agrees(async () => assert.equal(await link.getAttribute('href'), `/status?address=${encodeURIComponent(bars)}#link`));
  await link.click();
  const address = page.getByRole('textbox', { name: 'Address' });
  await address.waitFor();
  await page.waitForFunction(() => document.activeElement.id === 'link');
  assert.equal(await address.inputValue(), bars);
  await accessible(page);

  const made = page.locator('#made');
  const make = async (form, days) => {
    await page.getByLabel('Written as').selectOption({ label: form });
    assert.equal(await made.count(), 0); // what is shown is always of what is chosen
    await page.getByLabel('Days').fill(days);
    await page.getByRole('button', { name: 'Make a link' }).click();
    return text(made);
  };
  const keyed = async path => (await fetch(PIYASA_URL + path, { headers: { 'X-API-Key': PIYASA_KEY } })).text();
  const turkish = await make('CSV for a Turkish Excel', '2');
  assert.equal(await keyless(turkish), await keyed(`${bars}&dialect=excel-tr`));
  const until = Date.parse(await page.locator('.link time').getAttribute('datetime'));
  assert.ok(Math.abs(until - Date.now() - 2 * 86_400_000) < 600_000, `until ${until}`);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), turkish);
  await accessible(page);

  const plain = await keyless(await make('CSV', '366'));
  assert.equal(plain, await keyed(`${bars}&format=csv`));
  assert.match(plain, /^instrument_id,t,/);
  await address.fill(`${PIYASA_URL}/v1/quotes?ids=bist:DMOST&dialect=excel-tr#here`);
  assert.match(await keyless(await make('CSV', '')), /^instrument_id,symbol,/); // and not as the address says
  await address.fill('/v1/quotes?ids=bist:DMOST');
  assert.equal(JSON.parse(await keyless(await make('as the address says', ''))).quotes[0].instrument_id, 'bist:DMOST');
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: 'dark' });
  await accessible(page);
  await page.close();
});

test('has made no other requests and no complaints', () => visitor.behaved());

// This is last, because the browser itself logs an error for each of these answers.
test('what the server says against a link is shown as it is', async () => {
  const page = await visitor.open('/status');
  for (const [address, days] of [['/v1/nothing', '30'], ['https://elsewhere.example/v1/usage', '30'], ['/v1/usage', '0'], ['', '30']]) {
    await page.getByRole('textbox', { name: 'Address' }).fill(address);
    await page.getByLabel('Written as').selectOption({ label: 'as the address says' });
    await page.getByLabel('Days').fill(days);
    await keepsFocus(page, () => page.getByRole('button', { name: 'Make a link' }).click());
    const refused = await fetch(`${PIYASA_URL}/v1/links`, { method: 'POST', headers: { 'X-API-Key': PIYASA_KEY }, body: JSON.stringify({ address, days: Number(days) }) });
    const { title, detail } = await refused.json();
    assert.equal(refused.status, 422);
    const alert = page.locator('.link [role=alert]', { hasText: detail });
    await alert.getByText(title, { exact: true }).waitFor();
    assert.equal(await page.locator('#made').count(), 0);
  }
  await accessible(page);
  await page.close();
});
