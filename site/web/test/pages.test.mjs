// What the pages show is what the API says, on wide and narrow screens, light and dark.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, keepsFocus, NARROW, picture, PIYASA_KEY, text, texts, Visitor } from './browser.mjs';

const STOCK = 'bist:DMOST';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => visitor?.leave());

test('the home page shows quotes of the API, and they move', async () => {
  const page = await visitor.open('/');
  await page.locator('.watchlist tbody tr').first().waitFor();
  await page.locator('.watchlist .tag', { hasText: 'connected' }).waitFor();
  const ids = await page.locator('.watchlist tbody tr').evaluateAll(rows => rows.map(row => row.dataset.id));
  assert.ok(ids.length >= 8);
  const shown = () => page.locator('.watchlist tbody tr').evaluateAll(rows => Object.fromEntries(rows.map(row => [row.dataset.id, row.querySelector('.last').innerText])));
  const before = await shown();
  for (const id of ids) {
    await agrees(async () => {
      const { last, currency } = await api(`/v1/quotes/${id}`);
      assert.equal((await shown())[id], `${last} ${currency}`);
    });
  }
  await agrees(async () => assert.notDeepEqual(await shown(), before));
  await agrees(async () => {
    const { items } = await api('/v1/kap-feed/disclosures?limit=6');
    assert.deepEqual(await texts(page.locator('.news li > span:last-child')), items.map(row => row.subject.en ?? row.subject.tr));
  });
  assert.match(await text(page.locator('.market')), new RegExp((await api('/v1/markets/bist/status')).state));
  for (const trend of await texts(page.locator('.watchlist tbody .trend'))) assert.match(trend, /^from [\d.]+ to [\d.]+$/);
  await accessible(page);
  await picture(page, 'home');

  await page.keyboard.press('/');
  await page.locator('.finder').getByRole('combobox').fill('banka demo');
  await page.locator('.finder [aria-selected=true]', { hasText: 'Demo Bankası' }).waitFor();
  await accessible(page);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/instruments/bist:DMBNK');
  await page.close();
});

