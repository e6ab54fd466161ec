// Operators create, rotate and revoke keys on a page of the private listener.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, agrees, NARROW, picture, PIYASA_KEYS_PAGE, PIYASA_URL, Visitor } from './browser.mjs';

let visitor;
before(async () => (visitor = await Visitor.come()));
after(() => visitor?.leave());

const works = async key => (await fetch(`${PIYASA_URL}/v1/usage`, { headers: { 'X-API-Key': key } })).status;

for (const look of [{}, { width: 390, height: 844, dark: true }]) {
  test(`keys are created, rotated and revoked${look.dark ? ', on a phone' : ''}`, async () => {
    const page = await visitor.open(PIYASA_KEYS_PAGE, look);
    const name = `of the test${look.dark ? ' on a phone' : ''}`;
    await accessible(page);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Plan').selectOption('pro');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = page.locator('#secret');
    const first = (await secret.innerText()).trim();
    await agrees(async () => assert.equal(await works(first), 200));
    await accessible(page);
    await picture(page, look.dark ? 'keys-phone' : 'keys');

    await page.reload(); // sends the form again, and nothing is created twice
    await page.goto(page.url());
    const row = page.locator('tr', { hasText: name });
    assert.equal(await row.count(), 1);
    assert.equal(await secret.count(), 0);

    await row.getByText('Change').click();
    await row.getByRole('button', { name: 'New secret' }).click();
    const second = (await secret.innerText()).trim();
    assert.notEqual(second, first);
    await agrees(async () => assert.deepEqual([await works(first), await works(second)], [401, 200]));

    await row.getByText('Change').click();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    await agrees(async () => assert.equal(await works(second), 401));
    await page.context().close();
  });
}

test('on a phone a key and what changes it are beside each other, in English', async () => {
  const page = await visitor.open(PIYASA_KEYS_PAGE, { ...NARROW, locale: 'tr-TR' });
  await page.locator('main[lang=en]').waitFor();
  assert.ok(await page.getByRole('group', { name: 'Keys' }).evaluate(box => box.scrollWidth <= box.clientWidth));
  await page.context().close();
});

test('the page of keys asks no other host', () => {
  visitor.complaints = visitor.complaints.filter(said => !said.includes('409')); // of the form that was sent again
  visitor.behaved(PIYASA_KEYS_PAGE);
});
