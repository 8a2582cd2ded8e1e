import { describe, expect, it } from 'vitest';
import { convert, docx, fault, odt, pdf, zip } from './test-fixture.ts';

const PAGE = '<!DOCTYPE html><html><body><p>Hello there</p></body></html>';

describe('the format of a file', () => {
  it('is what its content says, and a name that differs is a warning', async () => {
    const file = await docx('<w:p><w:r><w:t>Hello</w:t></w:r></w:p>');
    const { format, contentMd, warnings } = await convert(file, 'report.pdf');
    expect({ format, contentMd, warnings }).toEqual({
      format: 'docx',
      contentMd: 'Hello\n',
      warnings: ['The name ends in .pdf, but the content is DOCX.'],
    });
  });

  it.each([['a page that is called .txt', PAGE, 'a.txt', 'html'], ['a page that is called .pdf', PAGE, 'a.pdf', 'html'],
    ['text that is called .docx', 'plain words', 'a.docx', 'txt'], ['markdown that begins with markup',
    '<h1 align="center">T</h1>\n\ntext', 'a.md', 'md'], ['text that is called .htm', PAGE, 'a.htm', 'htm']])('%s',
      async (_, content, name, format) => {
        expect((await convert(content, name)).format).toBe(format);
      });

  it('is the media type when the name has no extension', async () => {
    expect((await convert('# T', 'page', { contentType: 'text/markdown' })).format).toBe('md');
    expect((await convert('<p>T</p>', 'page.php', { contentType: 'text/html; charset=utf-8' })).format).toBe('html');
    expect((await convert(PAGE, 'page')).format).toBe('html');
    expect((await convert('text', '')).format).toBe('txt');
  });

  it.each([['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'a.md', 'unsupported'], [
    'an unknown extension',
    Buffer.from('a,b'),
    'a.csv',
    'unsupported',
  ], ['an unknown media type', Buffer.from('{}'), 'a', 'none'], ['bytes that are no text', Buffer.from([1, 2, 0, 4]),
    'a.txt', 'unsupported'], ['bytes that are no PDF', Buffer.from([1, 2, 0, 4]), 'a.pdf', 'damaged'], ['an empty PDF',
    Buffer.alloc(0), 'a.pdf', 'damaged'], ['an empty text', Buffer.alloc(0), 'a.txt', 'none'], ['an old Word file',
    Buffer.concat([Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), Buffer.alloc(600)]), 'a.docx',
    'unsupported'], ['an encrypted Word file',
    Buffer.concat([Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
      Buffer.from('EncryptedPackage', 'utf16le')]), 'a.docx', 'encrypted']])('%s',
      async (_, content, name, expected) => {
        expect(await fault(content, name)).toBe(expected);
      });

  it('of other archives is refused by what they are', async () => {
    await expect(convert(await zip({ '[Content_Types].xml': '', 'xl/workbook.xml': '' }), 'a.docx')).rejects
      .toMatchObject({ fault: 'unsupported', message: expect.stringContaining('XLSX') as string });
    await expect(convert(await zip({ 'a.txt': 'x' }), 'a.docx')).rejects.toMatchObject({ fault: 'unsupported' });
    await expect(convert(await zip({ mimetype: 'application/epub+zip' }), 'a.odt')).rejects.toMatchObject({
      fault: 'unsupported',
      message: expect.stringContaining('epub') as string,
    });
    expect((await convert(await odt('<text:p>x</text:p>'), 'a')).format).toBe('odt');
    expect((await convert(pdf([{ texts: [{ x: 72, y: 700, text: 'x' }] }]), 'a.bin')).format).toBe('pdf');
  });
});
