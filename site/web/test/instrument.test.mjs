// What the page of an instrument shows is what the API says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { accessible, agrees, api, NARROW, picture, PIYASA_KEY, PIYASA_URL, text, texts, Visitor, whole } from './browser.mjs';

const STOCK = 'bist:DMOST';
const DAY = 86_400_000;
const dayOf = at => new Date(at).toISOString().slice(0, 10);

/** The days of the year that ends with the newest one. */
async function lastYear(id, more = '') {
  const { records } = await api(`/v1/eod/${id}?from=${dayOf(Date.now() - 380 * DAY)}${more}`);
  const from = dayOf(Date.parse(records.at(-1).date) - 365 * DAY);
  return records.filter(({ date }) => date >= from);
}

/** The same with the day that has just begun, which is drawn from the quote before it has a bar. */
async function drawnYear(id, more = '') {
  const records = await lastYear(id, more);
  const { as_of, last: close, open, high, low, volume, turnover } = await api(`/v1/quotes/${id}`);
  const inTurkey = at => dayOf(at + 3 * 3_600_000);
  const date = inTurkey(Date.parse(as_of));
  const begun = date > records.at(-1).date && date === inTurkey(Date.now());
  return begun ? [...records, { date, open, high, low, close, volume, turnover }] : records;
}

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => visitor?.leave());

test('an instrument: the chart and its table are the bars that were sent', async () => {
  const page = await visitor.open(`/instruments/${STOCK}`);
  const legend = page.locator('.legend');
  await legend.waitFor();
  let records;
  await agrees(async () => {
    records = await drawnYear(STOCK);
    const { date, ...bar } = records.at(-1);
    assert.equal(await legend.getAttribute('data-at'), date);
    const said = await text(legend);
    for (const figure of ['high', 'low', 'close', 'volume', 'turnover']) if (bar[figure] !== null) assert.ok(said.includes(`${figure} ${bar[figure]}`), `${figure} ${bar[figure]} in ${said}`);
  });
  await page.getByText('Not stated by this market at 1d, so null in every bar: opening.').waitFor(); // so it is a line

  const chart = page.getByRole('application');
  await chart.focus();
  for (const [key, bar] of [['ArrowLeft', records.at(-2)], ['Home', records[0]], ['ArrowRight', records[1]], ['End', records.at(-1)]]) {
    await page.keyboard.press(key);
    await agrees(async () => assert.equal(await legend.getAttribute('data-at'), bar.date));
    assert.match(await page.locator('[aria-live=polite]').nth(1).innerText(), new RegExp(`^${bar.date}, .*close ${bar.close.replace('.', '\\.')},`));
  }
  await page.getByText('bars as a table').click();
  await page.locator('.bars tbody tr').first().waitFor();
  const rows = await page.locator('.bars tbody tr').evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent)));
  assert.deepEqual(rows.slice(1, 50), records.slice(-50, -1).reverse().map(bar => [bar.date, bar.high, bar.low, bar.close, bar.volume, bar.turnover]));

  await page.getByRole('button', { name: '5m' }).click();
  await agrees(async () => assert.match(await text(legend), /UTC/));
  await accessible(page);
  const inTurkey = await visitor.open(`/instruments/${STOCK}?range=5d&resolution=5m`, { timezoneId: 'Europe/Istanbul' });
  const there = inTurkey.locator('.legend');
  await agrees(async () => {
    const at = Date.parse(await there.getAttribute('data-at')); // three hours later by the clocks of Turkey
    assert.ok((await text(there)).includes(`${new Date(at + 10_800_000).toISOString().slice(0, 16).replace('T', ' ')} GMT+3`));
  });
  await inTurkey.context().close();
  await page.close();
});

const METRICS = {
  peRatio: 'pe_ratio', pbRatio: 'pb_ratio', ebitda: 'ebitda', netDebt: 'net_debt', ev: 'ev', ebitdaTtm: 'ebitda_ttm', evEbitda: 'ev_ebitda', epsGrowthPct: 'eps_growth_pct', peg: 'peg',
};

