import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkCode, chunkProse } from '../../text/chunk/index.ts';
import { createChunker, type Cuttable, embeddedText } from './chunker.ts';

const SETTINGS = { chunkEnabled: true, chunkSize: 120 };
const text = fc.array(
  fc.constantFrom('word ', 'ß', '🧭', '\n', '\n\n', '# ', '{', '}', '  ', '。', 'long'.repeat(20), '\u3000'),
  { maxLength: 80 },
).map((parts) => parts.join(''));

describe('chunksOf', () => {
  it('cuts prose and code by their own rules, and reports where each chunk stands', () => {
    const { chunksOf } = createChunker(SETTINGS);
    fc.assert(fc.property(text, fc.boolean(), (contentMd, code) => {
      const expected = code ? chunkCode(contentMd, 'typescript', 120) : chunkProse(contentMd, 120);
      const bytes = Buffer.from(contentMd);
      const chunks = chunksOf({ key: code ? 'a.ts' : 'a', meta: {}, contentMd });
      expect(chunks).toEqual(
        expected.map((chunk) => ({ ...chunk, text: bytes.toString('utf8', chunk.start, chunk.end) })).filter((chunk) =>
          chunk.text.trim() !== ''
        ),
      );
    }));
  });

  it('lets an explicit kind and the server decide', () => {
    const names = (chunkMode?: 'code' | 'prose') => {
      const { chunkingOf } = createChunker({ ...SETTINGS, ...(chunkMode && { chunkMode }) });
      const documents: Cuttable[] = [{ key: 'a.ts', meta: {} }, { key: 'a.ts', meta: { kind: ['prose'] } }, {
        key: 'a',
        meta: { kind: ['code'] },
      }];
      return documents.map((document) => chunkingOf(document).split(' ')[0]);
    };
    expect(names()).toEqual(['code', 'prose', 'code']);
    expect(names('prose')).toEqual(['prose', 'prose', 'prose']);
    expect(names('code')).toEqual(['code', 'code', 'code']);
  });

  it('cuts passages that suit the model, with what stands above them, unless the settings name a size', () => {
    const style = { size: 60, leadWeight: 0.5, stored: 'int8' } as const;
    const { chunksOf, chunkingOf } = createChunker({ chunkEnabled: true }, () => style);
    const document = {
      key: 'a',
      meta: { title: ['Bread'] },
      contentMd:
        '# Rye\n\nRye bread is dark, and keeps for a week.\n\n## Sour\n\nSour dough needs flour, water, salt and ' +
        'days.\n',
    };
    expect(chunksOf(document).map((chunk) => [chunk.context, chunk.text, embeddedText(chunk)])).toEqual([['Bread',
      '# Rye\n\nRye bread is dark, and keeps for a week.', 'Bread\nRye\n\nRye bread is dark, and keeps for a week.'], [
      'Bread\nRye',
      '## Sour\n\nSour dough needs flour, water, salt and days.',
      'Bread\nRye\nSour\n\nSour dough needs flour, water, salt and days.',
    ]]);
    expect(chunkingOf(document)).toMatch(/^plain 60 /);
    expect(chunkingOf({ ...document, meta: { title: ['Loaf'] } })).not.toBe(chunkingOf(document));
    expect(createChunker({ chunkEnabled: true, chunkSize: 1000 }, () => style).chunksOf(document)).toHaveLength(1);
    const [first, second] = chunksOf({
      key: 'a',
      meta: {},
      contentMd: 'See [the **shop**](/en/shop) for more of it.\n\n```sh\nbuy --rye\n```\n',
    });
    expect([first!.text, embeddedText(first!)]).toEqual(['See [the **shop**](/en/shop) for more of it.',
      'See the shop for more of it.']);
    expect(embeddedText(second!)).toBe('```sh\nbuy --rye\n```');
    const code = { key: 'a.ts', meta: {}, contentMd: 'const a = 1;\n' };
    expect(chunksOf(code)[0]).not.toHaveProperty('context');
    expect(createChunker({ chunkEnabled: true }).chunkingOf(document)).toBe('prose 1500');
  });

  it('cuts documents in other languages into passages of as much text, and names those apart', () => {
    const style = { size: 350, leadWeight: 0.3, stored: 'int8', byLanguage: true } as const;
    const { chunksOf, chunkingOf } = createChunker({ chunkEnabled: true }, () => style);
    const sentences = (text: string) => ({ key: 'a', meta: {}, contentMd: text.repeat(40) });
    const longest = (lang: string, text: string) =>
      Math.max(...chunksOf({ ...sentences(text), lang }).map((chunk) => chunk.text.length));
    const english = longest('en', 'Rye bread is dark, and keeps for a week. ');
    expect(english).toBeGreaterThan(300);
    expect(longest('de', 'Roggenbrot ist dunkel und hält eine Woche. ')).toBeGreaterThan(300);
    for (const [lang, text] of [['ja', 'ライ麦パンは黒っぽく、一週間もちます。'], ['zh',
      '黑麦面包颜色很深，可以保存一周。']] as const)
    {
      expect(longest(lang, text)).toBeLessThan(180);
      expect(longest(lang, text)).toBeGreaterThan(90);
      for (const chunk of chunksOf({ ...sentences(text), lang })) expect(chunk.text).toMatch(/^[^。].*。$/);
    }
    const name = chunkingOf({ key: 'a', meta: {}, lang: 'en-GB' });
    expect(['ja', 'und', 'deu'].map((lang) => chunkingOf({ key: 'a', meta: {}, lang }))).toEqual(
      Array(3).fill(`${name} pieces`),
    );
  });

  it('leaves a body whole without chunking', () => {
    const { chunksOf, chunkingOf } = createChunker({ ...SETTINGS, chunkEnabled: false });
    const contentMd = `one\n${'two '.repeat(100)}\n\nthree\n`;
    expect(chunksOf({ key: 'a', meta: {}, contentMd })).toEqual([{
      text: contentMd,
      startLine: 1,
      endLine: 4,
      start: 0,
      end: Buffer.byteLength(contentMd),
    }]);
    expect(chunkingOf({ key: 'a.ts', meta: {} })).toBe('whole');
    expect(chunksOf({ key: 'a', meta: {}, contentMd: ' \n\u3000' })).toEqual([]);
  });
});
