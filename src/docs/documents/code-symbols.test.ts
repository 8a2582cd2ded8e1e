import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SymbolReader, SymbolsUnread } from '../../text/code/symbol-thread/symbol-reader.ts';
import { DRIVERS, Fixture } from './test-fixture.ts';

const SCRIPT = "import { b } from './b.js';\nexport function greet() {}\nconst part = () => b;\n";

describe.each(DRIVERS)('code documents over %s (contract section 2)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());
  const add = (key: string, contentMd: string, meta: object = {}) =>
    fixture.call('addDocument', { collection: 'src', key, lang: 'en', contentMd, meta });
  const update = (key: string, changes: object) =>
    fixture.call('updateDocument', { collection: 'src', key, lang: 'en', ...changes });
  const meta = async (key: string) => (await fixture.call('getDocument', { collection: 'src', key, lang: 'en' })).meta;

  it('carry their symbols, and supplied values do not survive', async () => {
    const answer = await add('lib/a.js', SCRIPT, { defines: ['mine'], team: ['web'] });
    expect(answer.meta).toEqual({ team: ['web'], defines: ['greet', 'part'], imports: ['lib/b.js'] });
    expect(await meta('lib/a.js')).toEqual(answer.meta);
    expect(await fixture.call('searchDocuments', { collection: 'src', filterMeta: { defines: ['greet'] } }))
      .toHaveLength(1);
  });

  it('carry the symbols of long sources', async () => {
    const { meta: found } = await add('lib/long.js',
      Array.from({ length: 3000 }, (_, i) => `function f${i}() {}`).join('\n'));
    expect(found!['defines']).toHaveLength(512);
  });

  it('are stored without symbols where these cannot be read', async () => {
    const read = vi.spyOn(SymbolReader.prototype, 'read').mockRejectedValue(new SymbolsUnread('too slow'));
    const warn = vi.spyOn(fixture.environment.log, 'warn');
    try {
      const source = `function f() {}${' '.repeat(40_000)}`;
      expect((await add('lib/long.js', source, { defines: ['mine'], team: ['web'] })).meta).toEqual({ team: ['web'] });
      expect(warn).toHaveBeenCalledWith(expect.objectContaining({ document: 'src|lib/long.js|en' }),
        'a code document is stored without its symbols');
    } finally {
      read.mockRestore();
      warn.mockRestore();
    }
  });

  it('carry them from batches, too', async () => {
    await fixture.call('addDocuments', {
      collection: 'src',
      documents: [{ key: 'style.css', lang: 'en', contentMd: '.card { color: red }' }],
    });
    expect((await meta('style.css'))['defines']).toContain('.card');
  });

  it('get them again when only the body changes, and keep the other metadata', async () => {
    await add('lib/a.js', SCRIPT, { team: ['web'] });
    const { meta: changed } = await update('lib/a.js', { contentMd: 'export class Greeter {}' });
    expect(changed).toEqual({ team: ['web'], defines: ['Greeter'] });
  });

  it('lose them when they stop being code, and gain them when they become code', async () => {
    await add('lib/a.js', SCRIPT);
    expect((await update('lib/a.js', { meta: { kind: ['prose'] } })).meta).toEqual({ kind: ['prose'] });
    expect((await update('lib/a.js', { meta: {} })).meta).toHaveProperty('defines');
  });

  it('are left alone by a change of the expiry', async () => {
    await add('lib/a.js', SCRIPT);
    expect((await update('lib/a.js', { ttl: 60 })).meta).toHaveProperty('defines');
  });

  it('rest on what the document is when it is written: changes at one time do not undo each other', async () => {
    await add('lib/a.js', SCRIPT);
    await Promise.all([update('lib/a.js', { contentMd: 'export class First {}' }),
      update('lib/a.js', { meta: { team: ['web'] } }), update('lib/a.js', { contentMd: 'export class Second {}' })]);
    const document = await fixture.call('getDocument', { collection: 'src', key: 'lib/a.js', lang: 'en' });
    const name = /class (\w+)/.exec(document.contentMd)![1];
    expect(document.meta).toEqual({ team: ['web'], defines: [name] });
  });

  it('lose them, too, when a client sends them back with what is prose now', async () => {
    const { meta: symbols } = await add('lib/a.js', SCRIPT);
    expect((await add('lib/a.js', SCRIPT, { ...symbols, kind: ['prose'] })).meta).toEqual({ kind: ['prose'] });
  });

  it('leave prose its own use of the names', async () => {
    expect((await add('readme', SCRIPT, { uses: ['a hammer'] })).meta).toEqual({ uses: ['a hammer'] });
    expect((await add('readme', SCRIPT, { uses: ['two hammers'] })).meta).toEqual({ uses: ['two hammers'] });
  });
});
