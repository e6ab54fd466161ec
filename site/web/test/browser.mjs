// What the tests of pages share. From the caller:
//   PIYASA_URL         where a demo listens (required)
//   PIYASA_KEY         its API key
//   PIYASA_KEYS_PAGE   address of its page of keys, with the password
//   SCREENSHOTS        folder where to save pictures of the pages, NAME.png and NAME-dark.png; none: no pictures
//   CHROMIUM           the browser, if not /usr/bin/chromium
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const { PIYASA_URL, PIYASA_KEY, PIYASA_KEYS_PAGE, SCREENSHOTS, CHROMIUM = '/usr/bin/chromium' } = process.env;

/** A desk by day. */
export const WIDE = { width: 1400, height: 900, dark: false };
/** A phone at night. */
export const NARROW = { width: 390, height: 844, dark: true };

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A browser, and what its pages asked for and complained of. */
export class Visitor {
  requests = [];
  complaints = [];

  static async come() {
    assert.ok(PIYASA_URL, 'PIYASA_URL must name a running demo');
    const visitor = new Visitor();
    visitor.browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--no-first-run'],
    });
    return visitor;
  }

  /**
   * Opens a page of the demo, or of another address. Violations of the Content-Security-Policy are console errors. `late` says by how
   * many milliseconds the page's nth request to the API is held back.
   */
  async open(path, look = {}) {
    const { width, height, dark, locale = 'en-GB', timezoneId = 'UTC', touch = false, late } = { ...WIDE, ...look };
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', locale, timezoneId, hasTouch: touch });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    context.on('request', request => this.requests.push(request.url()));
    page.on('websocket', socket => this.requests.push(socket.url().replace('ws', 'http')));
    page.on('console', message => message.type() === 'error' && this.complaints.push(`${path}: ${message.text()}`));
    page.on('pageerror', error => this.complaints.push(`${path}: ${error}`));
    let asked = 0;
    if (late)
      await page.route(/\/(graphql|v1\/)/, async route => {
        await new Promise(resume => setTimeout(resume, late(asked++)));
        await route.continue().catch(() => {}); // the page is closed
      });
    await page.goto(new URL(path, PIYASA_URL).href);
    return page;
  }

  /** Fails if anything went to another host, or a page complained. */
  behaved(of = PIYASA_URL) {
    const { origin } = new URL(of);
    assert.ok(this.requests.length > 0);
    assert.deepEqual(
      this.requests.filter(url => !/^(data|blob):/.test(url) && new URL(url).origin !== origin),
      [],
    );
    assert.deepEqual(this.complaints, []);
  }

  leave() {
    return this.browser.close();
  }
}

/** Fails with every violation of WCAG 2.2 AA that axe finds, if a table of data cannot be taken away, and if the page scrolls sideways. */
export async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(node => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`),
    ),
  );
  assert.deepEqual(found, []);
  await told(page);
  const kept = await page.evaluate(() =>
    [...document.querySelectorAll('main table:not([aria-label=Keys])')]
      // What a picture shows is taken away beside it; keys are not data.
      .filter(table => table.checkVisibility() && !table.closest('.bars, [aria-hidden=true]'))
      .filter(table => [/CSV/, /curl/, /Python/].some(way => !way.test(table.parentElement.nextElementSibling?.innerText)))
      .map(table => table.outerHTML.slice(0, 160)),
  );
  assert.deepEqual(kept, [], 'a table without CSV, curl and Python');
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `the page is ${wide} wide in a window of ${window}`);
}

/** Fails where a screen reader would not say what is there, though axe allows it: tables without a name, and headings out of their order. */
export async function told(page) {
  const wrong = await page.evaluate(() => {
    const seen = of => [...document.querySelectorAll(of)].filter(element => element.checkVisibility() && !element.closest('[aria-hidden=true]'));
    const nameless = seen('table').filter(table => !table.caption && !table.ariaLabel && !table.hasAttribute('aria-labelledby'));
    const headings = seen('h1, h2, h3, h4, h5, h6');
    const astray = headings.filter((heading, n) => (n === 0) !== (heading.tagName === 'H1') || (n && heading.tagName[1] - headings[n - 1].tagName[1] > 1));
    return [...nameless, ...astray].map(element => element.outerHTML.slice(0, 160));
  });
  assert.deepEqual(wrong, []);
}

/** The text of an element, and of each of several, as people see it. */
export const text = async locator => (await locator.innerText()).trim();
export const texts = async locator => (await locator.allInnerTexts()).map(text => text.trim());

/** Fails if an action has left the keyboard nowhere, now or a little later. */
export async function keepsFocus(page, act) {
  await act();
  const held = () => page.evaluate(() => document.activeElement !== document.body);
  await agrees(async () => assert.ok(await held(), `the focus is nowhere after ${act}`));
  await page.waitForTimeout(300);
  assert.ok(await held(), `the focus is nowhere a while after ${act}`);
}

/** Asks the API. */
export async function api(path) {
  const response = await fetch(PIYASA_URL + path, { headers: { 'X-API-Key': PIYASA_KEY } });
  assert.equal(response.status, 200, path);
  return response.json();
}

/** Tries until what it compares agrees, since data moves meanwhile; `anew` makes the page ask again for what it asks for rarely. */
export async function agrees(compare, anew = () => {}) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await compare();
    } catch (error) {
      if (Date.now() > deadline || error.code !== 'ERR_ASSERTION') throw error;
      await new Promise(resume => setTimeout(resume, 100));
      await anew();
    }
  }
}

/** Sees all of a page: some of its parts are loaded when the visitor comes near. */
export async function whole(page) {
  await page.locator('main h1').waitFor();
  await agrees(async () => {
    const awaited = page.locator('main .awaited');
    for (const place of await awaited.elementHandles()) await place.evaluate(place => place.scrollIntoView());
    assert.equal(await awaited.count(), 0);
  });
}

/** Saves pictures of a page, light and dark, if the caller wants any. */
export async function picture(page, name) {
  if (!SCREENSHOTS) return;
  const before = (await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)) ? 'dark' : 'light';
  for (const [colorScheme, file] of [['light', name], ['dark', `${name}-dark`]]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.screenshot({ path: join(SCREENSHOTS, `${file}.png`) });
  }
  await page.emulateMedia({ colorScheme: before });
}