test('the watchlist is the visitor’s own, in both tabs', async () => {
  const page = await visitor.open('/', NARROW);
  await page.locator('.watchlist tbody tr').first().waitFor();
  await accessible(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await page.getByRole('button', { name: 'Edit' }).click();
  for (;;) {
    const button = page.locator('.watchlist tbody button').first();
    if (!(await button.count())) break;
    const name = await button.getAttribute('aria-label');
    await button.click();
    await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
  }
  await page.getByText('The list is empty').waitFor();
  await other.getByText('The list is empty').waitFor();
  await page.locator('.watchlist').getByRole('combobox').fill('DMOST');
  await page.locator('.watchlist').getByRole('option').first().click();
  await other.locator(`.watchlist tr[data-id="${STOCK}"]`).waitFor();
  await page.getByRole('button', { name: 'Back to the first list' }).click();
  await page.locator('.watchlist tr[data-id="fx:USDTRY"]').waitFor();
  await page.context().close();
});

/** Stores a disclosure while the page is away. */
function store(index) {
  const line = { record: 'disclosure', disclosure_index: index, type: 'ODA', class: 'ODA', symbols: ['DMOST'], filer_codes: ['DMOST'], published_at: new Date().toISOString().replace(/\.\d+/, ''), reason: 'NEW', subject: { tr: 'Deneme', en: 'Test' } };
  const { status, stderr } = spawnSync('../../bin/piyasa', ['ingest', '-'], { input: `${JSON.stringify(line)}\n`, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
}

test('the first page of an empty server leads to a key and to data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'piyasa-empty-'));
  const env = { HOME: folder, PIYASA_DATABASE: `sqlite:${join(folder, 'piyasa.db')}`, PATH: `${process.cwd()}/../../bin:${process.env.PATH}` };
  const server = spawn('../../bin/piyasa', ['serve', '--listen', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(server, 'exit');
  try {
    let printed = '';
    for await (const chunk of server.stdout) if (/\n/.test((printed += chunk))) break;
    const own = await Visitor.come();
    const page = await own.open(printed.match(/http:\S+/)[0]);
    await page.getByText('Nothing is stored yet').waitFor();
    await accessible(page);
    await page.setViewportSize({ width: NARROW.width, height: NARROW.height });
    await accessible(page);

    // What it says to do is done, word by word.
    const [create, ingest] = await page.locator('.command pre').allTextContents();
    const run = command => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { env, encoding: 'utf8', timeout: 60_000 });
      assert.equal(status, 0, stderr);
      return stdout;
    };
    const key = run(create).match(/piyasa_live_\w+/)[0];
    await page.locator('.steps').getByRole('button', { name: 'Enter a key' }).click();
    await page.locator('#api-key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('This page has one.').waitFor();
    run(ingest);
    await page.locator('.watchlist tr[data-id="fx:USDTRY"]', { hasText: '41.25' }).waitFor();
    assert.equal(await page.locator('.steps').count(), 0);
    await own.leave();
  } finally {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
});

test('at a terminal, the first key and the first file need no command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'piyasa-first-'));
  const env = { HOME: folder, PIYASA_DATABASE: `sqlite:${join(folder, 'piyasa.db')}`, PATH: `${process.cwd()}/../../bin:${process.env.PATH}` };
  // script is a terminal; Ctrl-C ends what runs there
  const terminal = spawn('script', ['-qec', 'piyasa serve --listen 127.0.0.1:0', '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(terminal, 'exit');
  try {
    let printed = '';
    for await (const chunk of terminal.stdout.iterator({ destroyOnReturn: false })) if (/Ctrl-C/.test((printed += chunk))) break;
    terminal.stdout.resume();
    const [, address, code] = printed.match(/First key +open (http:\S+) and enter the code ([A-Z2-7]{4}-[A-Z2-7]{4})/);
    const own = await Visitor.come();
    const page = await own.open(address);
    const field = page.getByLabel('Code from the terminal');
    const make = page.getByRole('button', { name: 'Make the first key' });
    await field.waitFor();
    await accessible(page);
    await field.fill('1111-1111');
    await make.click();
    await page.getByText('4 more attempts are left').waitFor();
    await field.fill(code.toLowerCase());
    await make.click();
    await page.getByText('the only time the key is shown').waitFor();
    const [key] = await texts(page.locator('.command pre'));
    assert.match(key, /^piyasa_live_\w{40}$/);
    assert.equal(await page.locator('#api-key').inputValue(), key);
    assert.equal(await make.count(), 0);
    await page.setViewportSize({ width: NARROW.width, height: NARROW.height });
    await page.locator('.drop').waitFor();
    await accessible(page);

    // Nothing of the first file can be stored, so another may come, in two parts, of which the first does not end its line.
    await page.locator('.drop input').setInputFiles({ name: 'a.ndjson', mimeType: '', buffer: Buffer.from('price,1\n') });
    await page.getByText('0 of 1 records are stored, 1 rejected').waitFor();
    const rows = (await page.locator('.command pre').allTextContents()).find(text => text.startsWith('piyasa ingest')).split('\n').slice(1, -1);
    const parts = [rows[0], `${rows[1]}\n{"record":"quote","instrument_id":"fx:USDTRY","last":"much"}\n`];
    await page.evaluate(parts => {
      const dataTransfer = new DataTransfer();
      parts.forEach((part, i) => dataTransfer.items.add(new File([part], `${i}.ndjson`)));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, parts);
    await page.getByText('2 of 3 records are stored, 1 rejected').waitFor();
    await page.locator('.note li', { hasText: /^Line 3: / }).waitFor();
    await page.locator('.watchlist tr[data-id="fx:USDTRY"]', { hasText: '41.25' }).waitFor();
    assert.equal(await page.locator('.steps').count(), 0);
    await accessible(page);
    own.complaints = own.complaints.filter(text => !/status of 422/.test(text)); // the wrong code
    own.behaved(address);
    await own.leave();
  } finally {
    terminal.stdin.write('\x03');
    const late = setTimeout(() => terminal.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(late);
    rmSync(folder, { recursive: true });
  }
});

test('the disclosure stream loses its connection and nothing else', async () => {
  const page = await visitor.open('/streams');
  await page.getByText('Began with').waitFor();
  const position = () => text(page.locator('#position'));
  await page.getByRole('button', { name: 'Cut and stay away' }).click();
  const left = await position();
  await page.getByText('connection lost').waitFor();
  store(1_900_001);
  store(1_900_002);
  assert.equal(await page.locator('tr[data-index="1900001"]').count(), 0);
  assert.equal(await position(), left);
  await page.getByRole('button', { name: 'Connect again' }).click();
  for (const index of [1_900_001, 1_900_002]) await page.locator(`tr[data-index="${index}"]`, { hasText: 'replayed' }).waitFor();
  await page.getByText(/Resumed: \d+ replayed, nothing is missing/).waitFor();
  await agrees(async () => assert.match(await text(page.locator('#missing')), /^none of \d+$/));
  assert.notEqual(await position(), left);

  await page.getByRole('button', { name: 'Cut the connection' }).click(); // comes back by itself
  await agrees(async () => assert.equal(await page.getByText(/Resumed: \d+ replayed/).count(), 2));
  store(1_900_003);
  await page.locator('tr[data-index="1900003"]', { hasText: 'live' }).waitFor();
  // What it began with was asked for by number, what came after it by position.
  const seqs = await page.locator('tbody tr').evaluateAll(rows =>
    rows.slice(0, rows.findIndex(row => row.innerText.includes('Began with'))).filter(row => row.dataset.index).map(row => Number(row.cells[1].innerText)),
  );
  assert.ok(seqs.length >= 3);
  assert.deepEqual(seqs, [...new Set(seqs)].sort((a, b) => b - a), 'once each, in order');
  await accessible(page);
  await picture(page, 'streams');
  await page.setViewportSize({ width: 390, height: 844 });
  await accessible(page);
  await page.close();
});

test('the key in the header copies, and has its place for the keyboard', async () => {
  const page = await visitor.open('/');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.key-panel summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('.key-panel').getByRole('button', { name: 'Copy key' }).click();
  await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), PIYASA_KEY);
  await accessible(page);
  await page.keyboard.press('Escape');
  await page.locator('.key-panel form').waitFor({ state: 'hidden' });
  await page.close();
});

test('the first view of each page is light', async () => {
  for (const [path, drawn, most] of [['/', '.tag.up', 60], [`/instruments/${STOCK}`, '.chart canvas', 130], ['/disclosures', '.feed > li', 90], ['/streams', '.tag.up', 90], ['/markets', '.tile', 90], ['/screener', 'select', 90], ['/compare', 'h1', 90], ['/funds', 'tbody tr', 90], ['/calendar', 'tbody tr', 90], ['/macro', 'tbody tr', 90], ['/status', '.tag.up', 90], ['/docs', 'h1', 90], ['/docs/rest/quotes', 'h1', 90]]) {
    const page = await visitor.open(path);
    await page.locator(`main ${drawn}`).first().waitFor();
    const bytes = await page.evaluate(() => {
      const files = performance.getEntriesByType('resource').filter(({ name }) => /\/(assets|favicon)/.test(name));
      return performance.getEntriesByType('navigation')[0].encodedBodySize + files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    });
    assert.ok(bytes > 5_000 && bytes < most * 1000, `${path}: ${bytes}`);
    await page.close();
  }
});

test('what is seen keeps its place while answers come', async () => {
  for (const look of [{}, NARROW]) {
    for (const [path, drawn] of [['/', '.doors-below'], [`/instruments/${STOCK}`, '.chart canvas'], ['/disclosures', '.feed > li'], ['/markets', '.tile'], ['/funds', 'tbody tr'], ['/calendar', 'tbody tr'], ['/status', '.tag.up'], ['/docs/rest/quotes', 'h1']]) {
      // What is asked first is answered last, as a busy server may do it.
      const page = await visitor.open(path, { ...look, late: asked => Math.max(0, 900 - 150 * asked) });
      await page.locator(`main ${drawn}`).first().waitFor();
      const [moved, by] = await page.evaluate(
        () =>
          new Promise(resume => {
            const all = [];
            new PerformanceObserver(list => all.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true });
            setTimeout(() => resume([all.reduce((sum, { value }) => sum + value, 0), all.flatMap(({ sources }) => sources.map(({ node }) => node?.className ?? ''))]), 1500);
          }),
      );
      assert.ok(moved < 0.15, `${path} at ${look.width ?? 'its full width'}: ${moved}, of ${by}`);
      await page.close();
    }
  }
});

test('a quotation mark alone finds no instrument', async () => {
  const page = await visitor.open('/');
  await page.locator('main h1').waitFor();
  await page.keyboard.press('/');
  await page.locator('.finder').getByRole('combobox').fill('"');
  await page.getByText('Nothing in the catalog matches “"”.').waitFor();
  await page.context().close();
});

test('a cut of the stream leaves the focus on its button', async () => {
  const page = await visitor.open('/streams');
  await page.locator('.tag', { hasText: 'connected' }).first().waitFor();
  const cut = page.getByRole('button', { name: 'Cut the connection' });
  await keepsFocus(page, () => cut.press('Enter'));
  await page.context().close();
});

test('has made no other requests and no complaints', () => visitor.behaved());

test('a path that does not exist has a page with ways on', async () => {
  const page = await visitor.open('/nope', NARROW);
  assert.equal(await text(page.getByRole('heading')), 'Not found');
  await accessible(page);
  await page.locator('main').getByRole('link', { name: 'Docs' }).click();
  await page.getByRole('heading', { name: 'The book of piyasa' }).waitFor();
  await page.close();
});

// These are last, because the browser itself logs an error for each of these answers.
test('says what is wrong and goes on when it is over', async () => {
  const page = await visitor.open('/status');
  await page.locator('#plan').waitFor();
  const trouble = page.locator('main [role=alert]');
  const problem = (status, title, detail, headers = {}) => route =>
    route.fulfill({ status, headers: { 'Content-Type': 'application/problem+json', ...headers }, body: JSON.stringify({ title, status, detail }) });

  await page.route('**/v1/usage', problem(429, 'Rate limited', 'The bucket is empty.', { 'Retry-After': '1' }));
  await page.reload();
  await trouble.getByText('The bucket is empty.').waitFor();
  await page.unroute('**/v1/usage');
  await page.locator('#plan').waitFor(); // it has asked again by itself

  await page.route('**/v1/usage', problem(503, 'Store unavailable', 'Stored data cannot be read now.'));
  await page.reload();
  await trouble.getByText('Stored data cannot be read now.').waitFor();
  await accessible(page);
  await page.unroute('**/v1/usage');
  await trouble.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#plan').waitFor();

  await page.context().setOffline(true);
  await page.getByText('connection lost').waitFor();
  await page.context().setOffline(false);
  await page.locator('.tag', { hasText: 'connected' }).waitFor();

  await page.goto(new URL('/', page.url()).href);
  await page.locator('.key-panel summary').click();
  await page.locator('#api-key').fill('piyasa_live_0000000000000000000000000000000000000000');
  await page.keyboard.press('Enter');
  await trouble.first().waitFor();
  await page.locator('.key-state', { hasText: 'refused' }).waitFor();
  assert.equal(await page.locator('main').getByRole('button', { name: 'Enter a key' }).count(), 1, 'one invitation');
  await page.locator('.key-panel summary').click();
  await page.locator('.key-hint', { hasText: 'refused this key' }).waitFor();
  await page.locator('#api-key').fill('');
  await page.keyboard.press('Enter');
  await page.getByText('Enter an API key to see data').waitFor();
  assert.equal(await page.locator('main').getByRole('button', { name: 'Enter a key' }).count(), 1, 'one invitation');
  await page.close();
});

test('where a proxy answers, the page says so in its language and tries again', async () => {
  const proxy = route => route.fulfill({ status: 503, contentType: 'text/html', body: '<html><h1>Service Unavailable</h1></html>' });
  const look = { locale: 'tr-TR' };
  for (const path of ['/', '/streams', '/screener', '/disclosures']) {
    const page = await visitor.open('/macro', look);
    await page.route('**/graphql', proxy);
    await page.goto(new URL(path, page.url()).href);
    const trouble = page.locator('main [role=alert]');
    const of = path === '/' ? page.locator('.watchlist [role=alert]') : trouble.first();
    await of.getByText('Sunucu 503 yanıtını verdi.').waitFor();
    assert.equal(await page.getByText('<html>').count(), 0);
    await page.unroute('**/graphql');
    while (await trouble.count()) {
      await trouble.first().getByRole('button', { name: 'Yeniden dene' }).click();
      await page.waitForTimeout(200);
    }
    if (path === '/') await page.locator('.watchlist .tick').first().waitFor();
    if (path === '/streams') await page.locator('.tag.up', { hasText: 'bağlı' }).waitFor();
    if (path === '/screener') await agrees(async () => assert.ok((await page.locator('option[value="market:bist"]').count()) > 0));
    await page.context().close();
  }
});

test('a key without scopes has cards that say which one is missing', async () => {
  const create = ['keys', 'create', '--name', 'few', '--plan', 'pro', '--scopes', 'assets:logos'];
  const made = spawnSync('../../bin/piyasa', create, { encoding: 'utf8', timeout: 60_000 });
  const key = made.stdout.match(/piyasa_live_\w+/)[0];
  const known = async () => (await fetch(new URL('/v1/usage', page.url()), { headers: { 'X-API-Key': key } })).status;
  const page = await visitor.open('/', { locale: 'tr-TR' });
  await agrees(async () => assert.equal(await known(), 200));
  const enter = async path => {
    await page.goto(new URL(path, page.url()).href);
    await page.locator('.key-panel summary').click();
    await page.locator('#api-key').fill(key);
    await page.keyboard.press('Enter');
  };
  const before = visitor.complaints.length;
  await enter('/');
  await page.locator('section[aria-labelledby=newest]', { hasText: 'Bu anahtarda kap yetkisi yok.' }).waitFor();
  const list = page.locator('.watchlist');
  await list.locator('.note', { hasText: 'Bu anahtarda quotes:bist yetkisi yok.' }).waitFor();
  await list.locator('.note', { hasText: 'Bu anahtarda history yetkisi yok.' }).waitFor();
  assert.doesNotMatch(await text(list), /fiyat yok|çubuk yok|not priced|no bars/);
  await accessible(page);
  await enter('/streams');
  await page.locator('main [role=alert]', { hasText: 'Bu anahtarda kap yetkisi yok.' }).waitFor();
  await page.locator('.tag', { hasText: 'akış yok' }).waitFor();
  await enter('/status');
  await page.locator('section[aria-labelledby=streams]', { hasText: 'Bu anahtarda kap yetkisi yok.' }).waitFor();
  await enter('/calendar');
  const offerings = page.locator('section[aria-labelledby=offerings]');
  await offerings.getByText('Bu anahtarda şu yetkilerden biri yok: quotes:bist, ipo:read.').waitFor();
  await enter('/screener?of=market:crypto');
  await page.locator('tbody [title*="Bu anahtarda quotes:crypto yetkisi yok."]').first().waitFor();
  await page.locator('tbody [title*="Bu anahtarda history yetkisi yok."]').first().waitFor();
  await enter('/instruments/bist:DMOST');
  await page.locator('.note', { hasText: 'Elinde tutan fonlar: Bu anahtarda quotes:fund yetkisi yok.' }).waitFor();
  await enter('/markets');
  await page.locator('.tile', { hasText: 'Bu anahtarda history yetkisi yok.' }).first().waitFor();
  await enter('/disclosures/1900001');
  await page.locator('.reading, [role=alert]', { hasText: 'Bu anahtarda kap yetkisi yok.' }).first().waitFor();
  assert.equal(await page.getByText('Böyle bir bildirim yok.').count(), 0);
  for (const path of ['/streams', '/disclosures']) {
    await page.goto(new URL(path, page.url()).href);
    await page.locator('.key-panel summary').click();
    await page.locator('#api-key').fill('');
    await page.keyboard.press('Enter');
    await page.locator('.tag', { hasText: 'akış yok' }).waitFor();
  }
  assert.deepEqual(visitor.complaints.slice(before).filter(text => text.includes('TypeError')), []);
  await page.context().close();
});
