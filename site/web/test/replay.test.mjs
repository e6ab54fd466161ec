// What pages show of data from another time: ranges end with the newest bar, the clock is the server's, and nothing stays alive when
// it is gone.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, agrees, NARROW, text, texts, Visitor } from './browser.mjs';

const NOW = '2026-03-18T12:00:00Z'; // a Wednesday, while Istanbul trades
const DAY = 86_400_000;
const days = Array.from({ length: 700 }, (_, n) => new Date(Date.parse('2023-06-01') + n * DAY)).filter(day => day.getUTCDay() % 6);
const dayOf = day => day.toISOString().slice(0, 10);
const LINES = [
  { record: 'instrument', instrument_id: 'bist:ESKI', symbol: 'ESKI', name: 'Eski', market: 'bist', asset_type: 'STOCK', currency: 'TRY' },
  { record: 'instrument', instrument_id: 'bist:DURAN', symbol: 'DURAN', name: 'Duran', market: 'bist', asset_type: 'STOCK', currency: 'TRY' },
  { record: 'instrument', instrument_id: 'bist:ARSIV', symbol: 'ARSIV', name: 'Arşiv', market: 'bist', asset_type: 'STOCK', currency: 'TRY' },
  ...['bist:ESKI', 'bist:ARSIV'].flatMap(instrument_id => days.map((day, n) => ({ record: 'bar', instrument_id, resolution: '1d', t: `${dayOf(new Date(day.getTime() - DAY))}T21:00:00Z`, close: `${10 + (n % 7)}.25` }))),
  { record: 'disclosure', disclosure_index: 1_500_001, type: 'ODA', class: 'ODA', symbols: ['ESKI'], filer_codes: ['ESKI'], published_at: '2026-03-18T11:00:00Z', reason: 'NEW', subject: { tr: 'Deneme', en: 'Test' } },
  { record: 'quote', instrument_id: 'bist:ESKI', as_of: '2026-03-18T11:58:00Z', last: '12.75' },
];

let folder, env, server, visitor, address, key;

function run(args, input) {
  const { status, stdout, stderr } = spawnSync('../../bin/piyasa', args, { env, input, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr + stdout);
  return stdout;
}

async function start(listen) {
  server = spawn('../../bin/piyasa', ['serve', '--listen', listen], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  for await (const chunk of server.stdout) if (/\n/.test((printed += chunk))) break;
  address = printed.match(/http:\S+/)[0];
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'piyasa-replay-'));
  env = { HOME: folder, PIYASA_DATABASE: `sqlite:${join(folder, 'piyasa.db')}`, PIYASA_NOW: NOW };
  run(['ingest', '-'], LINES.map(line => `${JSON.stringify(line)}\n`).join(''));
  key = run(['keys', 'create', '--name', 'me', '--plan', 'pro', '--scopes', 'all']).match(/piyasa_live_\w+/)[0];
  await start('127.0.0.1:0');
  visitor = await Visitor.come();
});
after(async () => {
  await visitor?.leave();
  await ended();
  rmSync(folder, { recursive: true });
});

async function ended() {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  server.kill();
  await once(server, 'exit');
}

async function open(path, look) {
  const page = await visitor.open(new URL('/status', address).href, look);
  await page.evaluate(key => sessionStorage.setItem('piyasa:apiKey', key), key);
  await page.goto(new URL(path, address).href);
  return page;
}

test('the home page goes by the server’s clock, and shows what is alive there', async () => {
  const page = await open('/', NARROW);
  await page.locator('.watchlist tbody tr', { hasText: '12.75' }).waitFor();
  assert.deepEqual(await page.locator('.watchlist tbody tr').evaluateAll(rows => rows.map(row => row.dataset.id)), ['bist:ESKI']);
  assert.match(await text(page.locator('.market')), /is open, closes in 3 h/);
  assert.match(await text(page.locator('.watchlist tbody tr')), new RegExp(`bars to ${dayOf(days.at(-1))}`));
  assert.ok((await text(page.locator('.try pre'))).includes('/v1/quotes?ids=bist:ESKI'));
  assert.match((await texts(page.locator('main time'))).join(), /2 min ago/);
  await accessible(page);
  await page.close();
});

