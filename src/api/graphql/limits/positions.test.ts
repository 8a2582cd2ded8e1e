import fc from 'fast-check';
import { buildSchema, type DocumentNode, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { positionOf, replaceLocations } from './document-reader.ts';

const SCHEMA = buildSchema('type Query { a(x: Int): Int }');

/** The library's messages, before and after. */
function locations(document: DocumentNode, place: (error: ReturnType<typeof validate>[number]) => unknown): unknown {
  return validate(SCHEMA, document).map(place);
}

describe('the positions of nodes', () => {
  it('are those that the library finds by counting lines', () => {
    const space = fc.constantFrom(' ', '\n', '\r\n', ', ', '\r', '# remark\n');
    fc.assert(fc.property(fc.array(fc.tuple(fc.constantFrom('nope', 'a(x: "text")', 'b: nope', 'a @none'), space), {
      minLength: 1,
      maxLength: 8,
    }), (fields) => {
      const text = `{ ${fields.map(([field, after]) => `${field}${after}`).join('')} }`;
      const expected = locations(parse(text), (error) => error.locations);
      const document = parse(text);
      expect(replaceLocations(document)).toBeGreaterThan(fields.length);
      expect(locations(document, (error) => error.nodes!.map((node) => positionOf(node)))).toEqual(expected);
      expect(locations(document, (error) => error.locations)).toEqual(
        fields.length === 0 ? [] : (expected as unknown[]).map(() => undefined),
      );
    }));
  });
});
