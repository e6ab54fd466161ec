// Watchlists are the visitor's own: several, in any order, with any columns, shared by a link, and alerts that speak once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, keepsFocus, NARROW, picture, text, texts, Visitor } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => visitor?.leave());

const button = (page, name) => page.locator('.watchlist').getByRole('button', { name, exact: true });
const idsOf = page => page.locator('.watchlist tbody tr').evaluateAll(rows => rows.map(row => row.dataset.id));
const shows = (page, ids) => agrees(async () => assert.deepEqual(await idsOf(page), ids));
const heads = page => texts(page.locator('.watchlist thead th'));
const names = page => page.getByRole('combobox', { name: 'List' }).locator('option').allInnerTexts();

/** Makes a list of instruments by hand. */
async function make(page, name, ids) {
  await button(page, 'New list').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.keyboard.press('Enter');
  await agrees(async () => assert.ok((await names(page)).includes(name)));
  for (const id of ids) {
    await page.locator('.editing').getByRole('combobox').fill(id);
    await page.locator('.editing').getByRole('option').filter({ hasText: id }).first().click();
    await page.locator(`.watchlist tr[data-id="${id}"]`).waitFor();
  }
}

/** Stores records while pages are open. */
function store(...lines) {
  const input = lines.map(line => JSON.stringify(line)).join('\n') + '\n';
  const { status, stderr } = spawnSync('../../bin/piyasa', ['ingest', '-'], { input, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
}
const at = (ago = 0) => new Date(Date.now() - ago * 1000).toISOString().replace(/\.\d+/, '');

test('lists have names, an order and columns, which a reload and another tab show, too', async () => {
  const page = await visitor.open('/');
  await page.locator('.watchlist tbody tr').first().waitFor();
  await button(page, 'Edit').click();
  await make(page, 'Mine', ['bist:DMOST', 'bist:DMBNK', 'fx:USDTRY']);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await shows(other, ['bist:DMOST', 'bist:DMBNK', 'fx:USDTRY']);

  // By its buttons, by the keyboard, and by dragging; a screen reader says it.
  const { name: stock } = await api('/v1/instruments/bist:DMOST');
  await button(page, `Move ${stock} down`).click();
  await shows(page, ['bist:DMBNK', 'bist:DMOST', 'fx:USDTRY']);
  await page.getByRole('status').filter({ hasText: `${stock} is number 2 of 3.` }).waitFor();
  await page.keyboard.press('Alt+ArrowDown'); // the button has kept the focus
  await shows(page, ['bist:DMBNK', 'fx:USDTRY', 'bist:DMOST']);
  await page.keyboard.press('Enter'); // there is nothing below
  await page.keyboard.press('Alt+ArrowUp');
  await shows(page, ['bist:DMBNK', 'bist:DMOST', 'fx:USDTRY']);
  await page.locator('tr[data-id="fx:USDTRY"] .grip').hover();
  await page.mouse.down();
  await page.locator(`tr[data-id="bist:DMBNK"] th`).hover();
  await page.locator('tr[data-id="bist:DMBNK"].before').waitFor();
  await page.mouse.up();
  await shows(page, ['fx:USDTRY', 'bist:DMBNK', 'bist:DMOST']);
  await shows(other, ['fx:USDTRY', 'bist:DMBNK', 'bist:DMOST']);

  await page.locator('.watchlist').getByText('Columns').click();
  for (const column of ['Volume', 'Range of the day', 'Close before']) await page.getByRole('checkbox', { name: column }).check();
  await page.getByRole('checkbox', { name: '90 days' }).uncheck();
  const columns = ['Instrument', 'Last', 'Change', 'Range of the day', 'Close before', 'Volume', 'Observed'];
  await accessible(page);
  await picture(page, 'watchlists');
  await page.reload();
  for (const tab of [page, other]) {
    await agrees(async () => assert.deepEqual(await heads(tab), columns));
    await shows(tab, ['fx:USDTRY', 'bist:DMBNK', 'bist:DMOST']);
    assert.deepEqual(await names(tab), ['First list', 'Mine']);
  }
  await agrees(async () => {
    const { low, high, volume, prev_close } = await api('/v1/quotes/bist:DMBNK');
    const cells = await texts(page.locator('tr[data-id="bist:DMBNK"] td'));
    assert.deepEqual(cells.slice(2, 5), [`${low} – ${high}`, prev_close, volume]);
  });

  // Nothing is lost by a deletion, and no two lists have one name.
  await button(page, 'Edit').click();
  await page.getByLabel('Name', { exact: true }).fill('First list');
  await page.keyboard.press('Enter');
  await page.getByText('Another list is called “First list”.').waitFor();
  await button(page, 'Delete this list').click();
  await agrees(async () => assert.equal(await page.getByRole('combobox', { name: 'List' }).count(), 0));
  await agrees(async () => assert.ok((await idsOf(other)).length > 3));
  await button(page, 'Undo').click();
  await shows(page, ['fx:USDTRY', 'bist:DMBNK', 'bist:DMOST']);
  assert.deepEqual(await heads(page), ['Instrument', 'Remove, move', ...columns.slice(1)]);
  await page.getByRole('combobox', { name: 'List' }).selectOption('First list');
  await agrees(async () => assert.ok((await idsOf(page)).length > 3));

  await page.setViewportSize({ width: 360, height: 800 });
  await accessible(page);
  await page.context().close();
});

test('a link shows a list that is kept only if one wants it', async () => {
  const page = await visitor.open('/');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.watchlist tbody tr').first().waitFor();
  await button(page, 'Edit').click();
  await make(page, 'Kur & Faiz', ['fx:USDTRY', 'bist:DMOST']);
  await button(page, 'Copy a link to this list').click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, new URL('/?list=Kur%20%26%20Faiz&ids=fx:USDTRY,bist:DMOST', page.url()).href);

  // Its sender has a list of that name already.
  await page.goto(`${link},bist:NOPE,'$(id)'`);
  await page.getByText('“Kur & Faiz” came with a link').waitFor();
  await shows(page, ['fx:USDTRY', 'bist:DMOST', 'bist:NOPE']);
  assert.match(await text(page.locator('tr[data-id="bist:NOPE"]')), /not known here/);
  assert.equal(await button(page, 'Edit').count(), 0);
  assert.doesNotMatch(await page.locator('.try pre').innerText(), /\$\(/);
  await accessible(page);
  await button(page, 'Keep it').click();
  await agrees(async () => assert.deepEqual(await names(page), ['First list', 'Kur & Faiz', 'Kur & Faiz (2)']));
  assert.equal(new URL(page.url()).search, '');
  await shows(page, ['fx:USDTRY', 'bist:DMOST', 'bist:NOPE']);

  // To somebody else it leaves nothing behind.
  const guest = await visitor.open(link, NARROW);
  await shows(guest, ['fx:USDTRY', 'bist:DMOST']);
  await accessible(guest);
  await picture(guest, 'watchlist-shared');
  await button(guest, 'My lists').click();
  await agrees(async () => assert.ok((await idsOf(guest)).length > 3));
  assert.equal(await guest.evaluate(() => localStorage.getItem('piyasa:lists')), null);

  // What the browser kept may be anything, and there are no more than 20 lists of 50.
  await guest.evaluate(() => {
    const many = Array.from({ length: 60 }, (_, n) => `bist:X${n}`);
    localStorage.setItem('piyasa:lists', JSON.stringify([null, 7, ...Array.from({ length: 30 }, (_, n) => ({ key: `k${n}`, name: `L${n}`, ids: n ? many : ['fx:USDTRY', 3, "'"] }))]));
  });
  await guest.goto(link);
  await guest.getByText('There are 20 lists').waitFor();
  assert.equal(await button(guest, 'Keep it').isDisabled(), true);
  await button(guest, 'My lists').click();
  await shows(guest, ['fx:USDTRY']);
  assert.equal((await names(guest)).length, 20);
  await button(guest, 'Edit').click();
  await button(guest, 'New list').click();
  await guest.getByText('There are at most 20 lists.').waitFor();
  await guest.getByRole('combobox', { name: 'List' }).selectOption('L1');
  await agrees(async () => assert.equal((await idsOf(guest)).length, 50));
  await guest.locator('.editing').getByRole('combobox').fill('DMOST');
  await guest.locator('.editing').getByRole('option').first().click();
  await guest.getByText('A list has at most 50 instruments.').waitFor();
  await guest.context().close();
  await page.context().close();
});

test('an alert on a price or a disclosure speaks once, to the last digit, in all tabs', async () => {
  const quote = (last, ago) => ({ record: 'quote', instrument_id: 'fx:SEKTRY', as_of: at(ago), last });
  store({ record: 'instrument', instrument_id: 'fx:SEKTRY', symbol: 'SEKTRY', name: 'SEK/TRY', market: 'fx', asset_type: 'FX', currency: 'TRY' }, quote('9007199254740993.1', 60));
  const page = await visitor.open('/?list=Alerts&ids=fx:SEKTRY,bist:DMOST');
  await page.context().addInitScript(() => {
    window.notified = [];
    window.Notification = class {
      static permission = localStorage.getItem('allowed') ?? 'default';
      static requestPermission = async () => {
        localStorage.setItem('allowed', 'granted');
        return (window.Notification.permission = 'granted');
      };
      constructor(title, { body, tag }) {
        window.notified.push([title, body, tag]);
      }
    };
  });
  await page.reload();
  await button(page, 'Keep it').click();
  await shows(page, ['fx:SEKTRY', 'bist:DMOST']);
  await page.locator('tr[data-id="fx:SEKTRY"]', { hasText: '9007199254740993.1' }).waitFor();
  await button(page, 'Alerts').click();
  const panel = page.getByRole('region', { name: 'Alerts' });
  await panel.getByRole('button', { name: 'Also notify me outside this page' }).click();
  await panel.getByText('as a notification and here').waitFor();
  await panel.getByLabel('Price').fill('41,2.5');
  await panel.getByRole('button', { name: 'Set the alert' }).click();
  await panel.getByText('A number is written like 1234.5, without a mark between thousands; “41,2.5” is not.').waitFor();
  for (const price of ['9007199254740993.2', '9007199254740993.3']) {
    await panel.getByLabel('Price').fill(price); // as floats, both are the price of now
    await panel.getByRole('button', { name: 'Set the alert' }).click();
    await panel.getByText(`SEK/TRY at ${price} or above`).waitFor();
  }
  await panel.getByLabel('Instrument').selectOption('bist:DMOST');
  await panel.getByLabel('Alert on').selectOption('disclosure');
  await panel.getByRole('button', { name: 'Set the alert' }).click();
  await panel.getByText('a new disclosure of').waitFor();
  await accessible(page);
  await picture(page, 'alerts');

  const other = await page.context().newPage();
  await other.goto(page.url());
  await button(other, 'Alerts').click();
  await other.getByRole('combobox', { name: 'List' }).selectOption('First list'); // alerts are followed whatever list is shown
  await other.locator('.watchlist tr[data-id="fx:USDTRY"]').waitFor();
  const said = tab => texts(tab.locator('.alerts .note span'));
  const notified = async () => [...(await page.evaluate(() => window.notified)), ...(await other.evaluate(() => window.notified))].map(([title, body]) => `${title}: ${body}`);
  assert.deepEqual([await said(page), await said(other), await notified()], [[], [], []]);

  store(quote('9007199254740993.2', 0));
  const reached = 'SEK/TRY at 9007199254740993.2 or above: SEK/TRY is at 9007199254740993.2 TRY.';
  for (const tab of [page, other]) await agrees(async () => assert.deepEqual(await said(tab), [reached]));
  const disclosure = index => ({ record: 'disclosure', disclosure_index: index, type: 'ODA', class: 'ODA', symbols: ['DMOST'], filer_codes: ['DMOST'], published_at: at(), reason: 'NEW', subject: { tr: 'Deneme', en: 'Test' } });
  store(disclosure(1_920_001));
  for (const tab of [page, other]) await agrees(async () => assert.match((await said(tab))[1] ?? '', /has disclosed: Test$/));
  store(disclosure(1_920_002));
  await page.locator('.news', { hasText: 'Test' }).waitFor();
  const spoken = await said(page);
  assert.equal(spoken.length, 2);
  assert.deepEqual((await notified()).sort(), [...spoken].sort(), 'each once');

  // What a tab dismisses is gone in the other, and nothing speaks again.
  await page.getByRole('button', { name: 'Dismiss: SEK/TRY' }).click();
  await agrees(async () => assert.equal((await said(other)).length, 1));
  await page.reload();
  await agrees(async () => assert.deepEqual(await said(page), [spoken[1]]));
  await button(page, 'Alerts').click();
  await page.getByText('SEK/TRY at 9007199254740993.3 or above').waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await accessible(page);
  await page.context().close();
});

test('where the browser allows no notifications, the page says so and speaks itself', async () => {
  const page = await visitor.open('/');
  await page.context().addInitScript(() => (window.Notification = class { static permission = 'denied'; }));
  await page.reload();
  await page.locator('.watchlist tr[data-id="fx:USDTRY"] .num').first().waitFor();
  await button(page, 'Alerts').click();
  const panel = page.getByRole('region', { name: 'Alerts' });
  await panel.getByText('This browser does not let the page notify you.').waitFor();
  await panel.getByLabel('Instrument').selectOption('fx:USDTRY');
  await panel.getByLabel('Alert on').selectOption('below');
  await panel.getByLabel('Price').fill('100000');
  await panel.getByRole('button', { name: 'Set the alert' }).click();
  await page.locator('.alerts .note', { hasText: 'at 100000 or below' }).waitFor();
  await page.setViewportSize({ width: NARROW.width, height: NARROW.height });
  await accessible(page);
  await picture(page, 'alerts-narrow');
  await page.context().close();
});

test('the keyboard keeps its place when what it was on is gone', async () => {
  const page = await visitor.open('/');
  await page.context().addInitScript(() => {
    window.Notification = class {
      static permission = 'default';
      static requestPermission = async () => (this.permission = 'denied');
    };
  });
  await page.reload();
  await page.locator('.watchlist tbody tr').first().waitFor();
  await button(page, 'Edit').click();
  await make(page, 'Keys', ['bist:DMOST', 'bist:DMBNK', 'fx:USDTRY']);
  const remove = id => page.locator(`tr[data-id="${id}"]`).getByRole('button', { name: /^Remove/ });
  await remove('fx:USDTRY').waitFor();
  const label = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  await keepsFocus(page, () => remove('bist:DMBNK').press('Enter'));
  assert.match(await label(), /^Remove /); // that of a row beside it
  await keepsFocus(page, () => page.keyboard.press('Enter'));
  assert.match(await label(), /^Remove /);
  await keepsFocus(page, () => page.keyboard.press('Enter'));
  await keepsFocus(page, () => button(page, 'Delete this list').press('Enter'));
  await keepsFocus(page, () => button(page, 'Undo').press('Enter'));

  await page.getByRole('combobox', { name: 'List' }).selectOption('First list');
  await page.locator('.watchlist tr[data-id="fx:USDTRY"] .num').first().waitFor();
  await button(page, 'Alerts').click();
  const panel = page.getByRole('region', { name: 'Alerts' });
  await panel.getByLabel('Instrument').selectOption('fx:USDTRY');
  const alert = async (on, price) => {
    await panel.getByLabel('Alert on').selectOption(on);
    await panel.getByLabel('Price').fill(price);
    await panel.getByRole('button', { name: 'Set the alert' }).click();
  };
  await alert('above', '100000');
  await keepsFocus(page, () => panel.getByRole('button', { name: /^Remove:/ }).press('Enter'));
  await alert('below', '100000');
  await keepsFocus(page, () => page.getByRole('button', { name: /^Dismiss/ }).press('Enter'));
  await keepsFocus(page, () => panel.getByRole('button', { name: 'Also notify me outside this page' }).press('Enter'));
  await page.getByText('This browser does not let the page notify you.').waitFor();
  await page.context().close();
});

/** Holds back what a list asks for until the returned function is called; with an answer, that is the answer. */
async function hold(page, json) {
  let go;
  const held = new Promise(resume => (go = resume));
  const on = async route => {
    if (!route.request().postData().includes('query Watchlist')) return route.continue();
    if (json) return route.fulfill({ json });
    await held;
    return route.continue().catch(() => {}); // a newer request has replaced it
  };
  await page.route('**/graphql', on);
  return async () => {
    go();
    await page.unroute('**/graphql', on);
  };
}

test('a list is awaited without a word that it is empty, and keeps what is not drawn yet', async () => {
  const page = await visitor.open('/');
  await page.evaluate(() => {
    const lists = { A: ['bist:DMOST', 'bist:DMBNK'], B: ['fx:USDTRY'], C: ['crypto:BTCUSDT'] };
    localStorage.setItem('piyasa:lists', JSON.stringify(Object.entries(lists).map(([name, ids]) => ({ key: name, name, ids }))));
    localStorage.setItem('piyasa:list', 'A');
  });
  await page.reload();
  await shows(page, ['bist:DMOST', 'bist:DMBNK']);
  await page.evaluate(() => {
    window.said = [];
    const look = () => window.said.push(...(document.querySelector('.watchlist').innerText.match(/not known here|The list is empty/g) ?? []));
    new MutationObserver(look).observe(document.querySelector('.watchlist'), { childList: true, subtree: true, characterData: true });
  });
  const choose = name => page.getByRole('combobox', { name: 'List' }).selectOption(name);
  let go = await hold(page);
  await choose('B');
  await page.locator('.watchlist').getByText('Quotes …').waitFor();
  await go();
  await shows(page, ['fx:USDTRY']);
  go = await hold(page, { data: null, errors: [{ message: 'Not today.' }] });
  await choose('C');
  await page.locator('.watchlist').getByText('Not today.').waitFor();
  await go();
  await choose('A');
  await shows(page, ['bist:DMOST', 'bist:DMBNK']);
  assert.deepEqual(await page.evaluate(() => window.said), []);

  await button(page, 'Edit').click();
  go = await hold(page);
  await page.locator('.editing').getByRole('combobox').fill('fx:USDTRY');
  await page.locator('.editing').getByRole('option').filter({ hasText: 'fx:USDTRY' }).first().click();
  const { name } = await api('/v1/instruments/bist:DMOST');
  await button(page, `Move ${name} down`).click();
  await go();
  await shows(page, ['bist:DMBNK', 'bist:DMOST', 'fx:USDTRY']);
  await page.context().close();
});

test('a list that another tab deletes is no longer edited', async () => {
  const page = await visitor.open('/');
  await page.locator('.watchlist tbody tr').first().waitFor();
  await button(page, 'Edit').click();
  await make(page, 'Short', ['bist:DMOST']);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await shows(other, ['bist:DMOST']);
  await button(other, 'Edit').click();
  await button(other, 'Delete this list').click();
  await page.getByText('Another tab has deleted the list that you edited. This is “First list”.').waitFor();
  assert.equal(await page.locator('.watchlist').getByRole('button', { name: /^Remove/ }).count(), 0);
  assert.equal(await button(page, 'Edit').getAttribute('aria-pressed'), 'false');
  await button(page, 'Edit').click();
  await page.locator('.watchlist').getByRole('button', { name: /^Remove/ }).first().waitFor();
  await page.context().close();
});

test('a link says what of it is not shown', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `bist:X${n}`).join();
  const page = await visitor.open(`/?list=Long&ids=${ids}`);
  await page.getByText('50 of 100: a list has at most 50 instruments.').waitFor();
  await page.goto(new URL('/?list=x&ids=$$$', page.url()).href);
  await page.getByText('The link names no instrument. This is your own list.').waitFor();
  await accessible(page);
  await page.locator('.watchlist').getByRole('button', { name: 'Dismiss' }).click();
  assert.equal(new URL(page.url()).search, '');
  await page.goto(new URL(`/compare?ids=${ids}`, page.url()).href);
  await page.getByText('10 of 100: at most 10 instruments are compared.').waitFor();
  await page.context().close();
});

test('has made no other requests and no complaints', () => visitor.behaved());
