// GraphiQL in a real browser against a running demo; browser.mjs says what it needs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agrees, picture, PIYASA_KEY, told, Visitor } from './browser.mjs';

let visitor;
let page;

before(async () => {
  visitor = await Visitor.come();
  page = await visitor.open('/graphiql', { width: 1280, height: 800 });
});

after(() => visitor?.leave());

const run = () => page.getByRole('button', { name: /^Execute query/ }).click();
const hint = async () => (await page.locator('#key-hint > :not([hidden])').allTextContents()).join();

const openTab = name => page.locator('.graphiql-tab', { hasText: name }).locator('button').first().click();

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
  await told(page);
  if (PIYASA_KEY) assert.equal(await key.inputValue(), PIYASA_KEY);
});

test('runs the query of the first tab', async () => {
  await run();
  assert.doesNotMatch(await answer(/"data"/), /"errors"/);
  assert.equal(await hint(), '');
});

test('runs the query of relations', async () => {
  await openTab('Graph');
  await run();
  assert.doesNotMatch(await answer(/"watchlist"/), /"errors"/);
  await picture(page, 'graphiql');
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

test('runs subscriptions over WebSocket', async () => {
  const socket = page.waitForEvent('websocket');
  await openTab('LiveQuotes');
  await run();
  assert.match((await socket).url(), /^ws:.*\/graphql$/);
  const first = await answer(/"quoteStream"[^]*"last"/);
  await agrees(async () => assert.notEqual(await answer(/"last"/), first)); // it goes on
  await page.getByRole('button', { name: /^Stop/ }).click();
  await openTab('LiveDisclosures');
  await run();
  await answer(/"disclosureStream"[^]*("seq"|"lastSeq")/);
});

test('has every tab within reach, and room on a narrow screen', async () => {
  const inside = () =>
    page.locator('.graphiql-tab').evaluateAll(tabs => tabs.every(tab => tab.getBoundingClientRect().left >= 0 && tab.getBoundingClientRect().right <= innerWidth));
  assert.ok(await inside());
  await page.setViewportSize({ width: 390, height: 844 });
  await openTab('MarketStatus'); // which scrolls into view
  await run();
  assert.doesNotMatch(await answer(/"marketStatus"/), /"errors"/);
  const widths = await page.locator('.graphiql-query-editor, .result-window').evaluateAll(parts => parts.map(part => part.getBoundingClientRect().width));
  assert.equal(widths.length, 2);
  for (const width of widths) assert.ok(width > 300, `${width} of 390`);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
});

test('opens whatever the browser has stored, or if it stores nothing', async () => {
  const other = await visitor.open('/graphiql');
  const drawn = () => other.locator('.graphiql-query-editor .view-lines').waitFor();
  await drawn();
  for (const odd of ['{bad', '7', '"x"', '{"a":1}', '[]', '{"queries":7}', '{"queries":[null]}', '{"tabs":[],"activeTabIndex":3}']) {
    await other.evaluate(odd => {
      for (const key of ['queries', 'favorites', 'tabState', 'query', 'theme', 'editorFlex', 'visiblePlugin', 'persistHeaders'])
        localStorage.setItem(`piyasa:graphiql:${key}`, odd);
    }, odd);
    await other.reload();
    await drawn();
  }
  await other.context().addInitScript(() =>
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('closed', 'SecurityError'); } }),
  );
  await other.reload();
  await drawn();
  await other.context().close();
});

test('has made no other requests and no complaints', () => visitor.behaved());

// Last, because the browser itself logs an error for each 401.
test('says what is wrong without a key', async () => {
  await page.locator('.key-panel summary').click();
  await page.locator('#api-key').fill('');
  await run();
  await answer(/"errors"/);
  assert.match(await hint(), /piyasa keys create/);
});
