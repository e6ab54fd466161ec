// The pages in Turkish: numbers and dates are written as the language does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, NARROW, picture, text, Visitor } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => {
  visitor?.behaved();
  return visitor?.leave();
});

test('a Turkish browser gets Turkish pages, and the exact text with one click', async () => {
  const page = await visitor.open('/instruments/bist:DMOST', { ...NARROW, locale: 'tr-TR' });
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'tr');
  await page.getByRole('link', { name: 'Piyasalar' }).waitFor();
  await page.getByRole('heading', { name: 'Değerleme' }).waitFor();
  const { last } = await api('/v1/quotes/bist:DMOST');
  assert.match(await text(page.locator('.price')), /\d,\d\d/);
  await page.getByRole('button', { name: 'Rakamlar API’nin yazdığı gibi' }).click();
  assert.match(await text(page.locator('.price')), /\d\.\d\d/);
  assert.ok(last.includes('.'));
  await accessible(page);
  await page.goto(new URL('/screener', page.url()).href);
  await page.getByRole('heading', { name: 'Tarayıcı', level: 1 }).waitFor();
  await accessible(page);
  await page.context().close();
});

test('the language is chosen by hand, and stays', async () => {
  const page = await visitor.open('/markets');
  await page.getByRole('heading', { name: 'Markets', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Türkçe' }).click();
  await page.getByRole('heading', { name: 'Piyasalar', level: 1 }).waitFor();
  await page.locator('.tile').first().waitFor();
  await picture(page, 'markets-turkish');
  await page.goto(new URL('/status', page.url()).href);
  await page.getByRole('heading', { name: 'Durum', level: 1 }).waitFor();
  await page.goto(new URL('/docs/rest/quote', page.url()).href);
  await page.getByRole('tab', { name: 'Python' }).first().click(); // which is a language of its own
  await page.goto(new URL('/status', page.url()).href);
  await page.getByRole('heading', { name: 'Durum', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor();
  await page.context().close();
});

test('what is in English only says so, and the navigation shows where one is', async () => {
  const look = { ...NARROW, locale: 'tr-TR' };
  for (const path of ['/docs', '/docs/rest/quotes', '/graphiql']) {
    const page = await visitor.open(path, look);
    await page.locator('html[lang=tr] main[lang=en]').waitFor({ state: 'attached' });
    await page.context().close();
  }
  const page = await visitor.open('/status', look);
  await page.getByRole('heading', { name: 'Durum', level: 1 }).waitFor();
  assert.equal(await page.locator('main').getAttribute('lang'), null);
  await agrees(async () => {
    const box = await page.locator('.doors [aria-current]').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= NARROW.width, `${box.x} and ${box.width} wide`);
  });
  await page.context().close();
});

test('a browser that keeps nothing, or has no room, has every page for as long as it is open', async () => {
  const full = () => (Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); });
  const closed = () => Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('closed', 'SecurityError'); } });
  for (const [odd, paths] of [[full, ['/', '/disclosures']], [closed, ['/', '/disclosures', '/instruments/bist:DMOST']]]) {
    const page = await visitor.open('/status');
    await page.context().addInitScript(odd);
    for (const path of paths) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator(path === '/disclosures' ? '.feed > li.unread h3 a' : 'main table tbody tr').first().waitFor();
    }
    await page.goto(new URL('/disclosures', page.url()).href);
    await page.locator('.feed > li.unread h3 a').first().click();
    await page.locator('.feed > li:not(.unread)').first().waitFor();
    await page.context().close();
  }
});

