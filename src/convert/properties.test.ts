import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConversionError, type ConversionFault } from './contract.ts';
import { convertFile, faultOf } from './convert-file.ts';
import { docx, odt, pdf, zip } from './test-fixture.ts';

const FAULTS: readonly ConversionFault[] = ['unsupported', 'no_text', 'empty', 'damaged', 'encrypted', 'too_large',
  'too_deep'];
const RTF =
  "{\\rtf1\\ansi{\\fonttbl{\\f0 Times;}}\\pard\\b bold\\b0  caf\\'e9 \\u8364?{\\field{\\*\\fldinst{HYPERLINK " +
  '"https://a.example/"}}{\\fldrslt x}}\\par\\trowd\\cellx100\\pard\\intbl a\\cell\\row{\\footnote n}}';
const TEX =
  '\\documentclass{article}\\newcommand{\\x}[1]{#1}\\begin{document}\\section{A}\\x{b} $c$ \\begin{itemize}\\item ' +
  'd\\end{itemize}\\begin{tabular}{c}e & f\\\\\\end{tabular}\\footnote{g}\\verb|h|\\end{document}';
const HTML = '<!doctype html><html><head><meta ' +
  'charset=utf-8><title>T</title></head><body><nav>n</nav><main><h1>A</h1><table><tr><td ' +
  'rowspan=2>b<td>c</table><ul><li>d</ul><pre>e</pre><a href=f>g</a></main></body></html>';
const samples: { name: string; bytes: Uint8Array }[] = [];

/** The only allowed results for a file: a conversion or a fault. */
async function outcome(bytes: Uint8Array, name: string): Promise<'converted' | ConversionFault> {
  try {
    const { contentMd, meta, warnings, repaired } = await convertFile({
      bytes: Uint8Array.from(bytes),
      name,
      contentType: undefined,
      textOnly: undefined,
      mainContent: undefined,
      baseUrl: undefined,
      maxOutput: 1_000_000,
    });
    expect(typeof contentMd === 'string' && contentMd.isWellFormed() && repaired >= 0 && Array.isArray(warnings)).toBe(
      true,
    );
    for (const values of Object.values(meta)) expect(values.every((value) => typeof value === 'string')).toBe(true);
    return 'converted';
  } catch (error) {
    const fault = faultOf(error);
    expect(fault).toBeInstanceOf(ConversionError);
    expect(FAULTS).toContain(fault.fault);
    return fault.fault;
  }
}

/** Bytes with some of them changed, repeated or removed. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  length: fc.nat(12),
  with: fc.uint8Array({ maxLength: 12 }),
  times: fc.integer({ min: 1, max: 3 }),
});

function mutated(bytes: Uint8Array,
  changes: readonly { at: number; length: number; with: Uint8Array; times: number }[]): Uint8Array
{
  let buffer = Buffer.from(bytes);
  for (const change of changes) {
    const at = Math.floor(change.at * buffer.length);
    buffer = Buffer.concat([buffer.subarray(0, at), ...Array.from({ length: change.times }, () =>
      Buffer.from(change.with)), buffer.subarray(at + change.length)]);
  }
  return buffer;
}

beforeAll(async () => {
  samples.push({
    name: 'a.docx',
    bytes: await docx(
      '<w:p><w:pPr><w:numPr><w:numId ' +
        'w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>',
    ),
  }, {
    name: 'a.odt',
    bytes: await odt(
      '<text:h ' +
        'text:outline-level="1">x</text:h><text:list><text:list-item><text:p>y</text:p></text:list-item></text:list>',
    ),
  }, { name: 'a.rtf', bytes: Buffer.from(RTF) }, { name: 'a.tex', bytes: Buffer.from(TEX) }, {
    name: 'a.html',
    bytes: Buffer.from(HTML),
  }, { name: 'a.pdf', bytes: pdf([{ texts: [{ x: 72, y: 700, text: 'some text' }] }]) }, {
    name: 'a.md',
    bytes: Buffer.from('---\na: 1\n---\n# T'),
  }, { name: 'a.yaml', bytes: Buffer.from('a: [b]') });
});

describe('every converter', () => {
  it('converts its sample', async () => {
    for (const { name, bytes } of samples) expect([name, await outcome(bytes, name)]).toEqual([name, 'converted']);
  });

  it('returns a conversion or a fault for any bytes', async () => {
    const starts = fc.constantFrom('', '%PDF-1.4\n', '{\\rtf1', 'PK\x03\x04', '<html>', '\\documentclass', '\xff\xfe',
      '---\n');
    await fc.assert(
      fc.asyncProperty(starts, fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('a.docx', 'a.odt', 'a.rtf', 'a.tex', 'a.html', 'a.pdf', 'a.md', 'a.log'),
        async (start, bytes, name) => {
          await outcome(Buffer.concat([Buffer.from(start, 'latin1'), bytes]), name);
        }),
      { numRuns: 150 },
    );
  });

  it('returns a conversion or a fault for files with changed bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(7), fc.array(mutation, { minLength: 1, maxLength: 4 }), async (index, changes) => {
        const { name, bytes } = samples[index]!;
        await outcome(mutated(bytes, changes), name);
      }),
      { numRuns: 250 },
    );
  });

  it('returns a conversion or a fault for office files whose XML was changed', async () => {
    const xml = '<w:document ' +
      'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>';
    await fc.assert(fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (changes) => {
      await outcome(await zip({ 'word/document.xml': Buffer.from(mutated(Buffer.from(xml), changes)) }), 'a.docx');
    }), { numRuns: 100 });
  });
});
