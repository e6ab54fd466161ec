// The pages in Turkish: every text has its words, and numbers and dates are written as the language does.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { accessible, api, NARROW, picture, text, Visitor } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => {
  visitor?.behaved();
  return visitor?.leave();
});

test('every text of the pages is in the dictionary', () => {
  const dictionary = readFileSync('src/site/tr.ts', 'utf8');
  const missing = [];
  const look = key => {
    const plain = /^[A-Za-z_$][\w$]*$/.test(key) ? `\n  ${key}:` : `'${key.replaceAll("'", "\\'")}':`;
    if (!dictionary.includes(plain)) missing.push(key);
  };
  for (const folder of ['src/pages', 'src/site']) {
    for (const file of readdirSync(folder).filter(name => /\.tsx?$/.test(name) && name !== 'tr.ts')) {
      for (const [, key] of readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g)) look(key.replaceAll("\\'", "'"));
    }
  }
  // Reasons: those that the pages have words for, those of empty lists, and those of a stream without a quote.
  const reasons = [
    ...['why', 'factors', 'coverage'].flatMap(page => [...readFileSync(`src/pages/${page}.tsx`, 'utf8').matchAll(/^  [a-z_]+: '((?:[^'\\]|\\.)*)',$/gm)]),
    ...readFileSync('../../internal/value/missing_reason.go', 'utf8').matchAll(/^\t\w+: +"(.*)",$/gm),
  ].map(([, key]) => key);
  const [, unquoted] = /NullReason .*enum:"(.*)"/.exec(readFileSync('../../serve/stream/graphql_events.go', 'utf8'));
  assert.ok(reasons.length > 30);
  [...reasons, ...unquoted.split(',').map(reason => reason.replaceAll('_', ' '))].forEach(look);
  for (const [, key] of readFileSync('page.html', 'utf8').matchAll(/ data-t>([^<{]+)</g)) look(key);
  assert.deepEqual([...new Set(missing)], []);
});

test('every reason that the pages show is in the language of the page', () => {
  const bare = readdirSync('src/pages')
    .filter(name => name !== 'why.tsx')
    .filter(name => /(missingReason[?!]?\.message|[^(]\b(REASONS|UNKNOWN|NOTES)\[|(?<!t\([\w.]*)[Rr]eason\.replaceAll)/.test(readFileSync(`src/pages/${name}`, 'utf8')));
  assert.deepEqual(bare, []);
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