/** The valuation that the page shows is this one; each null says why. */
async function valued(page, valuation) {
  let nulls = 0;
  for (const [shown, name] of Object.entries(METRICS)) {
    const { value, null_reason, source_period, period_end, inputs, note } = valuation[name];
    const row = page.locator(`[data-metric=${shown}]`);
    const [figure, from] = await row.locator('td').evaluateAll(cells => cells.map(cell => cell.innerText.trim()));
    if (value !== null) assert.equal(figure.split(/[ \n]/)[0], value, name);
    else assert.ok(figure.startsWith(`null ${null_reason}`), `${name}: null ${null_reason} in ${figure}`);
    const source = ['not_provided_by_source', 'zero_in_source', null].includes(null_reason) ? 'the source' : 'computed';
    assert.equal(from, (source_period ?? source) + (period_end ? `\nto ${period_end}` : ''), name);
    nulls += value === null;
    assert.equal(await row.locator('summary').count(), Object.keys(inputs).length || note ? 1 : 0, name);
    if (!(await row.locator('summary').count())) continue;
    assert.equal(await text(row.locator('summary')), value === null ? 'Why is this null?' : 'How it is computed');
    await row.locator('details').evaluate(details => (details.open = true));
    const said = await row.locator('dl').evaluateAll(lists => lists.flatMap(list => [...list.children].map(pair => [...pair.children].map(part => part.textContent))));
    assert.deepEqual(Object.fromEntries(said), Object.fromEntries(Object.entries(inputs).map(([input, value]) => [input, value ?? 'null'])), name);
    if (note) assert.ok((await row.locator('details').innerText()).includes(note), note);
    if (value === null) assert.ok((await row.locator('details p').first().innerText()).length > 20, `${null_reason} is not explained`);
  }
  return nulls;
}

const cells = rows => rows.evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent.trim().replace(/\s+/g, ' '))));
const part = (page, id) => page.locator(`section[aria-labelledby=${id}]`);

test('an instrument: quote, conversion and valuation are the API’s', async () => {
  const page = await visitor.open(`/instruments/${STOCK}`);
  await whole(page);
  const price = page.locator('.price strong');
  await price.waitFor();
  await agrees(async () => {
    const { last, currency } = await api(`/v1/quotes/${STOCK}`);
    assert.equal(await text(price), `${last} ${currency}`);
  });
  await page.evaluate(() => scrollTo(0, 0));
  await picture(page, 'instrument');
  const metrics = page.locator('[data-metric=pbRatio]');
  await metrics.waitFor();
  await agrees(
    async () => assert.ok((await valued(page, await api(`/v1/stocks/${STOCK}/valuation`))) > 0, 'no null to explain'),
    () => page.reload().then(() => metrics.waitFor()),
  );

  const convert = async currency => {
    await page.locator('.card', { has: page.locator('dl.quote') }).getByRole('button', { name: currency }).click();
    await metrics.waitFor();
  };
  await convert('USD');
  await agrees(async () => {
    const quote = await api(`/v1/quotes/${STOCK}?currency=USD`);
    assert.equal(await text(price), `${quote.last} USD`);
    assert.match(await text(page.locator('.price')), new RegExp(`converted at ${quote.fx_rate}`));
    const facts = Object.fromEntries(await cells(page.locator('dl.quote > div')));
    for (const name of ['prev_close', 'change', 'open', 'high', 'low', 'bid', 'ask', 'volume', 'turnover', 'limit_up', 'limit_down', 'market_cap']) {
      const title = name[0].toUpperCase() + name.slice(1).replace('_', ' ');
      assert.equal(facts[title], quote[name] ?? (name === 'market_cap' ? undefined : '–'), name);
    }
  });
  await agrees(async () => {
    const valuation = await api(`/v1/stocks/${STOCK}/valuation?currency=USD`);
    await valued(page, valuation);
    assert.ok((await text(part(page, 'valuation'))).includes(`${valuation.market_cap.value} USD`), 'the market cap is not converted');
  }, () => convert('EUR').then(() => convert('USD')));
  const before = (await drawnYear(STOCK, '&currency=USD')).at(-2); // the last one moves
  await page.getByRole('application').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await agrees(async () => assert.ok((await text(page.locator('.legend'))).startsWith(before.date)));
  for (const figure of ['high', 'low', 'close', 'volume', 'turnover']) assert.ok((await text(page.locator('.legend'))).includes(`${figure} ${before[figure]}`), figure);
  await page.close();
});

test('an instrument: market cap and P/E day by day are the API’s, also by keys', async () => {
  const page = await visitor.open(`/instruments/${STOCK}`);
  await whole(page);
  const history = part(page, 'valuation').locator('details', { has: page.locator(':scope > summary', { hasText: 'day by day' }) });
  await history.locator('summary').first().click();
  const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
  const { points, currency } = await api(`/v1/stocks/${STOCK}/valuation/history?from=${from}`);
  assert.ok(points.length > 20 && points.some(point => point.pe_ratio !== null));
  const legend = history.locator('.legend');
  const said = ({ date, market_cap, pe_ratio }) => `${date} P/E ${pe_ratio ?? '–'} Market cap ${market_cap === null ? '–' : `${market_cap} ${currency}`}`;
  await agrees(async () => assert.equal(await text(legend), said(points.at(-1))));
  const chart = history.getByRole('application');
  await chart.focus();
  for (const [key, point] of [['ArrowLeft', points.at(-2)], ['Home', points[0]], ['ArrowRight', points[1]], ['End', points.at(-1)]]) {
    await page.keyboard.press(key);
    await agrees(async () => assert.equal(await text(legend), said(point)));
    const { date, market_cap, pe_ratio } = point;
    assert.equal(await history.locator('[aria-live=polite]').innerText(), `${date}, P/E ${pe_ratio ?? 'null'}, Market cap ${market_cap ?? 'null'} ${currency}`);
  }
  assert.match(await chart.getAttribute('aria-label'), /^P\/E on/);
  await history.getByRole('button', { name: 'Market cap', exact: true }).click();
  await agrees(async () => assert.match(await chart.getAttribute('aria-label'), /^Market cap on/));
  await history.getByText('days as a table').click();
  await history.locator('tbody tr').first().waitFor();
  assert.deepEqual(await cells(history.locator('tbody tr')), points.slice(-100).reverse().map(({ date, pe_ratio, market_cap }) => [date, pe_ratio ?? '–', market_cap ?? '–']));
  await accessible(page);
  await page.close();
});

