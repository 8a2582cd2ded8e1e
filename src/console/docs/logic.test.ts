import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { SOURCE_EXTENSIONS } from '../../text/code/language.ts';
import { readExposition, sumOf } from '../shared/exposition.ts';
import { LineRenderer } from '../shared/line-renderer.ts';
import { readLines, writeLines } from '../shared/lines.ts';
import { operationsOf } from '../shared/operations.ts';
import { grammarOf, languageOfPath } from '../shared/source/languages.ts';
import { sourceLines } from '../shared/source/source-lines.ts';
import { readFilters, toggled, writeFilters } from './collection/find.ts';
import { groupPassages, passagesByWords, tagParts, tagWords, withoutMarkup } from './collection/passages.ts';
import { placeGraph } from './document/graph-layout.ts';
import { metaOf, rowsOf } from './document/meta-rows.ts';
import { sourceLanguageOf } from './document/source-language.ts';
import { START, toScreen, zoomed } from './map/view.ts';

describe('metadata as it is typed', () => {
  it('comes back as it was, with commas and backslashes in values', () => {
    const value = fc.string({ minLength: 1 }).map((text) => text.trim()).filter((text) => text !== '');
    const key = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(fc.property(fc.dictionary(key, fc.array(value, { minLength: 1, maxLength: 4 })), (meta) => {
      expect(metaOf(rowsOf(meta))).toEqual({ ...meta });
    }));
  });

  it('is without empty keys and values, and joins equal keys', () => {
    expect(metaOf([{ key: ' tag ', values: 'a, ,b' }, { key: '', values: 'x' }, { key: 'none', values: ' , ' }, {
      key: 'tag',
      values: 'c',
    }])).toEqual({ tag: ['a', 'b', 'c'] });
  });
});

describe('filters in an address', () => {
  it('come back as they were written', () => {
    const filters = toggled(toggled({}, 'topic', 'a, "b" & c'), 'level', '1');
    expect(readFilters(writeFilters({}, filters) as Record<string, string>)).toEqual(filters);
    expect(writeFilters(filters, toggled(filters, 'level', '1'))).toMatchObject({ 'f.level': undefined });
  });

  it('that somebody has spoilt are passed over', () => {
    expect(readFilters({ 'f.topic': '[1', 'f.level': '"x"', q: '["x"]' })).toEqual({});
  });
});