test('what the data names is in the language of the page, too', async () => {
  const page = await visitor.open('/instruments/bist:DMOST', { locale: 'tr-TR' });
  const table = name => page.getByRole('table', { name });
  const valued = table('Göstergeler').filter({ hasText: 'F/K' });
  await valued.waitFor();
  assert.deepEqual(await valued.locator('th[scope=col]').allTextContents(), ['Gösterge', 'Değer', 'Kaynak']);
  assert.doesNotMatch(await text(valued), /EBITDA|mega/);
  await page.getByText('Yatırım tavsiyesi değildir.').waitFor();
  assert.match(await text(page.locator('.head')), /hisse/);
  assert.match(await text(table('Değişimler')), /1 hafta.*1 ay/s);
  assert.match(await text(page.locator('[aria-labelledby=indicators]')), /macd\s+sinyal/i);
  await page.goto(new URL('/status', page.url()).href);
  const stored = table('Kayıtlı olanlar');
  await stored.waitFor();
  assert.match(await text(stored), /\d+ işlem günü · \d+ boşluk/);
  assert.doesNotMatch(await text(stored), /\bgaps?\b|no_day|trading days?/);
  await page.goto(new URL('/nope', page.url()).href);
  await page.getByRole('heading', { name: 'Bulunamadı' }).waitFor();
  visitor.complaints = visitor.complaints.filter(text => !/status of 404/.test(text)); // of that page
  await page.context().close();
  const english = await visitor.open('/disclosures');
  assert.equal(await english.getByRole('searchbox', { name: 'Words' }).getAttribute('placeholder'), 'buyback, "capital increase", -fund');
  await english.context().close();
});

test('the price of an alert is written as the language does, and what could be two is refused', async () => {
  for (const [locale, alerts, price, set, cases] of [
    [
      'tr-TR',
      'Uyarılar',
      'Fiyat',
      'Uyarıyı kur',
      { '1,5': '1,5', '1.234,5': '1234,5', '1 234,5': '1234,5', 41.25: '41,25', 1.234: null, x: null, '1,': null },
    ],
    [
      'en-GB',
      'Alerts',
      'Price',
      'Set the alert',
      { 1.5: '1.5', '1,234.5': '1234.5', '1,234,567': '1234567', '1,234': null, '1,2.3': null },
    ],
  ]) {
    const page = await visitor.open('/', { locale });
    await page.getByRole('button', { name: alerts, exact: true }).click();
    const panel = page.locator('section.editing');
    const field = panel.getByRole('textbox', { name: price });
    for (const [typed, said] of Object.entries(cases)) {
      const before = await panel.locator('li').count();
      await field.fill(typed);
      await panel.getByRole('button', { name: set }).click();
      if (said === null) {
        assert.ok((await text(panel.getByRole('alert'))).includes(typed));
        assert.ok((await panel.locator('li').count()) <= before, typed); // one set earlier may have been reached meanwhile
      } else {
        await page
          .locator('.alerts .note, .editing li', { hasText: new RegExp(`(^|\\s)${said}\\s`) })
          .first()
          .waitFor();
      }
    }
    await page.context().close();
  }
});

test('a time is that of the visitor, and the title has its zone, also where it lies ahead of the clock', async () => {
  const page = await visitor.open('/', { locale: 'en-GB', timezoneId: 'America/New_York' });
  await page.route('**/graphql', async route => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const row of body.data?.disclosures?.items ?? []) row.publishedAt = '2099-01-02T13:06:00Z';
    await route.fulfill({ response: answer, json: body });
  });
  await page.reload();
  const time = page.locator('[aria-labelledby=newest] time').first();
  await time.waitFor();
  assert.equal(await text(time), '2 Jan 2099, 08:06');
  assert.match(await time.getAttribute('title'), /08:06:00 (EST|GMT-5) \(2099-01-02T13:06:00Z\)/);
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().close();
});

test('an old price has its age, and no delay of its publication', async () => {
  for (const [hours, said] of [
    [1, /observed .* ago, published 15 min late/],
    [130 * 24, /observed 130 days ago$/],
  ]) {
    const page = await visitor.open('/docs');
    await page.routeWebSocket(/\/graphql$/, () => {}); // which would bring the newest one
    await page.route('**/graphql', async route => {
      const answer = await route.fetch();
      const body = await answer.json();
      if (body.data?.quote) body.data.quote.asOf = new Date(Date.now() - hours * 3_600_000).toISOString();
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto(new URL('/instruments/index:DMUS500', page.url()).href);
    const price = page.locator('.price .small', { hasText: 'observed' });
    await price.waitFor();
    assert.match((await text(price)).trim(), said);
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().close();
  }
});