test('a range ends with the newest bar and says how old it is; an empty one leads to where bars are', async () => {
  const page = await open('/instruments/bist:ESKI?range=1m');
  const last = dayOf(days.at(-1));
  await page.getByText(`1m, to the newest bar of ${last}`).waitFor();
  assert.equal(await page.locator('.legend').getAttribute('data-at'), last);
  const shown = days.filter(day => days.at(-1) - day <= 31 * DAY);
  assert.ok((await page.getByRole('application').getAttribute('aria-label')).startsWith(`Chart of ${shown.length} bars from ${dayOf(shown[0])} to ${last}.`));
  await page.goto(new URL('/instruments/bist:ESKI?resolution=5m&range=5d', address).href);
  await page.locator('.legend').waitFor(); // the quote has made one
  assert.match(await text(page.locator('.legend')), /2026-03-18 11:55 UTC.* close 12.75/);
  await page.goto(new URL('/instruments/bist:ARSIV?resolution=5m&range=5d', address).href);
  await page.getByRole('button', { name: `Daily bars from ${dayOf(days[0])} to ${last}: show them` }).click();
  await agrees(async () => assert.equal(await page.locator('.legend').getAttribute('data-at'), last));
  assert.equal(new URL(page.url()).search, '?resolution=1d&range=all');
  await accessible(page);
  await page.goto(new URL('/instruments/bist:DURAN', address).href);
  await page.getByText('No bars are stored.').waitFor();
  await page.close();
});

test('a list that never comes is not awaited for ever', async () => {
  const page = await open('/macro');
  await page.route('**/graphql', route => /query Choose/.test(route.request().postData()) || route.continue());
  await page.goto(new URL('/', address).href);
  await page.locator('.watchlist [role=alert]', { hasText: 'No answer within 20 seconds.' }).waitFor();
  await accessible(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.locator('.watchlist').getByRole('button', { name: 'Try again' }).click();
  await page.locator('.watchlist tr[data-id="bist:ESKI"]').waitFor();
  await page.context().close();
});

test('what is stored while the server is gone is counted when it is back', async () => {
  const [list, stream] = [await open('/disclosures'), await open('/streams')];
  for (const page of [list, stream]) await page.locator('.tag.up', { hasText: 'connected' }).waitFor();
  await stream.getByText('Began with').waitFor();
  assert.equal(await text(stream.locator('#cuts')), '0');
  await ended();
  for (const page of [list, stream]) await page.locator('.tag', { hasText: 'connection lost' }).waitFor();
  const stored = LINES.find(line => line.record === 'disclosure');
  run(['ingest', '-'], [1_500_002, 1_500_003].map(disclosure_index => `${JSON.stringify({ ...stored, disclosure_index })}\n`).join(''));
  await start(new URL(address).host);
  for (const page of [list, stream]) await page.locator('.tag.up', { hasText: 'connected' }).waitFor();
  await list.getByRole('button', { name: '2 new' }).click();
  await list.locator('[data-index="1500003"]').waitFor();
  await list.getByRole('button', { name: '2 new' }).waitFor({ state: 'detached' });
  await agrees(async () => assert.equal(await text(stream.locator('#missing')), 'none of 3'));
  assert.equal(await text(stream.locator('#cuts')), '1');
  for (const page of [list, stream]) await page.context().close();
});

test('when the server is gone, nothing looks alive, and every figure has its age', async () => {
  const [home, status] = [await open('/'), await open('/status')];
  await home.locator('.market .dot.open').waitFor();
  await home.locator('.tag.up', { hasText: 'connected' }).first().waitFor();
  await status.locator('dd', { hasText: 'ready' }).waitFor();
  await home.locator('.news li').first().waitFor();
  const green = await home.locator('.key-state').evaluate(dot => getComputedStyle(dot, '::before').backgroundColor);
  await ended();
  for (const page of [home, status]) {
    await page.getByText('The server cannot be reached. Figures are as they were at').waitFor();
    await page.locator('.tag', { hasText: 'connected' }).first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('main .dot.open, main .tag.up').count(), 0);
    assert.notEqual(await page.locator('.key-state').evaluate(dot => getComputedStyle(dot, '::before').backgroundColor), green, 'the dot of the key');
    await accessible(page);
  }
  assert.equal(await home.locator('.news li').count(), 3, 'what was shown stays');
  assert.match(await text(home.locator('.market')), /unknown, open (.* ago|now)/);
  assert.match(await text(status.locator('dl.state').first()), /unknown ready (.* ago|now)/);
  assert.match(await text(home.locator('#gone')), /12:0\d:\d\d\. .*That was .* (ago|now)/);
});
