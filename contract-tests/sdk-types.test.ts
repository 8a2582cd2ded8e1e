import { describe, expectTypeOf, it } from 'vitest';
import type * as docs from '../generated/docs/sdk/types.gen.ts';
import type * as runs from '../generated/runs/sdk/types.gen.ts';

/**
 * Checked by the compiler (`npm run check`): additions to a description for generators in other languages must not
 * weaken the SDK's types.
 */
describe('the types of the SDK', () => {
  it('name the fields of a body that needs one of several, and make no union of it', () => {
    expectTypeOf<docs.UpdateDocumentRequest>().toHaveProperty('contentMd').toEqualTypeOf<string | undefined>();
    expectTypeOf<docs.UpdateDocumentRequest>().toHaveProperty('collection').toEqualTypeOf<string>();
    expectTypeOf<docs.SearchVectorsRequest>().toHaveProperty('queryVector').toEqualTypeOf<
      number[] | string | undefined
    >();
    expectTypeOf<docs.SearchGeoPolygonRequest>().toHaveProperty('collection').toEqualTypeOf<string>();
  });

  it('state the types of a value that has several', () => {
    expectTypeOf<docs.RangeValue>().toEqualTypeOf<string | number>();
    expectTypeOf<NonNullable<docs.RangeMeta[number]['gte']>>().toEqualTypeOf<string | number>();
    expectTypeOf<NonNullable<runs.EnqueueRunRequest['input']>>().toEqualTypeOf<string | Record<string, unknown>>();
  });

  it('have numbers, however large, and tuples', () => {
    expectTypeOf<docs.AuditEvent['ts']>().toEqualTypeOf<number>();
    expectTypeOf<docs.Position>().toEqualTypeOf<[number, number]>();
  });

  it('know enumerations, and null beside them', () => {
    expectTypeOf<docs.SearchFullTextRequest['mode']>().extract<'boolean'>().toEqualTypeOf<'boolean'>();
    expectTypeOf<null>().toExtend<runs.Run['waiting_reason']>();
    expectTypeOf<'backoff'>().toExtend<runs.Run['waiting_reason']>();
  });

  it('say how a page ended', () => {
    expectTypeOf<docs.ListUsersResponse['truncated']>().toEqualTypeOf<true | undefined>();
  });
});
