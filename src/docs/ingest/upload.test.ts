import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../storage/index.ts';
import { TextConverter } from '../../testkit/text-converter.ts';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { createIngest } from './index.ts';
import { keyOfFile } from './upload-files.ts';

describe.each(DRIVERS)('an upload over %s (contract section 4, decision D-69)', (driver) => {
  let fixture: Fixture;
  let converter: TextConverter;

  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    converter = new TextConverter();
    fixture.use(createIngest(fixture.environment, { ...fixture, converter }).handlers);
  });
  afterEach(() => fixture.close());

  const file = (name: string, text: string | Uint8Array<ArrayBuffer> = `# ${name}`, type = '') =>
    new File([text], name, { type });
  const upload = (input: object) => fixture.call('uploadFiles', { collection: 'Docs', lang: 'en', ...input });
  const get = (key: string) => fixture.call('getDocument', { collection: 'docs', key, lang: 'en' });

  it('stores one file under a key made of its name, and returns it', async () => {
    const answer = await upload({ file: file('My Long Note.md', '---\ncategory: news\n---\n# Note', 'text/markdown') });
    expect(answer).toEqual({
      key: 'my-long-note',
      format: 'md',
      converted: false,
      profile: 'default',
      document: {
        id: 'docs|my-long-note|en',
        key: 'my-long-note',
        lang: 'en',
        contentMd: '# Note',
        addedAt: START,
        updatedAt: START,
        meta: {
          category: ['news'],
          upload_converted: ['false'],
          upload_filename: ['My Long Note.md'],
          upload_format: ['md'],
        },
      },
    });
    expect(converter.files[0]).toMatchObject({ name: 'My Long Note.md', contentType: 'text/markdown' });
  });

  it('takes key, metadata and time to live of the request, which win over what the file says of itself', async () => {
    await upload({ file: file('a.txt', 'Title: Of the file\nBody'), key: 'Chosen', meta: { tags: ['x'] }, ttl: 60 });
    expect(await get('Chosen')).toMatchObject({ meta: { title: ['Of the file'], tags: ['x'] }, expiresAt: START + 60 });
    await upload({
      file: file('a.txt', 'Title: Of the file\nBody'),
      key: 'Chosen',
      meta: { title: ['Mine'], upload_format: ['none'] },
    });
    expect((await get('Chosen')).meta).toMatchObject({ title: ['Mine'], upload_format: ['txt'] });
  });

  it("converts other formats, says so, and passes on the converter's warnings", async () => {
    const answer = await upload({ file: file('settings.YAML', 'odd: 1') });
    expect(answer).toMatchObject({
      format: 'yaml',
      converted: true,
      warnings: ['the content is odd'],
      document: { contentMd: '```yaml\nodd: 1\n```', meta: { upload_converted: ['true'] } },
    });
  });

  it('counts files that are not valid UTF-8', async () => {
    expect(await upload({ file: file('a.txt', Uint8Array.of(0x61, 0xff)) })).toMatchObject({ sanitized: 1 });
    expect(await upload({ 'files[]': [file('a.txt', Uint8Array.of(0x61, 0xff)), file('b.txt')] })).toMatchObject({
      sanitized: 1,
    });
  });

  it('takes other endings of markdown and pages, and names without one', async () => {
    for (const name of ['A.markdown', 'b.mdx', 'README']) await upload({ file: file(name, 'text') });
    await expect(upload({ file: file('c.xhtml') })).rejects.toThrow('is no format of this converter');
    expect((await get('a')).meta).toMatchObject({ upload_filename: ['A.markdown'] });
    expect((await get('readme')).contentMd).toBe('text');
  });

  it.each([['a missing file', {}, 400, 'missing_fields', 'missing fields: file'], ['an extension', {
    file: file('hello.exe'),
  }, 400, 'invalid_argument', 'file hello.exe has an unsupported extension; taken are .md, .txt, '], ['a size', {
    file: file('a.md', 'x'.repeat(11)),
    maxSize: 10,
  }, 413, 'payload_too_large', 'file a.md is larger than 10 bytes'], ['a size beyond what may be asked for', {
    file: file('a.md'),
    maxSize: 104_857_601,
  }, 400, 'invalid_argument', 'maxSize must be at most 104857600'], ['a name that makes no key', {
    file: file('  .md'),
  }, 400, 'missing_fields', 'missing fields: key'], ['a key', { file: file('a.md'), key: 'a|b' }, 400,
    'invalid_argument', 'key must not contain'], ['a text in place of a file', { file: 'text' }, 400,
    'invalid_argument', 'file must be a file'], ['a file without text', { file: file('a.txt', 'fault:no_text') }, 400,
    'invalid_argument', 'file a.txt is no_text'], ['a bomb', { file: file('a.txt', 'fault:too_large') }, 413,
    'payload_too_large', 'file a.txt is too_large'], ['an encrypted file', { file: file('a.txt', 'fault:encrypted') },
    422, 'conversion_failed', 'file a.txt is encrypted'], ['a file that killed its worker', {
    file: file('a.txt', 'fault:crashed'),
  }, 422, 'conversion_failed', 'file a.txt is crashed'], ['a profile', { file: file('a.md'), profile: 'slow' }, 400,
    'invalid_argument', 'profile']])('refuses %s', async (_, input, status, code, message) => {
      await expect(upload(input)).rejects.toMatchObject({ status, code, message: expect.stringContaining(message) });
      expect(await fixture.count('documents')).toBe(0);
    });

  it("refuses metadata that violate the collection's schema", async () => {
    await fixture.call('setSchema', { collection: 'docs', schema: { properties: { size: { type: 'integer' } } } });
    await expect(upload({ file: file('a.md'), meta: { size: ['x'] } })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  describe('of several files', () => {
    it('stores those that can be stored and counts the others', async () => {
      await upload({ file: file('b.md') });
      const answer = await upload({
        key: 'ignored',
        maxSize: 40,
        'files[]': [file('a.md'), file('bad.exe'), file('b.txt', 'new'), file('broken.log', 'fault:damaged'),
          file('a.log', 'the same key'), file('large.md', 'x'.repeat(41)), file(' .md'), file('c.log')],
      });
      expect(answer).toEqual({
        added: 2,
        updated: 1,
        failed: 5,
        profile: 'default',
        errors: ['1 bad.exe: has an unsupported extension', '3 broken.log: is damaged',
          '4 a.log: makes the key of a.md, which is in the same batch; upload it by itself with a key of its own',
          '5 large.md: is larger than 40 bytes', '6  .md: missing fields: key'],
        results: [['a', 'md', false], ['b', 'txt', false], ['c', 'log', true]].map(([key, format, converted]) => ({
          key,
          format,
          converted,
          document: expect.objectContaining({ key, contentMd: expect.any(String) }),
        })),
      });
      expect((await get('b')).contentMd).toBe('new');
    });

    it('is a batch also for one file in the list', async () => {
      expect(await upload({ 'files[]': [file('a.md')] })).toMatchObject({ added: 1, results: [{ key: 'a' }] });
    });

    it('leaves the contents out that the response has no room for', async () => {
      fixture.answerBytes = 3000;
      const answer = await upload({
        'files[]': Array.from({ length: 150 }, (_, i) => file(`n${i}.md`, 'x'.repeat(1000))),
      }) as { added: number; results: { document: { contentMd?: string } }[] };
      expect([answer.added, answer.results.length,
        answer.results.filter(({ document }) => document.contentMd !== undefined).length]).toEqual([150, 150, 2]);
    });
  });

  describe('profile fast', () => {
    it('keeps plain text and no revision, calls no webhook, and leaves duplicates alone', async () => {
      expect(await upload({ file: file('a.md'), profile: 'fast' })).toMatchObject({ profile: 'fast' });
      fixture.advance(5);
      expect(await upload({ 'files[]': [file('a.md')], profile: 'fast' })).toMatchObject({
        added: 0,
        updated: 1,
        results: [{ document: { updatedAt: START } }],
      });
      expect(await fixture.count('revisions')).toBe(0);
      expect((await fixture.changes()).map(({ flags }) => flags)).toEqual([
        CHANGE_FLAGS.CREATED | CHANGE_FLAGS.SKIP_WEBHOOKS,
      ]);
      expect(converter.files[0]!.options).toMatchObject({ textOnly: true });
    });
  });

  it('ends when the client has gone', async () => {
    const gone = new AbortController();
    gone.abort(new Error('gone'));
    await expect(
      fixture.call('uploadFiles', { collection: 'docs', lang: 'en', 'files[]': [file('a.md'), file('b.md')] },
        gone.signal),
    ).rejects.toThrow('gone');
    expect(await fixture.count('documents')).toBe(0);
  });
});

describe('the key of a file', () => {
  it.each([['My Note.MD', 'my-note'], ['a.b.pdf', 'a.b'], ['no extension', 'no-extension'], ['folder/x.txt', 'x'], [
    'C:\\folder\\x.txt',
    'x',
  ], ['ÜBER uns.html', 'über-uns'], [' .md', ''], ['x.exe', 'x.exe'], ['a  b.md', 'a--b']])('of %s is %s',
    (name, key) => {
      expect(keyOfFile(name)).toBe(key);
    });
});
