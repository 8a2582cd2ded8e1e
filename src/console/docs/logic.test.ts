import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readExposition, sumOf } from '../shared/exposition.ts';
import { operationsOf } from '../shared/operations.ts';
import { groupPassages, readFilters, tagWords, toggled, writeFilters } from './collection/find.ts';
import { placeGraph } from './document/graph-layout.ts';
import { metaOf, rowsOf } from './document/meta-rows.ts';
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

  it('are shown with their document, which stands where its best passage is', () => {
    const found = [['a', 'Workers run.'], ['b', 'One worker.'], ['a', 'They stop.'], ['a', 'A third.']].map((
      [key, chunkText],
    ) => ({ document: document(key!), chunkText: chunkText!, matchedTerms: ['workers'] }));
    expect(groupPassages(found)).toEqual([{
      document: document('a'),
      passages: ['<mark>Workers</mark> run.', 'They stop.'],
    }, { document: document('b'), passages: ['One <mark>worker</mark>.'] }]);
  });

  it('have the words marked that were looked for, in other forms, too, and no others', () => {
    expect(tagWords('Grüße, GRÜSSE and a workerless work: 3 a', ['grüße', 'worker', 'a'])).toBe(
      '<mark>Grüße</mark>, GRÜSSE and <mark>a</mark> workerless <mark>work</mark>: 3 <mark>a</mark>',
    );
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