describe('passages', () => {
  const document = (key: string) => ({ id: `c|${key}|en`, key, lang: 'en', addedAt: 1, updatedAt: 1 });
  const highlight = (fragment: string, line: number, ...matchedTerms: string[]) => ({
    field: 'content',
    fragment,
    matchedTerms,
    startOffset: 0,
    endOffset: 1,
    startLine: line,
    endLine: line,
  });
  const chunk = (key: string, chunkText: string, startLine: number, highlights?: ReturnType<typeof highlight>[]) => ({
    document: document(key),
    chunkText,
    startLine,
    endLine: startLine + 9,
    ...(highlights && { highlights }),
  });
  const textsOf = (found: ReturnType<typeof chunk>[]) =>
    groupPassages(found).map((hit) => [hit.document.key, ...hit.passages.map(({ text }) => text)]);

  it('by words begin with the one that has most of the words, whatever its spellings', () => {
    const found = passagesByWords([highlight('<mark>wirte</mark> <mark>writes</mark>', 1, 'write~wirte', 'write'),
      highlight('x\na <mark>life</mark>\n<mark>write</mark>\ny', 30, 'life', 'write'), {
      ...highlight('t', 1),
      field: 'title',
    }]);
    expect(found).toEqual([{ text: 'x\na <mark>life</mark>\n<mark>write</mark>\ny', lines: { start: 31, end: 32 } }, {
      text: '<mark>wirte</mark> <mark>writes</mark>',
      lines: { start: 1, end: 1 },
    }]);
  });

  it('by meaning are shown with their document, which stands where its best passage is', () => {
    expect(
      textsOf([chunk('a', 'Near.', 1), chunk('b', 'One.', 1), chunk('a', 'Also near.', 11),
        chunk('a', 'A third.', 21)]),
    ).toEqual([['a', 'Near.', 'Also near.'], ['b', 'One.']]);
    expect(textsOf([chunk('a', 'x'.repeat(400), 1)])).toEqual([['a', `${'x'.repeat(300)}…`]]);
  });

  it('that have the most words come first, those within the nearest before others', () => {
    const near = [highlight('A <mark>life</mark>', 25, 'life'), highlight('The <mark>life</mark> of', 4, 'life')];
    expect(textsOf([chunk('a', 'The life of a write.', 1, near)])).toEqual([['a', 'The <mark>life</mark> of',
      'A <mark>life</mark>']]);
    const words = [highlight('<mark>Work</mark> and <mark>life</mark>', 25, 'works~work', 'life'),
      highlight('The <mark>life</mark> of', 4, 'life')];
    expect(textsOf([chunk('a', 'The life of a write.', 1, words)])).toEqual([['a',
      '<mark>Work</mark> and <mark>life</mark>', 'The <mark>life</mark> of a write.']]);
    expect(textsOf([chunk('a', 'Works of a LIFE.', 50, words), chunk('a', 'The life of', 1, words)])).toEqual([['a',
      '<mark>Work</mark> and <mark>life</mark>', '<mark>Works</mark> of a <mark>LIFE</mark>.']]);
  });

  it('have whole words tagged', () => {
    expect(tagWords('Grüße, GRÜSSE and a workerless work: 3 a', new Set(['grüße', 'work', 'a']))).toBe(
      '<mark>Grüße</mark>, GRÜSSE and <mark>a</mark> workerless <mark>work</mark>: 3 <mark>a</mark>',
    );
    expect(tagParts('a <mark>b</mark>\n<b>')).toEqual([{ text: 'a ', isTagged: false }, { text: 'b', isTagged: true }, {
      text: '\n<b>',
      isTagged: false,
    }]);
  });

  it.each([['```sh\n`npm` **run**\n```', 'npm run'], ['# The <mark>life</mark> of an LSN\n\nEvery change',
    'The <mark>life</mark> of an LSN Every change'], [
    '…ts](../src/a.ts) | what **it** does | [src/<mark>b</mark>.ts](../src/b.ts) |\n|---|---:|',
    '…ts what it does src/<mark>b</mark>.ts ',
  ], ['…a id="d-130"></a>D-130 | While <b>an</b> `index` loads', '… D-130 While an index loads'], [
    'see ![the map](map.png), [feed](../src/sto…',
    'see the map, feed',
  ], ['a < b and c > d, [x] (y)', 'a < b and c > d, [x] (y)']])('of prose are without their markup: %j',
    (passage, text) => {
      expect(withoutMarkup(passage).trim()).toBe(text.trim());
    });

  it('have an address', () => {
    expect(readLines(writeLines({ start: 3, end: 12 }))).toEqual({ start: 3, end: 12 });
    for (const text of [undefined, '', '3', '0-1', '4-3', 'a-b']) expect(readLines(text), text).toBeUndefined();
  });
});

describe('source code', () => {
  it('is what it is for the service, in every language of it', () => {
    for (const extension of Object.keys(SOURCE_EXTENSIONS))
      expect(grammarOf(languageOfPath(`a/b.${extension.toUpperCase()}`)!), extension).toBeDefined();
    const meta = (of: Record<string, string>) =>
      Object.fromEntries(Object.entries(of).map(([key, value]) => [key, [value]]));
    const cases: [key: string, Record<string, string>, string | undefined][] = [['a.rs', {}, 'rust'], ['a.json', {},
      undefined], ['rs', {}, undefined], ['constructor.constructor', {}, undefined], ['a.rs', { kind: 'guide' },
      undefined], ['slug', { path: 'src/a.kt' }, 'kt'], ['slug', { kind: 'code', language: 'Python' }, 'python'], [
      'slug',
      { kind: 'code' },
      '',
    ], ['a.ts', { language: 'constructor' }, 'ts'], ['a.ts', { language: 'extend' }, 'ts']];
    for (const [key, of, language] of cases) expect(sourceLanguageOf({ key, meta: meta(of) }), key).toBe(language);
  });

  it('keeps its text, in lines of coloured parts', () => {
    const text = '/* a\r\n   b */\nconst s = `x ${1 +\n2}`;\n\n';
    const lines = sourceLines(text, 'ts');
    expect(lines.map((line) => line.map((piece) => piece.text).join(''))).toEqual(
      text.replaceAll('\r\n', '\n').slice(0, -1).split('\n'),
    );
    expect(lines[1]).toEqual([{ text: '   b */', kinds: ['comment'] }]);
    expect(lines[2]![0]).toEqual({ text: 'const', kinds: ['keyword'] });
    expect(lines[3]![0]).toMatchObject({ text: '2', kinds: ['template-string', 'interpolation', 'number'] });
    expect(sourceLines('a\n<b>', 'nothing')).toEqual([[{ text: 'a', kinds: [] }], [{ text: '<b>', kinds: [] }]]);
  });
});

