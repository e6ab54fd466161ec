// The reader of disclosures: filters, older ones, a document with what corrects it, what is new, and what has been read.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, keepsFocus, NARROW, picture, text, texts, Visitor } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => {
  visitor?.behaved();
  return visitor?.leave();
});

const shown = page => page.locator('.feed > li').evaluateAll(all => all.map(row => Number(row.dataset.index)));

/** Stores disclosures. */
function store(...lines) {
  const at = new Date().toISOString().replace(/\.\d+/, '');
  const text = lines.map(line => JSON.stringify({ record: 'disclosure', type: 'ODA', class: 'ODA', symbols: ['DMOST'], filer_codes: ['DMOST'], published_at: at, reason: 'NEW', ...line }));
  const { status, stderr } = spawnSync('../../bin/piyasa', ['ingest', '-'], { input: text.join('\n') + '\n', encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
}

test('the list has what the API has, and older ones follow', async () => {
  const page = await visitor.open('/disclosures');
  await page.locator('.feed > li').first().waitFor();
  // New ones come meanwhile: the list is a part of what the API has, without a hole.
  const agreesWithAPI = async least => {
    const { items } = await api('/v1/kap-feed/disclosures?limit=100');
    const [all, some] = [items.map(row => row.disclosure_index), await shown(page)];
    assert.ok(some.length >= least, `${some.length} shown`);
    const at = all.indexOf(some[0]);
    assert.deepEqual(some, all.slice(at, at + some.length));
  };
  await agrees(() => agreesWithAPI(40));
  await page.getByRole('button', { name: 'Older ones' }).click();
  await agrees(() => agreesWithAPI(50));
  await page.getByLabel('Company').fill('dmost');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await agrees(async () => {
    const { items } = await api('/v1/kap-feed/disclosures?symbol=DMOST&limit=40');
    assert.deepEqual(await shown(page), items.map(row => row.disclosure_index));
  });
  assert.match(page.url(), /symbol=dmost/);

  // A name leads to its code; several codes are one list; what is no name says so.
  const company = async typed => {
    await page.getByLabel('Company').fill(typed);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
  };
  await company('demo otomotiv');
  await page.waitForURL(/symbol=DMOST/);
  assert.equal(await page.getByLabel('Company').inputValue(), 'DMOST');
  await company('dmost, DMBNK');
  await agrees(async () => {
    const { items } = await api('/v1/kap-feed/disclosures?symbols=DMOST,DMBNK&limit=40');
    assert.deepEqual(await shown(page), items.map(row => row.disclosure_index));
  });
  await company('no such company');
  await page.getByText('No company or fund is found by “no such company”.').waitFor();
  await company('otomotiv');
  await page.locator('.card', { hasText: 'Did you mean' }).getByRole('button', { name: 'DMOST' }).click();
  await page.waitForURL(/symbol=DMOST/);
  await page.locator('.feed > li').first().waitFor();
  await accessible(page);
  await page.context().close();
});

test('words are searched, and a document opens with what corrects it', async () => {
  store(
    { disclosure_index: 1_910_001, subject: { tr: 'Pay Geri Alım Programı', en: 'Share Buyback Programme of Zeytinlik' }, summary: { tr: 'Geri alınan paylar hakkında', en: null } },
    { disclosure_index: 1_910_002, reason: 'CORR', related_index: 1_910_001, subject: { tr: 'Pay Geri Alım Programı (düzeltme)', en: 'Share Buyback Programme of Zeytinlik, corrected' } },
  );
  const page = await visitor.open('/disclosures?q=zeytinlik+buybacks');
  await agrees(async () => assert.deepEqual(await shown(page), [1_910_002, 1_910_001]), () => page.reload().then(() => page.locator('.feed > li').first().waitFor()));
  assert.equal(await page.locator('.feed > li.unread').count(), 2);
  await page.locator('[data-index="1910001"] h3 a').click();
  await page.waitForURL('**/disclosures/1910001?q=zeytinlik+buybacks');
  await page.locator('[data-index="1910001"]').getByText('There is a correction:').waitFor();
  assert.equal(await page.locator('.feed > li.unread').count(), 1);
  await page.locator('[data-index="1910001"] .note a').click();
  await page.waitForURL('**/disclosures/1910002');
  await page.getByText('correction of').first().waitFor();
  await page.locator('a[href="/disclosures/1910001"]').first().waitFor();
  await accessible(page);
  await picture(page, 'disclosures');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.locator('.feed > li.unread').first().waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('.feed > li').first().waitFor();
  assert.equal(await page.locator('.feed > li.unread').count(), 0);
  await page.context().close();
});

test('the time that people ask for is one choice, and in the address', async () => {
  const page = await visitor.open('/disclosures');
  await page.locator('.feed > li').first().waitFor();
  await page.getByLabel('Since').selectOption({ label: 'this month' });
  await page.waitForURL(/from=\d{4}-\d\d-01/);
  const from = new URL(page.url()).searchParams.get('from');
  const { items } = await api(`/v1/kap-feed/disclosures?from=${from}&limit=100`);
  await page.waitForFunction(many => document.querySelectorAll('.feed > li').length === many, Math.min(items.length, 40));
  await page.reload();
  assert.equal(await page.getByLabel('Since').inputValue(), from);
  await page.context().close();
});

test('the way back undoes what the address had, and a number that no disclosure can have says so', async () => {
  const page = await visitor.open('/disclosures');
  await page.locator('.feed h3 a').first().click();
  await page.waitForURL(/disclosures\/\d+$/);
  await page.getByLabel('Type').selectOption('FR');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/type=FR/);
  await page.goBack();
  await page.waitForURL(/disclosures$/);
  await agrees(async () => assert.equal(await page.getByLabel('Type').inputValue(), ''));
  const { items } = await api('/v1/kap-feed/disclosures?limit=40');
  await agrees(async () => assert.deepEqual(await shown(page), items.map(item => item.disclosure_index)));
  await page.goto(new URL('/disclosures/99999999999999999999', page.url()).href);
  await page.getByText('No disclosure has the number 99999999999999999999.').waitFor();
  await page.goto(new URL('/disclosures/1999999999', page.url()).href);
  await page.getByText('This server does not have disclosure 1999999999.').waitFor();
  await keepsFocus(page, () => page.getByRole('button', { name: 'Older ones' }).press('Enter'));
  await page.waitForFunction(() => document.querySelectorAll('.feed > li').length > 40);
  await page.context().close();
});

test('what is stored meanwhile is counted, and shown when it is asked for', async () => {
  const page = await visitor.open('/disclosures?symbol=DMBNK', NARROW);
  await page.locator('.feed > li').first().waitFor();
  await page.locator('.tag', { hasText: 'connected' }).waitFor();
  const before = await shown(page);
  store({ disclosure_index: 1_910_003, symbols: ['DMBNK'], filer_codes: ['DMBNK'], subject: { tr: 'Deneme', en: 'A test' } });
  const fresh = page.getByRole('button', { name: /^\d+ new$/ });
  await fresh.waitFor();
  assert.deepEqual(await shown(page), before);
  await fresh.click();
  await page.locator('[data-index="1910003"]').waitFor();
  await accessible(page);
  await page.context().close();
});

test('of what is stored meanwhile, only what passes the filters is counted', async () => {
  const page = await visitor.open('/disclosures?symbol=DMBNK&type=ODA&q=kavaklidere');
  await page.getByText('0 shown').waitFor({ state: 'attached' });
  await page.locator('.tag', { hasText: 'connected' }).waitFor();
  await page.waitForTimeout(1500); // it has asked what came since the list
  let asked = 0;
  page.on('request', request => (asked += Number(!!request.postData()?.includes('query Disclosures'))));
  const of = (disclosure_index, word, type = 'ODA') => ({ disclosure_index, type, class: type, symbols: ['DMBNK'], filer_codes: ['DMBNK'], subject: { tr: word, en: word } });
  store(of(1_910_010, 'Another'), of(1_910_011, 'Kavaklidere'), of(1_910_012, 'Kavaklidere', 'DG'), of(1_910_013, 'Another'), of(1_910_014, 'Kavaklidere'));
  const fresh = page.getByRole('button', { name: /^\d+ new$/ });
  await fresh.waitFor();
  await agrees(async () => assert.equal(await text(fresh), '2 new'));
  assert.ok(asked <= 2, `${asked} questions for one burst`);
  await fresh.click();
  await agrees(async () => assert.deepEqual(await shown(page), [1_910_014, 1_910_011]));
  await page.context().close();
});

test('the list comes by itself when the server is back, or when it says so', async () => {
  const own = await Visitor.come(); // the browser itself complains of these answers
  for (const answer of [
    { status: 502, contentType: 'text/html', body: '<html>' },
    { status: 429, headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '7' }, body: '{"title":"Rate limited","detail":"Slowly.","status":429}' },
  ]) {
    const page = await own.open('/status');
    await page.route('**/graphql', route => route.fulfill(answer));
    await page.goto(new URL('/disclosures', page.url()).href);
    const trouble = page.locator('main [role=alert]');
    await trouble.waitFor();
    assert.equal(await trouble.getByText('The page tries again in 7 s.').count(), Number(answer.status === 429));
    await page.unroute('**/graphql');
    await page.locator('.feed > li').first().waitFor();
    await trouble.waitFor({ state: 'detached' });
    await page.context().close();
  }
  await own.leave();
});

