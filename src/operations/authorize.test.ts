import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../errors/index.ts';
import { authorize, refuseEarly } from './authorize.ts';
import { ANONYMOUS, EVERYONE, type Identity } from './caller.ts';
import type { Access, OperationSpec } from './spec.ts';

const spec = (access: Access, collections?: string[]): OperationSpec => ({
  id: 'x',
  method: 'POST',
  path: '/x',
  area: 'x',
  summary: '',
  access,
  effect: 'read',
  limited: true,
  sanitize: false,
  status: 200,
  parameters: [],
  consumes: [],
  produces: [],
  ...(collections && { collections }),
});

/** An identity with the listed permissions: `read blog`. */
const someone = (...rights: string[]): Identity => ({
  username: 'someone',
  admin: false,
  by: 'token',
  may: (permission, name) => rights.includes(`${permission} ${name.toLowerCase()}`),
});

const verdict = (work: () => void): string => {
  try {
    work();
    return 'in';
  } catch (error) {
    return `${(error as ServiceError).code}: ${(error as ServiceError).message}`;
  }
};

const both = (of: OperationSpec, identity: Identity,
  input: object): [early: string, late: string] => [verdict(() => refuseEarly(of, identity, input)),
  verdict(() => authorize(of, identity, input))];

const ADMIN_NEEDED = 'admin_required: admin permission required';

describe('the permission for an operation', () => {
  it('is not asked for what is public, nor of an administrator', () => {
    expect(both(spec('public'), ANONYMOUS, {})).toEqual(['in', 'in']);
    for (const access of ['user', 'read', 'write', 'admin'] as const)
      expect(both(spec(access, ['collection']), EVERYONE, {})).toEqual(['in', 'in']);
  });

  it('is the access, on the collection that the input names', () => {
    const reader = someone('read blog');
    expect(both(spec('read', ['collection']), reader, { collection: 'Blog' })).toEqual(['in', 'in']);
    const refused = 'forbidden: forbidden: no write permission on blog';
    expect(both(spec('read', ['collection']), someone('read caf\u00e9'), { collection: 'cafe\u0301' })).toEqual(['in',
      'in']);
    expect(both(spec('write', ['collection']), reader, { collection: 'blog' })).toEqual([refused, refused]);
    expect(both(spec('admin', ['collection']), reader, { collection: 'blog' })).toEqual([ADMIN_NEEDED, ADMIN_NEEDED]);
    expect(both(spec('admin', ['collection']), someone('admin blog'), { collection: 'blog' })).toEqual(['in', 'in']);
  });

  it('is asked for each of several collections, in lists too', () => {
    const of = spec('user', ['source', 'targets']);
    const refused = 'forbidden: forbidden: no read permission on c';
    expect(both(of, someone('read a', 'read b'), { source: 'a', targets: ['a', 'b'] })).toEqual(['in', 'in']);
    expect(both(of, someone('read a', 'read b'), { source: 'a', targets: ['b', 'c'] })).toEqual([refused, refused]);
    expect(both(of, someone('read a', 'read b'), { source: 'c' })).toEqual([refused, refused]);
    expect(both(of, someone(), {})).toEqual(['in', 'in']);
  });

  it("is the administrator's where no collection is or can be named", () => {
    for (const access of ['read', 'write', 'admin'] as const) {
      expect(both(spec(access), someone('admin blog'), { collection: 'blog' })).toEqual([ADMIN_NEEDED, ADMIN_NEEDED]);
      expect(both(spec(access, ['collection']), someone('admin blog'), { collection: '' })).toEqual(['in',
        ADMIN_NEEDED]);
    }
    expect(both(spec('user'), someone(), {})).toEqual(['in', 'in']);
  });

  it('is that for a collection of the system, whatever the input says', () => {
    const of = spec('write', ['_memory']);
    expect(both(of, someone('write blog'), { collection: 'blog', _memory: 'blog' })[1]).toBe(
      'forbidden: forbidden: no write permission on _memory',
    );
    expect(both(of, someone('write _memory'), {})).toEqual(['in', 'in']);
  });

  it('is left to the validation first where what should be a name is none, and never given then', () => {
    for (const collection of [undefined, '', 7, null, {}, [[]], ['blog', 7]]) {
      expect(both(spec('read', ['collection']), someone('read blog'), { collection })).toEqual(['in', ADMIN_NEEDED]);
    }
  });

  it('is never given early and refused late for a request that names collections, nor the other way round', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'A', '_memory');
    const right = fc.tuple(fc.constantFrom('read', 'write', 'admin'), fc.constantFrom('a', 'b', 'c', '_memory')).map((
      parts,
    ) => parts.join(' '));
    fc.assert(
      fc.property(fc.constantFrom<Access>('user', 'read', 'write', 'admin'), fc.uniqueArray(right), name,
        fc.array(name), (access, rights, one, many) => {
        const [early, late] = both(spec(access, ['one', 'many']), someone(...rights), { one, many });
        const permission = access === 'user' ? 'read' : access;
        expect(early).toBe(late);
        expect(late === 'in').toBe(
          [one, ...many].every((each) => rights.includes(`${permission} ${each.toLowerCase()}`)),
        );
      }),
    );
  });

  it('repeats no more than a piece of a name that nobody has validated', () => {
    expect(
      verdict(() =>
        refuseEarly(spec('read', ['collection']), someone(), { collection: `${'x'.repeat(79)}😀${'y'.repeat(1e6)}` })
      ).length,
    ).toBeLessThan(200);
  });
});
