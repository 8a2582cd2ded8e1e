import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonInSteps, type PieceSize } from './json-in-steps.ts';
import { type JsonLimits, JsonTooLarge, MAX_KEYS } from './json-scanner.ts';

const ANY: JsonLimits = { maxValues: 1_000_000, maxDepth: 1000 };
const SMALL: PieceSize = { values: 2, bytes: 16, text: 8 };

function parse(text: string, piece: PieceSize = SMALL, limits = ANY): Promise<unknown> {
  return parseJsonInSteps(Buffer.from(text), {
    limits,
    decode: (bytes) => bytes.toString(),
    pace: { rest: () => Promise.resolve() },
    piece,
  });
}

/** What `JSON.parse` makes of a text, with the order of fields; undefined where it throws. */
function known(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const inSteps = (text: string, piece?: PieceSize): Promise<string | undefined> =>
  parse(text, piece).then((value) => JSON.stringify(value), () => undefined);

const keys = fc.oneof(fc.string({ unit: 'binary' }),
  fc.constantFrom('a', 'b', '__proto__', 'constructor', '1', '0', ''));
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null),
    tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 12 }),
  object: fc.array(fc.tuple(keys, tie('value')), { maxLength: 12 }).map((entries) =>
    new Map(entries as [string, unknown][])
  ),
}));

/** A text with duplicate keys, escapes and blanks: what a program would write is too regular. */
function textOf(value: unknown, blank: string): string {
  if (value instanceof Map)
    return `{${blank}${
      [...value, ...[...value].slice(0, 1)].map(([key, inner]) =>
        `${JSON.stringify(key)}${blank}:${textOf(inner, blank)}`
      ).join(`${blank},`)
    }}`;
  if (Array.isArray(value)) return `[${value.map((inner) => textOf(inner, blank)).join(`,${blank}`)}${blank}]`;
  return JSON.stringify(value);
}

const texts = fc.tuple(values, fc.constantFrom('', ' ', '\n\t ')).map(([value, blank]) => textOf(value, blank));
const pieces = fc.record({
  values: fc.integer({ min: 1, max: 5 }),
  bytes: fc.integer({ min: 1, max: 40 }),
  text: fc.integer({ min: 1, max: 60 }),
});

