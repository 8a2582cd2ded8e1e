import { describe, expect, it } from 'vitest';
import { convert, fault, markdown } from '../test-fixture.ts';

const md = (source: string) => markdown(source, 'a.tex');

describe('LaTeX', () => {
  it('keeps sections, paragraphs, emphasis and characters', async () => {
    expect(
      await md(
        "\\section{One \\emph{two}}\nText --- ``quoted'' na\\\"ive \\c{c}a \\o{} 50\\% % comment\n goes " +
          'on.\n\n{\\bf bold} and \\textit{slanted}~x\\\\next \\texttt{a_b}',
      ),
    ).toBe('# One *two*\n\nText — “quoted” naïve ça ø 50% goes on.\n\n**bold** and *slanted* x\\\nnext `a_b`');
  });

  it('has chapters above sections', async () => {
    expect(await md('\\chapter{C}\\section*{S}')).toBe('# C\n\n## S');
  });

  it('keeps lists, nested, with labels and several paragraphs', async () => {
    expect(
      await md(
        '\\begin{enumerate}\\item one\n\nmore\\begin{itemize}\\item inner\\end{itemize}\\item ' +
          'two\\end{enumerate}\\begin{description}\\item[Term] what\\end{description}',
      ),
    ).toBe('1. one\n\n   more\n   - inner\n2. two\n\n- **Term** what');
  });

  it('keeps tables, with cells over several columns', async () => {
    expect(
      await md(
        '\\begin{tabular}{l|c}\\hline a & b \\& c\\\\[2pt]\\hline \\multicolumn{2}{c}{wide}\\\\ {x & y} & $z$ ' +
          '\\end{tabular}',
      ),
    ).toBe('| a | b & c |\n| - | - |\n| wide | |\n| x y | $z$ |');
  });

  it('keeps formulas, code, notes and links', async () => {
    expect(
      await md(
        '$x_1 < 2$ \\verb|a{b| \\footnote{Note.} \\href{https://a.example/}{t}\n\\[ a^2 ' +
          '\\]\n\\begin{lstlisting}[language=C,caption={A \\emph{cap}}]\nint x;\n  % y\n\\end{lstlisting}',
      ),
    ).toBe(
      '$x_1 < 2$ `a{b` [^1] [t](https://a.example/)\n\n$$\na^2\n$$\n\nA *cap*\n\n```c\nint x;\n  % ' +
        'y\n```\n\n[^1]: Note.',
    );
  });

  it('expands what the document defines', async () => {
    expect(
      await md(
        '\\newcommand{\\hi}[2][you]{Hi #1, #2!}\\def\\a#1{<#1>}\\newenvironment{box}[1]{(#1: }{)}\\hi{x} ' +
          '\\hi[me]{y} \\a{z} \\begin{box}{t}in\\end{box}\\newtheorem{thm}{Theorem}\\begin{thm}True.\\end{thm}',
      ),
    ).toBe('Hi you, x! Hi me, y! \\<z> (t: in)\n\n**Theorem**. True.');
  });

  it('reads title, authors and language from the preamble, and the body only', async () => {
    const { contentMd, meta } = await convert(
      '\\documentclass{article}\\usepackage[english,ngerman]{babel}\\title{T}\\author{Ada\\thanks{x} \\and ' +
        'Bob}\\date{2020-01-02}\\setlength{\\parindent}{0pt}\\begin{document}\\maketitle Hello\\end{document} after',
      'a.tex',
    );
    expect({ contentMd, meta }).toEqual({
      contentMd: '# T\n\nHello\n',
      meta: { title: ['T'], author: ['Ada', 'Bob'], lang: ['de'], created: ['2020-01-02'] },
    });
  });

  it('keeps the text of boxes and colours, and drops their sizes', async () => {
    expect(
      await md(
        '\\textcolor[rgb]{1,0,0}{red} \\makebox[2cm][l]{box} \\parbox[t]{3cm}{par} \\rotatebox{90}{turned} ' +
          '\\scalebox{2}{large} \\vspace*{1cm}\\hspace{2em}end\\thanks{A note.}',
      ),
    ).toBe('red box par turned large end[^1]\n\n[^1]: A note.');
  });

  it('reads no other file, and says so', async () => {
    expect((await convert('a \\input{/etc/passwd} b', 'a.tex')).warnings).toEqual([
      'Files that it includes were not read: /etc/passwd.',
    ]);
  });

  it.each([['definitions that grow without end', '\\def\\a{\\a\\a}\\a', ['too_large', 'too_deep']], [
    'definitions that double',
    `${
      Array.from({ length: 40 }, (_, i) =>
        `\\newcommand{\\${'x'.repeat(i + 1)}}{\\${'x'.repeat(i + 2)}\\${'x'.repeat(i + 2)}}`).join('')
    }\\x`,
    ['too_large', 'too_deep'],
  ], ['groups', '{'.repeat(100_000), ['too_deep']], ['tables in tables', '\\begin{tabular}{c}'.repeat(1000), [
    'too_deep',
  ]], ['footnotes in footnotes', '\\footnote{'.repeat(1000), ['too_deep']]])('is refused with %s',
    async (_, source, faults) => {
      expect(faults).toContain(await fault(source, 'a.tex'));
    });

  it.each(['\\(', '\\[', '\\iffalse '])('is read once, however often it begins something that does not end: %s',
    async (start) => {
      expect(await md(`x${start.repeat(100_000)} y`)).toMatch(/^x/);
    });
});