test('a document has tables, and the price around it', async () => {
  const { items } = await api('/v1/kap-feed/disclosures?symbol=DMOST&type=FR&limit=1');
  const page = await visitor.open(`/disclosures/${items[0].disclosure_index}`);
  await page.getByRole('table', { name: 'The price around it' }).waitFor();
  assert.match(await text(page.locator('.reading')), new RegExp(`FR[\\s\\S]*DMOST[\\s\\S]*${items[0].published_at.slice(0, 4)}`));
  assert.match(await text(page.getByRole('table', { name: 'The price around it' })), /Demo Otomotiv/);
  assert.ok((await texts(page.locator('.body-text .tag'))).some(text => /^\d{4}$/.test(text)));
  await accessible(page);
  await page.context().close();
});

/** Changes what the page gets of a disclosure. */
const altered = (page, change) =>
  page.route('**/graphql', async route => {
    if (!route.request().postDataJSON().query.startsWith('query Disclosure(')) return route.continue();
    const answer = await route.fetch();
    const body = await answer.json();
    change(body.data.disclosure);
    return route.fulfill({ response: answer, json: body });
  });

test('a link to a document that has expired meanwhile is asked for again', async () => {
  const index = 1_910_004;
  store({ disclosure_index: index, subject: { tr: 'Belge', en: 'A document' }, attachments: [{ name: 'report.pdf', location: 'ipo/dmdep/1.pdf' }] }); // which the demo has
  const page = await visitor.open('/status');
  await altered(page, of => {
    for (const document of of.attachments) Object.assign(document, { url: `${document.url}x`, expiresAt: new Date().toISOString() });
  });
  await page.goto(new URL(`/disclosures/${index}`, page.url()).href);
  const address = page.url();
  for (const button of ['left', 'middle']) {
    const saving = page.waitForEvent('download');
    await page.locator('.body-text').getByRole('link', { name: 'report.pdf' }).click({ button });
    assert.equal((await saving).suggestedFilename(), 'report.pdf');
    assert.equal(page.url(), address);
  }
  await page.context().close();
});

test('of a report with many facts the table draws some, and all of them at a click; all are saved', async () => {
  const { items } = await api('/v1/kap-feed/disclosures?symbol=DMOST&type=FR&limit=1');
  const page = await visitor.open('/status');
  await altered(page, of => {
    of.facts = Array.from({ length: 1200 }, (_, n) => ({ concept: `c${n}`, label: null, value: `${n}`, unit: 'TRY', contextId: 'x' }));
  });
  await page.goto(new URL(`/disclosures/${items[0].disclosure_index}`, page.url()).href);
  await page.getByText('1200 facts').click();
  const facts = page.locator('details', { hasText: '1200 facts' });
  const drawn = await facts.locator('tbody tr').count();
  assert.ok(drawn > 0 && drawn < 1200, `${drawn}`);
  const saving = page.waitForEvent('download');
  await facts.getByRole('button', { name: 'CSV' }).click();
  assert.equal(readFileSync(await (await saving).path(), 'utf8').trim().split('\n').length, 1201);
  await keepsFocus(page, () => facts.getByRole('button', { name: 'Show all 1200 rows' }).press('Enter'));
  assert.equal(await facts.locator('tbody tr').count(), 1200);
  await page.context().close();
});