test('an instrument: every line of its statements is the API’s', async () => {
  const page = await visitor.open(`/instruments/${STOCK}`);
  const statements = part(page, 'statements');
  await whole(page);
  for (const [button, timeframe] of [['Years', 'annual'], ['Quarters as filed', 'quarterly'], ['Quarters alone', 'quarterly_standalone'], ['Twelve months', 'ttm']]) {
    await statements.getByRole('button', { name: button, exact: true }).click();
    const { periods, currency, methodology } = await api(`/v1/stocks/${STOCK}/financials?timeframe=${timeframe}&limit=6`);
    assert.ok(periods.length > 1, timeframe);
    for (const [name, statement] of [['Balance sheet', 'balance_sheet'], ['Cash flow', 'cash_flow'], ['Income', 'income_statement']]) {
      await statements.getByRole('button', { name, exact: true }).click();
      const codes = [...new Set(periods.flatMap(period => period[statement]))];
      await agrees(async () => {
        const [head] = await cells(statements.locator('thead tr'));
        assert.deepEqual(head, [
          currency,
          ...periods.map(({ fiscal_year, fiscal_period, derived, formula, basis }) => [fiscal_year, fiscal_period, derived && `derived: ${formula}`, basis === 'nominal' && 'nominal'].filter(Boolean).join(' ')),
        ].map(title => title.replace(/(\d{4} \S+) derived/, '$1derived')), `${name}, ${button}`);
        assert.deepEqual(
          await statements.locator('tr[data-code]').evaluateAll(rows => rows.map(row => [row.dataset.code, ...[...row.children].map(cell => cell.textContent)])),
          codes.map(code => [code, periods.map(period => period.items[code]?.label_tr).find(Boolean) ?? code, ...periods.map(period => period.items[code]?.value ?? '–')]),
          `${name}, ${button}`,
        );
      });
    }
    if (methodology) assert.ok((await text(statements)).includes(methodology));
  }
  await accessible(page);
  await page.close();
});

test('an instrument: changes, indicators, dividends, indices and holders are the API’s', async () => {
  const page = await visitor.open(`/instruments/${STOCK}`, NARROW);
  await whole(page);
  const anew = () => page.reload().then(() => whole(page));
  await agrees(async () => {
    const { windows, currency, as_of } = await api(`/v1/periodic/${STOCK}`);
    const sign = pct => (/^-?[0.]*$/.test(pct) ? '' : pct.startsWith('-') ? '▼ ' : '▲ ');
    assert.equal(await text(part(page, 'windows').locator('caption')), `Prices in ${currency}. Returns up to ${as_of.slice(0, 10)}.`);
    assert.deepEqual(await cells(part(page, 'windows').locator('tbody tr')), windows.map(row => [row.window, `${sign(row.change_pct)}${row.change_pct}%`, row.start_date, row.low, row.high]));
  }, anew);
  await agrees(async () => {
    const { values } = await api(`/v1/stocks/${STOCK}/indicators`);
    assert.ok(values.length > 8);
    assert.deepEqual(
      await cells(part(page, 'indicators').locator('tbody tr')),
      values.map(row => [[row.indicator.toUpperCase(), row.period, row.component].filter(word => word !== null).join(' '), row.value]),
    );
  }, anew);
  const { dividends } = await api(`/v1/stocks/${STOCK}/dividends`);
  assert.ok(dividends.length > 2 && dividends.some(row => row.status === 'upcoming'));
  const order = (a, b) => b[0].slice(0, 10).localeCompare(a[0].slice(0, 10)); // the newest first
  const shown = await cells(part(page, 'dividends').locator('tbody tr'));
  assert.deepEqual(shown, shown.toSorted(order));
  assert.deepEqual(
    shown.map(String).sort(),
    dividends
      .map(row => [
        row.ex_date + (row.installment === null ? '' : `installment ${row.installment}`) + (row.status === 'upcoming' ? 'upcoming' : ''),
        row.payment_date ?? '–',
        ...[row.gross_per_share, row.net_per_share].map(amount => (amount === null ? '–' : `${amount} ${row.currency}`)),
      ])
      .map(String)
      .sort(),
  );
  const member = [];
  for (const { code } of (await api('/v1/indices')).indices) {
    if ((await api(`/v1/indices/${code}/constituents`)).constituents.some(row => row.instrument_id === STOCK)) member.push(code);
  }
  assert.ok(member.length > 0);
  assert.deepEqual(await texts(part(page, 'indices').locator('.tag')), member.sort());
  const { holders } = await api(`/v1/funds/holders-of/${STOCK}`);
  assert.ok(holders.length > 0);
  assert.deepEqual(
    await cells(part(page, 'holders').locator('tbody tr')),
    holders.slice(0, 12).map(row => [`${row.name} ${row.report_month}`, row.weight_pct === null ? '–' : `${row.weight_pct} %`, row.market_value ?? '–']),
  );
  await page.close();
});

