import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinFrontMatter, splitFrontMatter } from './front-matter.ts';

const metaOf = (yaml: string): Record<string, string[]> => splitFrontMatter(`---\n${yaml}\n---\nbody`).meta;

describe('splitFrontMatter', () => {
  it('takes the YAML between the fences and leaves the rest to the byte', () => {
    expect(splitFrontMatter('---\ntitle: Hello\n---\n\n# Hello\n')).toEqual({
      meta: { title: ['Hello'] },
      body: '\n# Hello\n',
      warnings: [],
    });
  });

  it('takes TOML between its own fences', () => {
    const toml = 'title = "River notes"\ndate = 2024-01-02\nat = 2024-01-02T10:00:00+02:00\nlocal = 10:30:00\n' +
      'tags = ["a", "b"]\nbig = 12345678901234567890\n[extra]\ndraft = false\n';
    expect(splitFrontMatter(`+++\n${toml}+++\n\n# Hello\n`)).toEqual({
      meta: {
        title: ['River notes'],
        date: ['2024-01-02'],
        at: ['2024-01-02T10:00:00+02:00'],
        local: ['10:30:00'],
        tags: ['a', 'b'],
        big: ['12345678901234567890'],
        'extra.draft': ['false'],
      },
      body: '\n# Hello\n',
      warnings: [],
    });
    expect(splitFrontMatter('+++\na: 1\n+++\nb').warnings[0]).toMatch(/^front matter was left in the body: .* line 1/);
    expect(splitFrontMatter('+++\na = 1\n---\nb').meta).toEqual({});
    expect(splitFrontMatter(joinFrontMatter({}, '+++\na = 1\n+++\nb'))).toEqual({
      meta: {},
      body: '+++\na = 1\n+++\nb',
      warnings: [],
    });
  });

  it('reads lists of scalars as several values', () => {
    expect(metaOf('tags: [a, b]\nauthors:\n  - Ann\n  - Bob')).toEqual({ tags: ['a', 'b'], authors: ['Ann', 'Bob'] });
  });

  it('keeps scalars as they were written', () => {
    expect(
      metaOf('date: 2026-01-31\nversion: 1.10\ncode: 007\ndraft: false\nbig: 12345678901234567890\nquoted: "null"'),
    ).toEqual({
      date: ['2026-01-31'],
      version: ['1.10'],
      code: ['007'],
      draft: ['false'],
      big: ['12345678901234567890'],
      quoted: ['null'],
    });
  });

  it('skips null, also inside lists', () => {
    expect(metaOf('a:\nb: ~\nc: [x, null, y]\nd: []\ne: {}')).toEqual({ c: ['x', 'y'] });
  });

  it('flattens structures to dotted keys (contract section 2)', () => {
    expect(
      metaOf(
        'faq:\n  - question: Why?\n    answer: Because\n  - question: How?\nseo: {title: T, og: {image: ' +
          'i.png}}\nmixed: [x, {k: v}]\nrows: [[1, 2], [3]]',
      ),
    ).toEqual({
      'faq.0.question': ['Why?'],
      'faq.0.answer': ['Because'],
      'faq.1.question': ['How?'],
      'seo.title': ['T'],
      'seo.og.image': ['i.png'],
      'mixed.0': ['x'],
      'mixed.1.k': ['v'],
      'rows.0': ['1', '2'],
      'rows.1': ['3'],
    });
  });

  it('joins the values of keys that flatten to the same name', () => {
    expect(metaOf('a.b: x\na: {b: y}')).toEqual({ 'a.b': ['x', 'y'] });
  });

  it('accepts CRLF, a byte order mark, spaces after a fence, and a fence at the very end', () => {
    expect(splitFrontMatter('\ufeff---  \r\ntitle: x\r\n---\r\nbody\r\n')).toEqual({
      meta: { title: ['x'] },
      body: 'body\r\n',
      warnings: [],
    });
    expect(splitFrontMatter('---\ntitle: x\n---')).toEqual({ meta: { title: ['x'] }, body: '', warnings: [] });
    expect(splitFrontMatter('---\n---\nbody')).toEqual({ meta: {}, body: 'body', warnings: [] });
  });

  it.each(['', 'text', '---', '---\nno end', ' ---\na: 1\n---\n', '----\na: 1\n----\n', 'text\n---\na: 1\n---\n',
    '+++\na = 1\n---\n'])('finds none in %j', (text) => {
      expect(splitFrontMatter(text)).toEqual({ meta: {}, body: text, warnings: [] });
    });

  it.each(['a: [1', 'a: 1\na: 2', 'just a sentence', '- a\n- b', 'x: *none', 'f: !!js/function "() => 1"',
    '['.repeat(20_000)])('leaves what it cannot read in the body, with a warning: %.30j', (yaml) => {
      const text = `---\n${yaml}\n---\nbody`;
      const result = splitFrontMatter(text);
      expect(result).toMatchObject({ meta: {}, body: text });
      expect(result.warnings).toHaveLength(1);
      expect(result.warnings[0]).toMatch(/^front matter was left in the body: /);
    });

  it('runs no code found in the document', () => {
    expect(splitFrontMatter('---js\n({a: 1})\n---\nbody').meta).toEqual({});
  });

  it('leaves out keys that are not scalars, and says so', () => {
    const result = splitFrontMatter('---\n? [a, b]\n: x\nok: y\n---\n');
    expect(result.meta).toEqual({ ok: ['y'] });
    expect(result.warnings).toEqual(['front matter: a key is not a scalar and was left out']);
  });

  it('treats __proto__ as any other key', () => {
    const { meta } = splitFrontMatter('---\n__proto__: {x: 1}\nconstructor: c\n---\n');
    expect(Object.entries(meta)).toEqual([['__proto__.x', ['1']], ['constructor', ['c']]]);
  });

  it('leaves values out of all proportion in the body', () => {
    const text = `---\na: &a [${'x,'.repeat(2000)}]\nb: [${'*a,'.repeat(90)}]\n---\nbody`;
    expect(splitFrontMatter(text)).toEqual({
      meta: {},
      body: text,
      warnings: ['front matter was left in the body: it has more than 100000 values'],
    });
  });

  it('merges nothing: `<<` is a key', () => {
    expect(metaOf('a: &a {x: 1}\nb: {<<: *a}')).toEqual({ 'a.x': ['1'], 'b.<<.x': ['1'] });
  });

  it('does not search a long text for a fence that far away', () => {
    const text = `---\n${'line\n'.repeat(80_000)}---\n`;
    expect(splitFrontMatter(text)).toEqual({ meta: {}, body: text, warnings: [] });
  });

  it('never throws, and loses nothing of a text without front matter', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { body } = splitFrontMatter(text);
      expect(text.endsWith(body)).toBe(true);
    }));
  });
});

