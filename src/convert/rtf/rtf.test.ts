import { describe, expect, it } from 'vitest';
import { convert, fault, markdown } from '../test-fixture.ts';

const HEAD = '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Times;}{\\f1\\fcharset204 Arial Cyr;}{\\f2\\fcharset128 MS ' +
  'Mincho;}{\\f3\\fmodern Courier New;}}{\\stylesheet{\\s0 Normal;}{\\s1 heading 1;}{\\s2\\outlinelevel1 ' +
  'Own;}}{\\*\\listtable{\\list{\\listlevel\\levelnfc0\\levelstartat1}{\\listlevel\\levelnfc23}\\listid5}}{\\*\\listoverridetable{\\listoverride\\listid5\\ls1}}';
const rtf = (body: string) => `${HEAD}${body}}`;
const md = (body: string) => markdown(Buffer.from(rtf(body), 'latin1'), 'a.rtf');

describe('an RTF', () => {
  it('keeps headings by style and by outline level', async () => {
    expect(await md('\\pard\\s1 One\\par\\pard\\s2 Two\\par\\pard\\outlinelevel2 Three\\par\\pard text\\par')).toBe(
      '# One\n\n## Two\n\n### Three\n\ntext',
    );
  });

  it('keeps emphasis until its group ends, and a last paragraph without an end', async () => {
    expect(await md('\\pard a {\\b bold {\\i both}} \\i slanted\\i0  {\\v hidden}{\\f3 code} end')).toBe(
      'a **bold _both_** *slanted* `code` end',
    );
  });

  it('reads code pages of fonts, Unicode with its fallback, and special characters', async () => {
    expect(
      await md(
        "\\pard caf\\'e9 {\\f1\\'cf\\'f0\\'e8} {\\f2\\'93\\'fa\\'96\\'7b} \\u8364? \\uc2\\u26085 ab\\uc1 " +
          '\\u-10179?\\u-8704? \\endash \\~x\\par',
      ),
    ).toBe('café При 日本 € 日😀 –\u00a0x');
  });

  it('keeps lists by their table, nested', async () => {
    expect(await md('\\pard\\ls1\\ilvl0 one\\par\\ilvl1 inner\\par\\ilvl0 two\\par')).toBe(
      '1. one\n   - inner\n2. two',
    );
    expect(await md('\\pard{\\pntext\\bullet\\tab}{\\*\\pn\\pnlvlblt}one\\par')).toBe('- one');
  });

  it('keeps tables with merged cells', async () => {
    const body = '\\trowd\\cellx1000\\cellx2000\\pard\\intbl a\\cell b\\cell\\row\\trowd\\cellx2000\\pard\\intbl ' +
      'wide\\cell\\row\\trowd\\clvmgf\\cellx1000\\cellx2000\\pard\\intbl tall\\cell ' +
      'c\\cell\\row\\trowd\\clvmrg\\cellx1000\\cellx2000\\pard\\intbl\\cell d\\cell\\row\\pard after\\par';
    expect(await md(body)).toBe('| a | b |\n| - | - |\n| wide | |\n| tall | c |\n| | d |\n\nafter');
  });

  it('keeps links and notes, and leaves out headers, pictures and comments', async () => {
    expect(
      await md(
        '{\\header head}\\pard {\\field{\\*\\fldinst{HYPERLINK "https://a.example/"}}{\\fldrslt{\\ul link}}} ' +
          'x{\\footnote\\pard the note}.{\\pict ffd8}{\\*\\annotation no}\\par',
      ),
    ).toBe('[link](https://a.example/) x[^1].\n\n[^1]: the note');
  });

  it('says its metadata, in Unicode where it has both', async () => {
    expect(
      (await convert(
        Buffer.from(
          rtf(
            '{\\info{\\upr{\\title ??}{\\*\\ud{\\title \\u26085?}}}{\\author ' +
              'Ada}{\\creatim\\yr2004\\mo10\\dy28\\hr10\\min19}}\\deflang1031 x\\par',
          ),
        ),
        'a.rtf',
      )).meta,
    ).toEqual({ title: ['日'], author: ['Ada'], lang: ['de'], created: ['2004-10-28T10:19'] });
  });

  it('that is cut off is converted with a warning, and refused without text or nested too deeply', async () => {
    const { contentMd, warnings } = await convert(`${HEAD}\\pard cut {\\b off`, 'a.rtf');
    expect({ contentMd, warnings }).toEqual({
      contentMd: 'cut **off**\n',
      warnings: ['The file ends inside a group; it may be cut off.'],
    });
    expect(await fault('{\\rtf1{\\fonttbl{\\f0 T', 'a.rtf')).toBe('damaged');
    expect(await fault(`{\\rtf1${'{'.repeat(100_000)}`, 'a.rtf')).toBe('too_deep');
  });

  it('counts halves of characters that it had to replace', async () => {
    expect(await convert(rtf('\\pard a\\u-10179?b\\par'), 'a.rtf')).toMatchObject({
      contentMd: 'a\ufffdb\n',
      repaired: 1,
    });
  });

  it('reads a row of any number of cells', async () => {
    expect(await markdown(`{\\rtf1 ${'\\intbl x\\cell '.repeat(60_000)}\\row end}`, 'a.rtf')).toContain('end');
  });
});