test('an instrument: disclosures open with bodies and documents', async () => {
  const { items } = await api(`/v1/kap-feed/disclosures?symbol=DMOST&limit=30`);
  const row = items.find(row => row.attachment_count > 0) ?? items[0];
  const page = await visitor.open(`/instruments/${STOCK}#disclosure-${row.disclosure_index}`, NARROW);
  const opened = page.locator(`#disclosure-${row.disclosure_index}`);
  await opened.getByText(`Number ${row.disclosure_index}`).waitFor();
  const detail = await api(`/v1/kap-feed/disclosures/${row.disclosure_index}`);
  for (const { name } of detail.attachments) {
    const address = await opened.getByRole('link', { name }).getAttribute('href');
    assert.equal((await page.request.get(new URL(address, page.url()).href)).status(), 200);
  }
  await accessible(page);
  await page.close();
});

test('an instrument: the choices of its statements and days stay in the address', async () => {
  const page = await visitor.open(`/instruments/${STOCK}?statement=toString&periods=x&days=1`);
  await whole(page);
  const [statements, valuation] = [part(page, 'statements'), part(page, 'valuation')];
  const chosen = async (...names) => {
    for (const name of names) await page.getByRole('button', { name, exact: true, pressed: true }).first().waitFor();
  };
  await chosen('Years', 'Income', '1 year', 'P/E');
  for (const name of ['Twelve months', 'Cash flow']) await statements.getByRole('button', { name, exact: true }).click();
  for (const name of ['3 months', 'Market cap']) await valuation.getByRole('button', { name, exact: true }).click();
  await page.reload();
  await whole(page);
  await chosen('Twelve months', 'Cash flow', '3 months', 'Market cap');
  assert.equal(new URL(page.url()).search, '?statement=cashFlow&periods=TTM&days=91&drawn=marketCap');
  await page.close();
});

test('an instrument: what is chosen stays in the address, and a reload shows the same', async () => {
  const page = await visitor.open(`/instruments/${STOCK}`);
  const legend = page.locator('.legend');
  await legend.waitFor();
  const pressed = name => page.getByRole('button', { name, exact: true, pressed: true }).waitFor();
  for (const name of ['6m', '1w', 'Splits', 'USD']) {
    await page.getByRole('button', { name, exact: true }).click();
    await pressed(name);
  }
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.charted').getByRole('combobox').fill('DMBNK');
  await page.locator('.charted').getByRole('option', { name: /^Compare Demo/ }).first().click();
  const shows = async () => {
    for (const name of ['6m', '1w', 'Splits', 'USD']) await pressed(name);
    const { bars } = await api(`/v1/candles/${STOCK}?resolution=1w&currency=USD&adjust=splits&from=${dayOf(Date.now() - 300 * DAY)}`);
    const other = (await api(`/v1/candles/bist:DMBNK?resolution=1w&currency=USD&adjust=splits&from=${dayOf(Date.now() - 300 * DAY)}`)).bars;
    const chart = page.getByRole('application');
    await agrees(async () => {
      await chart.focus();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft'); // the last one moves
      const said = await text(legend);
      for (const part of [bars.at(-2).date, `close ${bars.at(-2).close}`, `bist:DMBNK ${other.at(-2).close} USD`])
        assert.ok(said.includes(part), `${part} in ${said}`);
    });
    assert.match(await chart.getAttribute('aria-label'), /Compared in percent with bist:DMBNK/);
  };
  await shows();
  const { search } = new URL(page.url());
  assert.equal(search, '?range=6m&resolution=1w&adjust=SPLITS&currency=USD&compare=bist:DMBNK');
  await page.reload();
  await shows();
  assert.equal(new URL(page.url()).search, search);
  await accessible(page);
  await picture(page, 'instrument-compared');
  await page.getByRole('button', { name: 'Compare with bist:DMBNK no more' }).click();
  await page.getByText('in percent of the first').waitFor({ state: 'detached' });
  await page.close();
});