describe('rendered markdown', () => {
  it('has the line at which each block, item and line of code begins', () => {
    const text = ['# One', '', 'Two', 'goes on', '', '- Four', '', '  within', '  - deeper', '- Five', '', '> Six',
      '> - seven', '', '```js', 'Eight', '<i>', '```', '', '    Nine', '', '<p>raw', '</p>', '', '| Ten |', '|---|',
      '| 11 |'].join('\r\n');
    const tokens = marked.lexer(text);
    const html = marked.parser(tokens, { renderer: new LineRenderer(tokens) });
    const lines = [...html.matchAll(/<(\w+) data-line="(\d+)">(?:<(?:p|code)[^>]*>)?\s*([\w&;]*)/g)].map((
      [, tag, line, says],
    ) => `${tag} ${line} ${says}`);
    expect(lines).toEqual(['h1 1 One', 'p 3 Two', 'li 6 Four', 'p 8 within', 'li 9 deeper', 'li 10 Five', 'p 12 Six',
      'li 13 seven', 'pre 15 ', 'span 16 Eight', 'span 17 &lt;i&gt;', 'pre 20 ', 'span 20 Nine', 'table 25 ']);
  });
});

describe('the map', () => {
  it('keeps what is under the pointer where it is while its scale changes', () => {
    const size = { width: 800, height: 600 };
    const inside = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(fc.property(inside, inside, fc.double({ min: 0.6, max: 5, noNaN: true }), (x, y, factor) => {
      const before = toScreen(START, size, { x, y });
      const after = toScreen(zoomed(START, size, factor, before.x, before.y), size, { x, y });
      expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1e-6);
    }));
  });
});

describe('the text format of Prometheus', () => {
  it('is read with labels, exponents and escapes', () => {
    const samples = readExposition('# HELP a b\n# TYPE a counter\na{path="/x\\"y",state="up"} 2\na 3e2\nnonsense\n');
    expect(samples).toEqual([{ name: 'a', labels: { path: '/x"y', state: 'up' }, value: 2 }, {
      name: 'a',
      labels: {},
      value: 300,
    }]);
    expect(sumOf(samples, 'a')).toBe(302);
  });
});

describe('the code graph', () => {
  it('has what uses the root on its left, what the root uses on its right, and one line for all between two documents', () => {
    const node = (key: string) => ({ key, docId: key, lang: 'en', language: '', depth: 1 });
    const edge = (from: string, to: string, symbol: string) => ({
      from,
      to,
      symbol,
      kind: 'imports' as const,
      direction: 'out' as const,
    });
    const { nodes, edges } = placeGraph({
      root: 'r',
      nodes: ['r', 'user', 'used', 'deep'].map(node),
      edges: [edge('user', 'r', 'a'), edge('user', 'r', 'b'), edge('r', 'used', 'c'), edge('used', 'deep', 'd')],
    });
    const x = Object.fromEntries(nodes.map((each) => [each.key, each.x]));
    expect([x['user']! < x['r']!, x['r']! < x['used']!, x['used']! < x['deep']!]).toEqual([true, true, true]);
    expect(edges.map(({ from, to, symbols }) => [from.key, to.key, symbols])).toEqual([['user', 'r', ['a', 'b']], ['r',
      'used', ['c']], ['used', 'deep', ['d']]]);
  });
});

describe('operations of a description', () => {
  it('are those with a body of JSON or none, with parameters that are written once, and an example', () => {
    const found = operationsOf({
      components: { parameters: { Id: { name: 'id', in: 'path', required: true } } },
      paths: {
        '/x/{id}': {
          put: {
            operationId: 'putX',
            summary: 'Put',
            tags: ['x'],
            parameters: [{ $ref: '#/components/parameters/Id' }],
            requestBody: { content: { 'application/json': { example: { a: 1 } } } },
          },
          post: { operationId: 'upload', requestBody: { content: { 'multipart/form-data': {} } } },
        },
      },
    });
    expect(found).toEqual([{
      id: 'putX',
      method: 'PUT',
      path: '/x/{id}',
      area: 'x',
      summary: 'Put',
      description: '',
      parameters: [{ name: 'id', in: 'path', required: true }],
      body: '{\n  "a": 1\n}',
    }]);
  });
});