describe('joinFrontMatter (decision D-72)', () => {
  it('writes plain YAML', () => {
    expect(joinFrontMatter({ title: ['Hello'], tags: ['a', 'b'] }, '# Hi\n')).toBe(
      '---\ntitle: "Hello"\ntags:\n  - "a"\n  - "b"\n---\n# Hi\n',
    );
  });

  it('writes no fences without metadata, unless the body would be taken for some', () => {
    expect(joinFrontMatter({}, 'body')).toBe('body');
    expect(joinFrontMatter({ a: [] }, 'body')).toBe('body');
    expect(joinFrontMatter({}, '---\na: 1\n---\n')).toBe('---\n---\n---\na: 1\n---\n');
  });

  it('is taken apart again into the same metadata and body', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }),
      fc.constantFrom('null', '~', '1.10', 'true', '2026-01-31', '---', 'a\n---\nb', '  x  ', '- x', '#', '\r\n', '',
        '\u2028', '\u0085', '\ufeff'));
    const key = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/),
      fc.constantFrom('1', 'null', '? x', 'a: b', '<<', '---', '#a', 'true', 'key with space'));
    fc.assert(fc.property(fc.dictionary(key, fc.array(text, { minLength: 1, maxLength: 4 })), text, (meta, body) => {
      expect(splitFrontMatter(joinFrontMatter(meta, body))).toEqual({ meta: { ...meta }, body, warnings: [] });
    }), { numRuns: 500 });
  });
});