/** How many points of the chart have the color of the first line of an indicator. */
const colored = page =>
  page.evaluate(() => {
    const probe = document.querySelector('.legend .small .swatch');
    const [red, green, blue] = getComputedStyle(probe).backgroundColor.match(/\d+/g).map(Number);
    let count = 0;
    for (const canvas of document.querySelectorAll('.chart canvas')) {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 60 && Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 24) count++;
    }
    return count;
  });

for (const [resolution, range] of [['1d', '6m'], ['5m', '5d']])
  test(`an instrument: lines of indicators are the API’s at every bar of ${resolution}, asked for once`, async () => {
    const page = await visitor.open(`/instruments/${STOCK}?range=${range}&adjust=SPLITS&resolution=${resolution}`);
    const legend = page.locator('.legend');
    await legend.waitFor();
    const asked = [];
    let empty = false;
    await page.route('**/graphql', async route => {
      const body = route.request().postData() ?? '';
      if (!body.includes('query Bars')) return route.continue();
      asked.push(body);
      if (!empty) return route.continue();
      const response = await route.fetch();
      const answer = await response.json();
      for (const one of answer.data.lines.series) one.value = one.value.map(() => null);
      return route.fulfill({ response, json: answer });
    });
    await page.getByRole('button', { name: 'Indicators' }).click();
    for (const [n, name] of ['RSI', 'SMA 50', 'Bollinger bands', 'MACD'].entries()) {
      await page.getByRole('button', { name, exact: true }).click();
      await legend.getByText(name.split(' ')[0]).first().waitFor();
      assert.equal(asked.length, n + 1, `${name} is one request`);
    }
    const chart = page.getByRole('application');
    await chart.focus();
    await page.keyboard.press('End');
    for (let back = 1; back < 30; back++) {
      await page.keyboard.press('ArrowLeft');
      if (back % 7) continue;
      await agrees(async () => {
        const { series } = await api(`/v1/stocks/${STOCK}/indicators?resolution=${resolution}&last=1000`);
        const at = await legend.getAttribute('data-at');
        const said = await text(legend);
        for (const [name, indicator, component, period] of [['SMA 50', 'sma', null, 50], ['Bollinger upper', 'bbands', 'upper', 20], ['RSI 14', 'rsi', null, 14], ['MACD signal', 'macd', 'signal', null]]) {
          const one = series.find(row => row.indicator === indicator && row.component === component && row.period === period);
          const value = one.value[(resolution === '1d' ? one.date : one.t).indexOf(at)];
          assert.ok(said.includes(`${name} ${value ?? '–'}`), `${name} ${value} at ${at} in ${said}`);
        }
      });
    }
    if (resolution === '1d') {
      const drawn = await colored(page);
      empty = true; // what the API does not state is not drawn
      await page.getByRole('button', { name: 'As stored', exact: true }).click();
      await agrees(async () => assert.ok((await colored(page)) < drawn / 2, `${await colored(page)} of ${drawn} points are left`));
    }
    await accessible(page);
    await page.unrouteAll({ behavior: 'wait' });
    await page.close();
  });

test('an instrument: where the API has no indicators, the page says why and keeps what is chosen', async () => {
  for (const [address, why] of [
    [`/instruments/${STOCK}?resolution=1w&indicators=rsi`, 'from bars of 5m and 1d'],
    [`/instruments/${STOCK}?currency=USD&indicators=rsi`, 'in the currency of the stock'],
    ['/instruments/crypto:900001?indicators=rsi', 'of Borsa Istanbul'],
  ]) {
    const page = await visitor.open(address);
    await page.locator('.charted .note', { hasText: why }).waitFor();
    const legend = page.locator('.legend');
    await legend.waitFor();
    assert.ok(!(await text(legend)).includes('RSI'));
    assert.equal(await page.getByRole('button', { name: 'RSI', exact: true }).count(), 0);
    assert.ok(new URL(page.url()).search.endsWith('indicators=rsi'));
    await page.close();
  }
});

