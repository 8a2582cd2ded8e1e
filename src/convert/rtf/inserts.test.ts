import { describe, expect, it } from 'vitest';
import { markdown } from '../test-fixture.ts';

const HEAD = '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Times;}{\\f1\\fcharset2 Wingdings;}{\\f2\\fcharset2 Symbol;}' +
  '{\\f3\\fmodern Courier New;}}{\\stylesheet{\\s0 Normal;}{\\s1\\ls2\\ilvl0 heading 1;}{\\s2\\ls2\\ilvl1 heading 2;}}' +
  "{\\*\\listtable{\\list{\\listlevel\\levelnfc0\\levelstartat1{\\leveltext\\'02\\'00.;}}" +
  "{\\listlevel\\levelnfc4\\levelstartat1{\\leveltext\\'03(\\'01);}}{\\listlevel\\levelnfc2\\levelstartat1" +
  "{\\leveltext\\'06(\\'01)(\\'02);}}\\listid5}{\\list{\\listlevel\\levelnfc0\\levelstartat1{\\leveltext\\'01\\'00;}}" +
  "{\\listlevel\\levelnfc0\\levelstartat1{\\leveltext\\'03\\'00.\\'01;}}\\listid6}{\\list{\\listlevel\\levelnfc23" +
  "{\\leveltext\\'01\\u-3928 ?;}\\f1}\\listid7}}{\\*\\listoverridetable{\\listoverride\\listid5\\ls1}" +
  '{\\listoverride\\listid6\\ls2}{\\listoverride\\listid5{\\lfolevel\\listoverridestartat\\levelstartat4}\\ls3}' +
  '{\\listoverride\\listid7\\ls4}}';
const md = (body: string) => markdown(Buffer.from(`${HEAD}${body}}`, 'latin1'), 'a.rtf');

describe('an RTF', () => {
  it('numbers headings, clauses and lists that start anew', async () => {
    expect(await md('\\pard\\s1 One\\par\\pard\\s2 Inner\\par\\pard\\s1 Two\\par\\pard\\s2 Inner\\par')).toBe(
      '# 1 One\n\n## 1.1 Inner\n\n# 2 Two\n\n## 2.1 Inner',
    );
    expect(
      await md(
        '\\pard\\ls1\\ilvl0 fees\\par\\ilvl1 a\\par\\ilvl2 i\\par\\ilvl2 ii\\par\\pard x\\par\\pard\\ls3 four\\par',
      ),
    ).toBe('1. fees\n   - (a) a\n     - (a)(i) i\n     - (a)(ii) ii\n\nx\n\n4. four');
  });

  it('prefers the labels that the file keeps for other readers', async () => {
    expect(
      await md(
        '{\\listtext\\pard\\plain 7.\\tab}\\pard\\ls1 seven\\par{\\listtext (h)\\tab}\\pard\\ls1\\ilvl1 h\\par' +
          '{\\pntext\\pard 2)\\tab}\\pard{\\*\\pn\\pnlvlbody{\\pntxta )}}old\\par',
      ),
    ).toBe('7. seven\n   - (h) h\n\n2) old');
  });

  it('reads boxes as tasks, ticks and Greek letters', async () => {
    expect(await md("{\\listtext\\f1\\'a8\\tab}\\pard\\ls4 open\\par{\\listtext\\f1\\'fe\\tab}\\pard\\ls4 done\\par"))
      .toBe('- [ ] open\n- [x] done');
    expect(await md("\\pard{\\f1\\'fe} yes {\\f1\\u-3928 ?} no {\\f2 a}{\\f1 \\'fc}\\par")).toBe('☒ yes ☐ no α✓');
  });

  it('keeps superscripts apart from their number', async () => {
    expect(await md('\\pard 10{\\super 6} H{\\sub 2}O m{\\up6 -2} and x\\super n\\nosupersub  end\\par')).toBe(
      '10⁶ H₂O m⁻² and xⁿ end',
    );
  });

  it('keeps links with spaces and places', async () => {
    expect(await md('{\\field{\\*\\fldinst{HYPERLINK "https://e.example/my file" \\\\l "part"}}{\\fldrslt it}}\\par'))
      .toBe('[it](<https://e.example/my file#part>)');
  });

  it('reads form fields and fields that keep their result in the instruction', async () => {
    const form = (properties: string, result: string) =>
      `{\\field{\\*\\fldinst FORM{\\*\\formfield{${properties}{\\*\\ffname N}}}}{\\fldrslt ${result}}}`;
    expect(
      await md(
        `\\pard ${form('\\fftype1\\ffres25\\ffdefres1', '')} a ${form('\\fftype1\\ffres0\\ffdefres1', '')} b ${
          form('\\fftype2\\ffres1{\\*\\ffl Oslo}{\\*\\ffl Bergen}', '')
        } ${form('\\fftype0', 'Ada')} {\\field{\\*\\fldinst SYMBOL 252 \\\\f "Wingdings"}{\\fldrslt}}\\par`,
      ),
    ).toBe('☒ a ☐ b Bergen Ada ✓');
  });

  it('keeps descriptions of pictures apart from words, and the text of objects', async () => {
    const picture =
      '{\\*\\shppict{\\pict{\\*\\picprop\\shplid1{\\sp{\\sn wzDescription}{\\sv A tower}}{\\sp{\\sn x}{\\sv y}}}' +
      '\\pngblip ffd8}}{\\nonshppict{\\pict ffd8}}';
    expect(await md(`\\pard shows${picture}in {\\object\\objemb{\\*\\objdata 00ff}{\\result the object}}\\par`)).toBe(
      'shows ![A tower]() in the object',
    );
  });

  it('reads formulas', async () => {
    const formula =
      '{\\mmath{\\*\\moMath{\\md{\\mdPr{\\mbegChr [}{\\mendChr ]}{\\mctrlPr\\f0 }}{\\me{\\mf{\\mnum{\\mr\\mscr0 ' +
      'a}}{\\mden{\\mr b}}}}}{\\mr\\mnor  if}}}';
    expect(await md(`\\pard so ${formula}.\\par`)).toBe('so $\\left[\\frac{a}{b}\\right]\\text{ if}$.');
  });

  it('keeps a dropped letter with its word, and code with its lines', async () => {
    expect(await md('\\pard\\dropcapli3\\dropcapt1 O\\par\\pard nce\\par')).toBe('Once');
    expect(await md('\\pard Run:\\par\\pard\\f3 if x:\\par\\par     go(x)\\par\\pard\\f0 End\\par')).toBe(
      'Run:\n\n```\nif x:\n\n    go(x)\n```\n\nEnd',
    );
  });

  it('keeps tables inside cells, at any depth', async () => {
    const inner =
      '\\pard\\intbl\\itap2 In 1\\nestcell In 2\\nestcell{\\*\\nesttableprops\\trowd\\cellx6000\\cellx8000' +
      '\\nestrow}{\\nonesttables\\par}';
    const row = '\\trowd\\cellx4000\\cellx8000';
    expect(
      await md(
        `${row}\\pard\\intbl left\\cell${inner}\\pard\\intbl\\itap1 after\\cell\\row${row}\\pard\\intbl a\\cell ` +
          'b\\cell\\row\\pard end\\par',
      ),
    ).toBe('| left | In 1; In 2<br>after |\n| - | - |\n| a | b |\n\nend');
    const deep = Array.from({ length: 40 }, (_, at) => `\\itap${at + 1} x${at} `).join('\\par');
    expect(await md(`\\pard\\intbl${deep}\\par\\pard end\\par`)).toContain('end');
  });
});
