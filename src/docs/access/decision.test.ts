import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../generated/docs/operations.ts';
import { authorize, type OperationSpec } from '../../operations/index.ts';
import type { Account } from './accounts.ts';
import { identityByKey } from './authenticator.ts';
import { type Grant, Grants } from './grants.ts';
import { CLASSES, type KeyScope } from './scope.ts';

const TABLE = operations as Readonly<Record<string, OperationSpec>>;
const COLLECTIONS = ['blog', 'wiki', '_memory', 'other'];

/** Operations whose only collection is the field `collection`, and those that name none. */
const ASKED = Object.values(TABLE).filter(({ collections = [] }) =>
  collections.length === 0 || (collections.length === 1 && collections[0] === 'collection')
);

const grants = fc.array(fc.record({
  collection: fc.constantFrom('blog', 'wiki', '_memory', '*'),
  read: fc.boolean(),
  write: fc.boolean(),
  admin: fc.boolean(),
}), { maxLength: 5 });
const names = fc.constantFrom(...CLASSES, 'addDocument', 'getDocument', 'searchFullText', 'createBackup', 'listUsers',
  'listBulkIngest');
const scopes: fc.Arbitrary<KeyScope> = fc.record({
  collections: fc.array(fc.constantFrom('blog', 'wiki', '_memory', '*'), { minLength: 1, maxLength: 3 }),
  operations: fc.array(names, { minLength: 1, maxLength: 3 }),
}, { requiredKeys: [] });

/** The rules, one after the other, as in docs/accounts.md. */
function naive(spec: OperationSpec, isAdmin: boolean, granted: readonly Grant[], scope: KeyScope,
  collection: string): boolean
{
  if (spec.access === 'public') return true;
  const isNarrow = scope.collections !== undefined || scope.operations !== undefined;
  const needed = spec.access === 'user' ? (spec.effect === 'write' ? 'write' : 'read') : spec.access;
  const isNamed = scope.operations?.includes(spec.id) === true;
  const isOfClass = scope.operations === undefined || scope.operations.includes(needed) ||
    (scope.operations.includes('search') && spec.search?.keys === true);
  if (isNarrow && spec.area === 'access' && !isNamed &&
    !(spec.id === 'getCurrentUser' && (scope.operations === undefined || scope.operations.includes('read'))))
    return false;
  if (isNarrow && spec.area !== 'access' && !isNamed && !isOfClass) return false;
  const namesOne = spec.collections?.length === 1;
  if (!namesOne) return spec.access === 'user' || (isAdmin && scope.collections === undefined);
  const isInScope = scope.collections === undefined || scope.collections.includes(collection) ||
    (scope.collections.includes('*') && !collection.startsWith('_'));
  if (!isInScope) return false;
  if (isAdmin) return true;
  const own = granted.filter((grant) => grant.collection === collection);
  const relevant = own.length > 0
    ? own
    : collection.startsWith('_')
    ? []
    : granted.filter((grant) => grant.collection === '*');
  return relevant.some((grant) => grant[spec.access === 'user' ? 'read' : (spec.access as 'read')]);
}

function accountOf(granted: readonly Grant[], admin: boolean): Account {
  const sum = new Grants(granted);
  return {
    username: 'ann',
    uid: 'u',
    tokenId: 't',
    disabled: false,
    mustChange: false,
    admin: admin || sum.areThoseOfAdmin,
    grants: sum,
  };
}

function verdict(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

describe('the decision about a request by API key', () => {
  it('is that of the rules, for all operations, grants and scopes', () => {
    fc.assert(
      fc.property(grants, fc.boolean(), scopes, fc.constantFrom(...COLLECTIONS),
        (granted, admin, scope, collection) => {
          const account = accountOf(granted, admin);
          const identity = identityByKey(account, scope, undefined);
          const input = { collection };
          const wrong = ASKED.filter((spec) =>
            verdict(() => authorize(spec, identity, input)) !== naive(spec, account.admin, granted, scope, collection)
          ).map(({ id }) => id);
          // An operation for every user, called without a collection, is allowed if the caller may read the collection
          // that it may name.
          expect(wrong).toEqual([]);
        }),
      { numRuns: 300 },
    );
  });

  it('never allows a key what its owner may not do', () => {
    fc.assert(
      fc.property(grants, fc.boolean(), scopes, fc.constantFrom(...COLLECTIONS),
        (granted, admin, scope, collection) => {
          const account = accountOf(granted, admin);
          const [narrow, whole] = [identityByKey(account, scope, undefined), identityByKey(account, {}, undefined)];
          const beyond = Object.values(TABLE).filter((spec) =>
            verdict(() => authorize(spec, narrow, { collection })) &&
            !verdict(() => authorize(spec, whole, { collection }))
          );
          expect(beyond.map(({ id }) => id)).toEqual([]);
          for (const permission of ['read', 'write', 'admin'] as const) expect(
              narrow.may(permission, collection) && !whole.may(permission, collection),
            ).toBe(false);
        }),
      { numRuns: 300 },
    );
  });

  it('lists as searches only operations that read', () => {
    const searches = Object.values(TABLE).filter(({ search }) => search?.keys === true);
    expect(searches.filter(({ access }) => access !== 'read')).toEqual([]);
  });
});