describe('JSON that is parsed in steps', () => {
  it('is what JSON.parse makes of it', async () => {
    await fc.assert(fc.asyncProperty(texts, pieces, async (text, piece) => {
      expect(await inSteps(text, piece)).toBe(known(text));
    }), { numRuns: 500 });
  });

  it('is refused where JSON.parse refuses it', async () => {
    const change = fc.record({
      at: fc.nat(),
      removed: fc.integer({ min: 0, max: 2 }),
      added: fc.constantFrom('', ',', ',,', '[', ']', '{', '}', '"', ':', '-', '\\', ' 1', '\0'),
    });
    await fc.assert(fc.asyncProperty(texts, pieces, change, async (text, piece, { at, removed, added }) => {
      const from = at % (text.length + 1);
      const wrong = text.slice(0, from) + added + text.slice(from + removed);
      // Lone surrogates do not survive the encoding.
      if (wrong.isWellFormed()) expect(await inSteps(wrong, piece), wrong).toBe(known(wrong));
    }), { numRuns: 1000 });
  });

  it.each(['', ' ', '1', ' "a" ', '[', '{', ']', '[1,2,3,,4]', '[,1,2,3]', '[1,2,3,]', '{"a":1,"b":2,"c":3,}',
    '[[1,2,3]1]', '[1[1,2,3]]', '[[1,2,3][1,2,3]]', '{"a":[1,2,3]"b":[1,2,3]}', '{"a":-[1,2,3,4]}',
    '{"a":1,"b":{"c":2,"d":3,"e":4},"b":5}', '[1,2,3}', '[1,2,3]]', '[1,2,3] [1,2,3]', '[1:2,3,4]', '{"a",1:2,"b":3}',
    '[[],[],[ ],{},{}]', '[[ ,1,2,3]]', '{"__proto__":{"a":1,"b":2,"c":3},"x":1}', '["\\ud83d","\\ude00",1,2,3]',
    '["a\\"],[",1,2,"\\\\",3]'])('agrees about %s', async (text) => {
      expect(await inSteps(text, { values: 1, bytes: 1, text: 1000 })).toBe(known(text));
      expect(await inSteps(text)).toBe(known(text));
    });

  it('has at most so many values', async () => {
    const limits = { ...ANY, maxValues: 4 };
    expect(await parse('[1,2,[3]]', SMALL, limits)).toEqual([1, 2, [3]]);
    await expect(parse('[1,2,[3],4]', SMALL, limits)).rejects.toThrow(
      new JsonTooLarge('must not have more than 4 values'),
    );
  });

  it('is no deeper than allowed', async () => {
    const limits = { ...ANY, maxDepth: 2 };
    expect(await parse('[[[1]]]', SMALL, limits)).toEqual([[[1]]]);
    await expect(parse('[[[[1]]]]', SMALL, limits)).rejects.toThrow(
      new JsonTooLarge('must not be nested deeper than 2 levels'),
    );
  });

  it.each(['{"list":', '{ "x" : [1, 2, 3, 4], "list"\n: '])('has no list of too many items in a field: %s',
    async (before) => {
      const limits = { ...ANY, maxItems: { list: 3 } };
      expect(await parse(`${before}[1,[2,2,2,2],3]}`, SMALL, limits)).toMatchObject({ list: [1, [2, 2, 2, 2], 3] });
      await expect(parse(`${before}[1,2,3,4]}`, SMALL, limits)).rejects.toMatchObject({
        message: 'must have at most 3 items',
        field: 'list',
      });
      expect(await parse('{"a":{"list":[1,2,3,4]},"toString":[1,2,3,4]}', SMALL, limits)).toMatchObject({
        a: { list: [1, 2, 3, 4] },
      });
    });

  it('has no object of too many fields', async () => {
    const text = (fields: number): string => `{${Array.from({ length: fields }, (_, i) => `"${i}":0`).join()}}`;
    expect(Object.keys(await parse(text(MAX_KEYS)) as object)).toHaveLength(MAX_KEYS);
    await expect(parse(text(MAX_KEYS + 1))).rejects.toThrow(
      new JsonTooLarge(`must not have an object of more than ${MAX_KEYS} fields`),
    );
  });

  it('is parsed no further than its limits allow', async () => {
    let decoded = 0;
    const decode = (bytes: Buffer): string => {
      decoded += bytes.length;
      return bytes.toString();
    };
    const text = Buffer.from(`[${'[],'.repeat(1_000_000)}[]]`);
    await expect(parseJsonInSteps(text, { limits: { ...ANY, maxValues: 5000 }, decode })).rejects.toThrow(JsonTooLarge);
    expect(decoded).toBeLessThan(20_000);
  });

  it('has no very long name of a field, and no very many blanks', async () => {
    await expect(parse(`{"${'n'.repeat(65_536)}":1}`)).rejects.toThrow(
      new JsonTooLarge('must not have a field whose name is longer than 65536 bytes'),
    );
    await expect(parse(`[1,${' '.repeat(1_048_600)}[1,2,3]]`)).rejects.toThrow(JsonTooLarge);
    await expect(parse(' '.repeat(1_048_600))).rejects.toThrow(
      new JsonTooLarge('must not have more than 1048576 bytes of blanks or digits in a row'),
    );
  });

  it('decodes a long text in parts, between characters and escapes', async () => {
    const lengths: number[] = [];
    const decode = (bytes: Buffer): string => {
      lengths.push(bytes.length);
      return bytes.toString();
    };
    const value = { key: 'ä€😀"\\n\u0041'.repeat(50_000) + '€'.repeat(200_000), other: 1 };
    expect(await parseJsonInSteps(Buffer.from(JSON.stringify(value)), {
      limits: ANY,
      decode,
      pace: { rest: async () => undefined },
    })).toEqual(value);
    expect(Math.max(...lengths)).toBeLessThan(100_000);
  });

  it('rests between its pieces', async () => {
    let rests = 0;
    const text = Buffer.from(JSON.stringify(Array.from({ length: 200_000 }, () => 0)));
    expect(await parseJsonInSteps(text, { limits: ANY, decode: String, pace: { rest: async () => void rests++ } }))
      .toHaveLength(200_000);
    expect(rests).toBeGreaterThan(20);
  });
});