test('an instrument: beside others only lines in panes of their own are drawn, and an address cannot end what is copied', async () => {
  const page = await visitor.open(`/instruments/${STOCK}?adjust=SPLITS&indicators=sma20,rsi&compare=bist:DMBNK,x'"$(id)%60`);
  const legend = page.locator('.legend');
  await legend.getByText('RSI 14').waitFor();
  assert.ok(!(await text(legend)).includes('SMA 20'), 'an average of prices beside percents');
  await page.locator('.note', { hasText: 'Not drawn: x' }).waitFor();
  for (const copied of await page.locator('.take button[data-copy]').evaluateAll(buttons => buttons.map(button => button.dataset.copy)))
    assert.ok(!/x['"$`]|\$\(|\\/.test(copied), copied);
  await page.close();
});

test('an instrument: a longer bar and a longer range come with a zoom, also by keys', async () => {
  const page = await visitor.open(`/instruments/${STOCK}?range=1m`);
  await page.locator('.legend').waitFor();
  const chart = page.getByRole('application');
  const count = async () => Number((await chart.getAttribute('aria-label')).match(/Chart of (\d+) bars/)[1]);
  const month = await count();
  await chart.focus();
  for (let n = 0; n < 6; n++) await page.keyboard.press('-');
  await agrees(async () => assert.ok((await count()) > 2 * month));
  assert.match(new URL(page.url()).search, /^\?range=(6m|1y|5y)/);
  await page.getByRole('button', { name: '1mo', exact: true }).click();
  await agrees(async () => assert.match(await text(page.locator('.legend strong')), /^\d{4}-\d\d-01$/));
  await page.close();
});

test('an instrument: what is seen of the chart stays in the address, and another range shows all of it', async () => {
  const page = await visitor.open(`/instruments/${STOCK}?range=6m`);
  const chart = page.getByRole('application');
  const view = () => new URL(page.url()).searchParams.get('view');
  /** The day at the left edge, under the mouse. */
  const first = async () => {
    const { x, y } = await chart.boundingBox();
    await page.mouse.move(x + 3, y - 10);
    await page.mouse.move(x + 3, y + 80);
    const day = await page.locator('.legend').getAttribute('data-at');
    await page.mouse.move(x + 3, y - 10);
    return day;
  };
  await page.locator('.legend').waitFor();
  const whole = await first();
  await chart.focus();
  for (let n = 0; n < 3; n++) await page.keyboard.press('+');
  await agrees(() => assert.match(view() ?? '', /^\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d$/));
  const [from, zoomed] = [view().slice(0, 10), await first()];
  assert.ok(zoomed > whole);
  await page.reload();
  await page.locator('.legend').waitFor();
  await agrees(async () => assert.ok(Math.abs(Date.parse(await first()) - Date.parse(from)) < 4 * 86_400_000, `${await first()} after ${from}`));
  await page.getByRole('button', { name: '1m', exact: true }).click();
  await agrees(() => assert.equal(view(), null));
  await page.close();
});

test('an instrument: two fingers zoom the chart, one moves it, and one that goes up or down scrolls the page', async () => {
  const page = await visitor.open(`/instruments/${STOCK}?range=6m`, { ...NARROW, touch: true });
  await whole(page);
  const chart = page.getByRole('application');
  const center = () => chart.evaluate(chart => chart.scrollIntoView({ block: 'center' }));
  await center();
  const session = await page.context().newCDPSession(page);
  /** Moves fingers, each from one place of the chart to another, and lifts them. */
  const touch = async (...fingers) => {
    const { x, y } = await chart.boundingBox();
    const at = part => fingers.map(([fromX, fromY, toX, toY], id) => ({ id, x: x + fromX + (toX - fromX) * part, y: y + fromY + (toY - fromY) * part }));
    const send = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
    await send('touchStart', at(0));
    for (let n = 1; n <= 10; n++) await send('touchMove', at(n / 10));
    await send('touchEnd', []);
  };
  /** The days at two places of the chart, which the legend names under a mouse, soon after fingers are gone. */
  const seen = async () => {
    const { x, y } = await chart.boundingBox();
    const days = [];
    for (const place of [x + 60, x + 260]) {
      await page.mouse.move(place, y - 10); // none: the newest
      await page.mouse.move(place, y + 80);
      await page.evaluate(() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      days.push(Date.parse(await page.locator('.legend').getAttribute('data-at')));
    }
    assert.ok(days[0] < days[1], `${days.map(dayOf)}`);
    return days;
  };
  const length = ([from, to]) => to - from;
  /** What is seen once it is as it should be: a chart that was thrown moves on for a while. */
  const until = (right, what) =>
    agrees(async () => {
      const now = await seen();
      assert.ok(right(now), `${what}: ${now.map(dayOf)}`);
      return now;
    });
  const APART = [[130, 120, 60, 120], [190, 120, 260, 120]];
  const TOGETHER = APART.map(([x, y, toX, toY]) => [toX, toY, x, y]);

  const first = await agrees(seen);
  const scrolled = () => page.evaluate(() => scrollY);
  const before = await scrolled();
  await touch(...APART);
  const near = await until(now => length(now) < 0.7 * length(first), 'fingers that part show less');
  await touch([100, 120, 220, 125]);
  await until(now => now[0] < near[0] && now[1] < near[1], 'a finger that goes to the right shows what was earlier');
  assert.equal(await scrolled(), before);

  let still;
  await agrees(async () => assert.deepEqual((still = await seen()), await seen()));
  await touch([100, 220, 105, 60]);
  await agrees(async () => assert.ok((await scrolled()) > before + 100));
  await agrees(async () => {
    await center(); // a page that was thrown scrolls on for a while
    assert.deepEqual(await seen(), still);
  });
  await agrees(async () => {
    await touch(...TOGETHER);
    assert.notEqual(new URL(page.url()).searchParams.get('range'), '6m');
  });
  await until(now => length(now) > 1.5 * length(still), 'fingers that meet show more');
  await page.close();
});

test('an instrument: what happened opens by Enter and leads on, and bars can be taken away', async () => {
  const { dividends } = await api(`/v1/stocks/${STOCK}/dividends`);
  const page = await visitor.open(`/instruments/${STOCK}?range=all&resolution=1d`);
  await page.locator('.legend').waitFor();
  const { bars } = await api(`/v1/candles/${STOCK}?from=1990-01-01`);
  const day = bar => dayOf(Date.parse(bar.t) + 3 * 3_600_000);
  const paid = dividends.find(({ ex_date }) => bars.some(bar => day(bar) === ex_date));
  const begun = (await drawnYear(STOCK)).length - (await lastYear(STOCK)).length;
  const back = bars.length - 1 + begun - bars.findIndex(bar => day(bar) === paid.ex_date);
  await page.getByRole('application').focus();
  await page.keyboard.press('End');
  for (let n = 0; n < back; n++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.locator('.events', { hasText: paid.ex_date }).getByRole('link', { name: `${paid.gross_per_share} ${paid.currency} a share` }).waitFor();
  for (const [button, start, name] of [['CSV', 'instrument_id,t,open', /\.csv$/], ['PNG', '\x89PNG', /\.png$/]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('group', { name: 'Take: the bars' }).getByRole('button', { name: button }).click()]);
    assert.match(download.suggestedFilename(), name);
    assert.ok(readFileSync(await download.path()).toString('latin1').startsWith(start));
  }
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('group', { name: 'Take: the bars' }).getByRole('button', { name: 'Copy as Python' }).click();
  await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' });
  const script = await page.evaluate(() => navigator.clipboard.readText());
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
  assert.ok(stdout.includes(`'close': '${bars[0].close}'`));
  await page.close();
});

test('an instrument without bars says so, and draws nothing', async () => {
  const line = { record: 'instrument', instrument_id: 'bist:BARSIZ', symbol: 'BARSIZ', name: 'B', market: 'bist', asset_type: 'STOCK', currency: 'TRY' };
  await stored([line], async () => assert.equal((await api('/v1/instruments?search=BARSIZ')).count, 1));
  const page = await visitor.open('/instruments/bist:BARSIZ');
  await page.getByText('No bars are stored.').waitFor();
  await accessible(page);
  await page.close();
});

/** Stores lines as `piyasa ingest` reads them, and waits until the demo shows what they say. */
async function stored(lines, shown) {
  const input = lines.map(line => `${JSON.stringify(line)}\n`).join('');
  const { status, stderr } = spawnSync('../../bin/piyasa', ['ingest', '-'], { input, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
  await agrees(shown);
}

const spoken = day => new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

test('an instrument: a split is marked, listed and announced, and the chart is adjusted on request', async () => {
  const { corporate_actions: [split] } = await api('/v1/stocks/bist:DMYZL/corporate-actions');
  const page = await visitor.open('/instruments/bist:DMYZL');
  const legend = page.locator('.legend');
  await legend.waitFor();
  await whole(page);
  assert.deepEqual(await cells(part(page, 'actions').locator('tbody tr')), [
    [split.ex_date, `Split ${split.new} for ${split.old}announced by ${split.disclosure_index}`, split.factor],
  ]);
  assert.match(await text(part(page, 'meaning').locator('li')), new RegExp(`Since ${spoken(split.ex_date)}.*split 5 for 1`, 's'));
  await part(page, 'actions').getByRole('link').click();
  await page.getByText(`DMYZL: Split 5 for 1, from ${split.ex_date} on`).waitFor(); // the announcement leads back
  const chart = page.getByRole('application');
  for (const [button, adjust] of [['As stored', 'none'], ['Splits', 'splits'], ['Splits and dividends', 'all']]) {
    await page.getByRole('button', { name: button, exact: true }).click();
    const records = await lastYear('bist:DMYZL', `&adjust=${adjust}`);
    const { factors = [] } = await api(`/v1/eod/bist:DMYZL?from=${records[0].date}&adjust=${adjust}`);
    await agrees(async () => {
      await chart.focus();
      await page.keyboard.press('Home');
      const said = await text(legend);
      for (const figure of ['close', 'high', 'low', 'volume']) assert.ok(said.includes(`${figure} ${records[0][figure]}`), `${button}: ${figure} ${records[0][figure]} in ${said}`);
    });
    assert.equal(factors.length > 0, adjust !== 'none');
    assert.deepEqual(
      await cells(page.locator('.factors tbody tr')),
      factors.map(row => [row.ex_date, 'Split', row.factor, row.volume_factor]),
    );
    if (!factors.length) continue;
    const curl = await page.locator('.factors').getByRole('button', { name: 'Copy as curl' }).getAttribute('data-copy');
    const body = JSON.parse(/ -d '(.*)'$/.exec(curl)[1]);
    const answer = await fetch(`${PIYASA_URL}/graphql`, { method: 'POST', headers: { 'X-API-Key': PIYASA_KEY, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal((await answer.json()).data.candles.factors.length, factors.length);
  }
  const records = await drawnYear('bist:DMYZL');
  await page.keyboard.press('End');
  for (let back = records.length - 1 - records.findIndex(bar => bar.date === split.ex_date); back > 0; back--) await page.keyboard.press('ArrowLeft');
  await agrees(async () => assert.match(await text(legend), /action: Split 5 for 1/));
  await accessible(page);
  await page.close();
});

test('an instrument: a rename and another unit are told in words, and the old id leads to the new one', async () => {
  const renamed = await api('/v1/instruments/bist:DMKET');
  let page = await visitor.open('/instruments/bist:DMKET');
  await whole(page);
  await part(page, 'meaning').waitFor();
  assert.match(await text(part(page, 'meaning')), new RegExp(`Since ${spoken(renamed.renamed_on)}.*Its id is bist:DMKET; before it was bist:DMGYM`, 's'));
  await accessible(page);
  await page.close();

  page = await visitor.open('/instruments/cmdty:COFFEE', NARROW);
  await whole(page);
  await part(page, 'meaning').waitFor();
  const { valid_from: since, unit } = await api('/v1/instruments/cmdty:COFFEE');
  assert.match(await text(part(page, 'meaning')), new RegExp(`Since ${spoken(since)}.*One price is for ${unit}; before: ton`, 's'));
  await page.getByText(`Days before ${since} are left out: unit changed from ton to ${unit}.`).waitFor();
  await accessible(page);
  await page.close();
});

test('an instrument: what was known on a day, and the way back to now', async () => {
  // What is recorded today was not known before.
  const action = { record: 'corporate_action', instrument_id: STOCK, kind: 'merger', ex_date: dayOf(Date.now() - 40 * DAY) };
  await stored([action], async () => assert.equal((await api(`/v1/stocks/${STOCK}/corporate-actions`)).count, 1));
  const page = await visitor.open(`/instruments/${STOCK}`, NARROW);
  await whole(page);
  await part(page, 'actions').getByText('Merger').waitFor();
  const day = dayOf(Date.now() - 120 * DAY);
  const known = part(page, 'known');
  await known.locator('input').fill(day);
  await known.getByText(`as piyasa knew them on ${spoken(day)}`).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('known'), day);
  for (const name of ['actions', 'dividends']) await part(page, name).getByText(`None was known on ${spoken(day)}.`).waitFor();
  const moment = `known_at=${day}T20:59:59Z`;
  await page.locator('[data-metric=pbRatio]').waitFor();
  await agrees(async () => valued(page, await api(`/v1/stocks/${STOCK}/valuation?${moment}`)));
  await part(page, 'statements').locator('thead tr').waitFor();
  const { periods } = await api(`/v1/stocks/${STOCK}/financials?limit=6&${moment}`);
  await agrees(async () => {
    const [head] = await cells(part(page, 'statements').locator('thead tr'));
    assert.deepEqual(head.slice(1).map(title => title.slice(0, 4)), periods.map(({ fiscal_year }) => String(fiscal_year)));
  });
  await accessible(page);
  await picture(page, 'instrument-known');
  await page.reload(); // the address keeps it
  await known.getByText(`as piyasa knew them on ${spoken(day)}`).waitFor();
  await known.getByRole('button', { name: 'Back to now' }).click();
  await whole(page);
  await part(page, 'actions').getByText('Merger').waitFor();
  assert.equal(new URL(page.url()).search, '');
  await page.close();
});

test('has made no other requests and no complaints', () => visitor.behaved());

test('an id that was another’s leads to it', async () => {
  const page = await visitor.open('/instruments/bist:DMGYM');
  await page.locator('.note').getByRole('link', { name: 'bist:DMKET' }).click();
  await page.getByRole('heading', { name: 'Demo Keten Giyim' }).waitFor();
  await page.close();
});

test('an instrument that does not exist says so', async () => {
  const page = await visitor.open('/instruments/bist:NOTHING');
  await page.locator('.note').waitFor();
  await page.locator('.finder input').waitFor();
  await page.close();
});
