// The book in a real browser: its pages load nothing from elsewhere, can be read by everyone,
// and their forms show what the API says. From the caller: as in graphiql.test.mjs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { picture, told } from './browser.mjs';

const { PIYASA_URL, PIYASA_KEY, CHROMIUM = '/usr/bin/chromium' } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
let page;
const requests = [];
const complaints = [];

before(async () => {
  assert.ok(PIYASA_URL && PIYASA_KEY, 'PIYASA_URL and PIYASA_KEY must name a running demo');
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--no-first-run'],
  });
  page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
  page.setDefaultTimeout(20_000);
  page.context().on('request', request => requests.push(request.url()));
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
});

after(() => browser?.close());

const open = path => page.goto(PIYASA_URL + path);

test('every kind of page is accessible, light and dark, wide and narrow', async () => {
  for (const [path, width, colorScheme] of [
    ['/docs', 1400, 'light'],
    ['/docs/guide-rest', 1400, 'dark'],
    ['/docs/start', 360, 'light'],
    ['/docs/rest/quotes', 360, 'dark'],
    ['/docs/sockets/disclosures', 1400, 'light'],
    ['/docs/search?q=dividends', 360, 'light'],
    ['/problems/not-found', 1400, 'dark'],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await open(path);
    // Evaluated from outside, since the policy lets no page run a script of others.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run());
    assert.deepEqual(violations.map(v => `${v.id}: ${v.nodes.map(n => n.target).join(', ')}`), [], `${path} at ${width}`);
    await told(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is wider than ${width}`);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
});

test('a search finds while it is typed, by keyboard alone', async () => {
  await open('/docs');
  await page.keyboard.press('/');
  await page.keyboard.type('slow readers');
  await page.locator('.hits a').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/streams#slow-readers');
  assert.equal(await page.locator('#slow-readers').innerText().then(text => text.startsWith('Slow readers')), true);
});

test('a form shows what the API answers', async () => {
  await open('/docs/rest/getParseInstrument');
  assert.equal(await page.locator('[data-line]').innerText(), 'GET /v1/instruments/crypto:dmc/parse');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^200 .*1 request unit/).waitFor();
  const said = JSON.parse(await page.locator('[data-answer] pre').innerText());
  const answer = await fetch(`${PIYASA_URL}/v1/instruments/crypto:dmc/parse`, { headers: { 'X-API-Key': PIYASA_KEY } });
  assert.deepEqual(said, await answer.json());
  await picture(page, 'reference');

  await page.getByLabel('id required').fill('foo:BAR');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^404 .*problem\+json/).waitFor();
});

test('a changed form shows no answer to another request', async () => {
  await open('/docs/rest/quote');
  const send = page.getByRole('button', { name: 'Send' });
  await send.press('Enter');
  assert.ok(await send.evaluate(button => button === document.activeElement)); // though it is busy
  await page.getByText(/^200 /).waitFor();
  await page.getByLabel('id required').fill(' bist:DMBNK ');
  assert.equal(await page.locator('[data-answer]').isVisible(), false);
  assert.equal(await page.locator('[data-line]').innerText(), 'GET /v1/quotes/bist:DMBNK');
  await send.click();
  await page.getByText(/^200 /).waitFor();
});

test('a table of the docs that does not scroll has no shade', async () => {
  await page.setViewportSize({ width: 768, height: 900 });
  await open('/docs/rest/quotes');
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const images = await page.locator('.page .scroll').evaluateAll(boxes => boxes.map(box => getComputedStyle(box).backgroundImage));
  assert.ok(images.length > 0);
  for (const image of images) assert.equal(image.split(ground).length, 3, `${image} on ${ground}`); // both covers
  await page.setViewportSize({ width: 1400, height: 900 });
});

test('numbers are shown with the digits that were sent', async () => {
  await open('/docs/rest/calendar');
  const sent = page.waitForResponse(/\/v1\/calendar/);
  await page.getByRole('button', { name: 'Send' }).click();
  const text = await (await sent).text();
  await page.getByText(/^200 /).waitFor();
  const shown = await page.locator('[data-answer] pre').innerText();
  assert.equal(shown.replace(/\s+/g, ''), text.replace(/\s+/g, ''));
});

test('a socket talks in the page', async () => {
  await open('/docs/sockets/prices');
  await page.getByRole('button', { name: 'Connect and send' }).click();
  await page.getByText(/< {"type":"quote".*"crypto:900001"/).waitFor();
  assert.ok(!(await page.locator('[data-answer] pre').innerText()).includes(PIYASA_KEY), 'the key is shown');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText(/^Closed: 1000/).waitFor();
});

test('code is shown in the language that was chosen', async () => {
  await open('/docs/rest/quote');
  await page.getByRole('tab', { name: 'curl' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('.code[data-language=python]').waitFor();
  await open('/docs/rest/quotes');
  assert.equal(await page.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected'), 'true');
  assert.equal(await page.locator('.code[data-language=sh]').isVisible(), false);
});

test('has made no other requests and no complaints', () => {
  const { origin, host } = new URL(PIYASA_URL);
  assert.ok(requests.length > 20);
  assert.deepEqual(requests.filter(url => new URL(url).origin !== origin && new URL(url).host !== host && !url.startsWith('blob:')), []);
  // The browser reports the 404 that was asked for.
  assert.deepEqual(complaints.filter(text => !text.includes('404')), []);
});
