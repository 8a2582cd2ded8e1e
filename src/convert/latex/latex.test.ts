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

  it('has the names of programs of TeX', async () => {
    expect(await md('\\LaTeXML{} reads \\LaTeX, \\ConTeXt{} and \\AmSTeX.')).toBe(
      'LaTeXML reads LaTeX, ConTeXt and AMS-TeX.',
    );
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

  it.each([['calls itself', '\\def\\a{x\\a y}\\a', '\\a'], ['calls itself twice', '\\def\\a{\\a\\a}\\a', '\\a'], [
    'calls itself in an argument',
    '\\newcommand{\\a}[1]{\\textbf{\\a{#1#1}}}\\a{x}',
    '\\a',
  ], ['calls another that calls it', '\\def\\a{\\b}\\def\\b{\\a}\\a', '\\'], [
    'is an environment in itself',
    '\\newenvironment{a}{\\begin{a}}{\\end{a}}\\begin{a}x\\end{a}',
    '\\begin{a}',
  ], ['doubles',
    `${
      Array.from({ length: 40 }, (_, i) =>
        `\\newcommand{\\${'x'.repeat(i + 1)}}{\\${'x'.repeat(i + 2)}\\${'x'.repeat(i + 2)}}`).join('')
    }\\x`, '\\x']])('leaves a definition that %s, and reads the rest', async (_, source, named) => {
      const { contentMd, warnings } = await convert(`before ${source} after`, 'a.tex');
      expect(contentMd).toMatch(/^before/);
      expect(contentMd).toMatch(/after$/m);
      expect(contentMd.length).toBeLessThan(200_000);
      expect(warnings.join()).toContain(`Definitions without end were left as they are: ${named}`);
    });

  it('adds spaces for xspace, and reads macros within their own arguments', async () => {
    expect(
      await md(
        '\\newcommand{\\ie}{i.e.\\xspace}\\newcommand{\\hi}[1]{<#1>}\\ie good, \\ie, (\\ie) \\hi{a \\hi{\\hi{b}}}',
      ),
    ).toBe('i.e. good, i.e., (i.e.) \\<a <\\<b>>>');
  });

  it('writes quantities of siunitx, and superscripts', async () => {
    expect(
      await md(
        '\\SI{5}{\\kilo\\gram}; \\qty{3.5e-3}{\\metre\\per\\second\\squared}; \\num{1e6}; \\SI{20}{\\celsius}; ' +
          '\\SIrange{1}{2}{kg.m/s^2}; \\ang{5;6;}; \\SI{50}{\\percent}; \\si{\\joule\\per\\mole\\per\\kelvin}; ' +
          '10\\textsuperscript{6}, H\\textsubscript{2}O',
      ),
    ).toBe('5 kg; 3.5 × 10⁻³ m/s²; 1 × 10⁶; 20 °C; 1–2 kg m/s²; 5°6′; 50 %; J/(mol K); 10⁶, H₂O');
  });

  it('has a heading for each slide of beamer', async () => {
    expect(
      await md(
        '\\documentclass{beamer}\\begin{document}\\begin{frame}[t]{One}{Sub}\\begin{itemize}\\item<1-> a\\pause\\item<2> ' +
          '\\only<2>{b} \\alert<3>{c}\\end{itemize}\\begin{block}<2->{Definition}D.\\end{block}\\end{frame}\\begin{frame}' +
          '\\frametitle{Two}\\begin{columns}[T]\\begin{column}{.5\\textwidth}L\\end{column}\\end{columns}\\end{frame}' +
          '\\end{document}',
      ),
    ).toBe('## One\n\nSub\n\n- a\n- b c\n\n**Definition**\n\nD.\n\n## Two\n\nL');
  });

  it.each([['algorithmicx',
    '\\begin{algorithmic}[1]\\Require $n$\\If{$n<1$} \\Comment{small}\\State \\Return 0 ' +
    '\\Else \\State \\Call{F}{$n$}\\EndIf\\end{algorithmic}'], ['algorithmic',
    '\\begin{algorithmic}\\REQUIRE $n$\\IF{$n<1$} \\COMMENT{small}\\STATE \\RETURN 0\\ELSE\\STATE F($n$)\\ENDIF' +
    '\\end{algorithmic}']])('writes one statement of %s on a line', async (_, source) => {
      expect(await md(source)).toBe(
        '```\nRequire: $n$\nif $n<1$ then // small\n  return 0\nelse\n  F($n$)\nend if\n```',
      );
    });

  it('writes one statement of algorithm2e on a line', async () => {
    expect(
      await md(
        '\\begin{algorithm}[H]\\SetAlgoLined\\KwIn{$n$}\\While{$n>0$}{$n \\gets n-1$\\; \\eIf{odd}{a\\;}{b\\;}}' +
          '\\Return{$n$}\\;\\caption{Countdown}\\end{algorithm}',
      ),
    ).toBe(
      'Countdown\n\n```\nInput: $n$\nwhile $n>0$ do\n  $n \\gets n-1$\n  if odd then\n    a\n  else\n    b\n' +
        'return $n$\n```',
    );
  });

  it.each([['groups', '{'.repeat(100_000), ['too_deep']], ['tables in tables', '\\begin{tabular}{c}'.repeat(1000), [
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
