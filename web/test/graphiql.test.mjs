// Drives the page in a real browser against a running piyasa. From the caller:
//   PIYASA_URL         where it listens (required)
//   PIYASA_KEY         the API key it should pre-fill, when it runs as a demo
//   PIYASA_SCREENSHOT  where to save a picture of the page
//   CHROMIUM           the browser, if not /usr/bin/chromium
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const { PIYASA_URL, PIYASA_KEY, PIYASA_SCREENSHOT, CHROMIUM = '/usr/bin/chromium' } = process.env;

let browser;
let page;
const requests = [];
const complaints = [];

before(async () => {
  assert.ok(PIYASA_URL, 'PIYASA_URL must name a running piyasa');
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--no-first-run'],
  });
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(20_000);
  page.context().on('request', request => requests.push(request.url()));
  // Violations of the Content-Security-Policy are console errors.
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
  await page.goto(`${PIYASA_URL}/graphiql`);
});

after(() => browser?.close());

const run = () => page.getByRole('button', { name: /^Execute query/ }).click();
const hint = async () => (await page.locator('#key-hint > :not([hidden])').allTextContents()).join();

/** Waits for an answer that matches; Monaco draws spaces as no-break spaces. */
async function answer(pattern) {
  const pane = page.getByRole('region', { name: 'Result Window' }).locator('.view-lines');
  const deadline = Date.now() + 20_000;
  for (;;) {
    const text = (await pane.innerText()).replaceAll('\u00a0', ' ');
    if (pattern.test(text)) return text;
    if (Date.now() > deadline) assert.match(text, pattern);
    await page.waitForTimeout(50);
  }
}

test('opens with the key filled in', async () => {
  assert.equal(await page.title(), 'GraphiQL · piyasa');
  await page.locator('.graphiql-query-editor .view-lines').waitFor();
  const key = page.locator('#api-key');
  if (PIYASA_KEY) assert.equal(await key.inputValue(), PIYASA_KEY);
});

test('runs the query of the first tab', async () => {
  await run();
  assert.doesNotMatch(await answer(/"data"/), /"errors"/);
  assert.equal(await hint(), '');
  if (PIYASA_SCREENSHOT) await page.screenshot({ path: PIYASA_SCREENSHOT });
});

test('runs a query typed into a new tab', async () => {
  await page.getByRole('button', { name: 'New tab' }).click();
  await page.locator('.graphiql-query-editor .view-lines').click();
  await page.keyboard.insertText('{ marketStatus { market state } }');
  await run();
  assert.doesNotMatch(await answer(/BIST/), /"errors"/);
});

test('shows the schema in the docs', async () => {
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const docs = page.getByRole('region', { name: 'Documentation Explorer' });
  await docs.getByRole('link', { name: 'Query', exact: true }).click();
  await docs.getByRole('link', { name: 'quote', exact: true }).first().waitFor();
});

test('has made no other requests and no complaints', () => {
  const origin = new URL(PIYASA_URL).origin;
  assert.ok(requests.length > 0);
  assert.deepEqual(requests.filter(url => !/^(data|blob):/.test(url) && new URL(url).origin !== origin), []);
  assert.deepEqual(complaints, []);
});

// Last, because the browser itself logs an error for each 401.
test('says what is wrong without a key', async () => {
  await page.getByText('API key').first().click();
  await page.locator('#api-key').fill('');
  await run();
  await answer(/"errors"/);
  assert.match(await hint(), /piyasa keys create/);
});
