// The pages in Turkish: numbers and dates are written as the language does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, api, NARROW, picture, text, Visitor } from './browser.mjs';

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
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor();
  await page.context().close();
});
