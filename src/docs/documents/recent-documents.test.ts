import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, Fixture } from './test-fixture.ts';

const hello = { collection: 'blog', key: 'hello', lang: 'en' };

describe.each(DRIVERS)('documents read again over %s', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    await fixture.call('addDocument', { ...hello, contentMd: 'one' });
  });
  afterEach(() => fixture.close());
  const get = (more: object = {}) => fixture.call('getDocument', { ...hello, ...more });

  it('are those that were last written', async () => {
    expect((await get()).contentMd).toBe('one');
    await fixture.call('addDocument', { ...hello, contentMd: 'two' });
    expect((await get()).contentMd).toBe('two');
    await fixture.call('deleteDocument', hello);
    await expect(get()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are absent once they have expired, though nothing was written', async () => {
    await fixture.call('setDocumentTtl', { ...hello, ttl: 10 });
    expect(await get()).toHaveProperty('expiresAt');
    fixture.advance(10);
    await expect(get()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are not found by a spelling that was never written, though another one was read', async () => {
    await get();
    await expect(get({ key: 'HELLO' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await get({ lang: 'EN' })).id).toBe('blog|hello|en');
  });

  it('keep their placeholders for the next reader', async () => {
    await fixture.call('addDocument', { ...hello, contentMd: 'for %%name%%' });
    await get();
    expect((await get({ env: { name: 'you' } })).contentMd).toBe('for you');
    expect((await get()).contentMd).toBe('for %%name%%');
  });

  it('are looked up again when the database was replaced', async () => {
    await get();
    await fixture.sql.transaction((tx) => tx.run("UPDATE documents SET lang = 'EN'"));
    expect((await get()).lang).toBe('en');
    await fixture.documents.load();
    expect((await get()).lang).toBe('EN');
  });
});
