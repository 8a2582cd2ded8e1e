import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Grant, Grants } from './grants.ts';

const grant = (collection: string, ...permissions: string[]): Grant => ({
  collection,
  read: permissions.includes('read'),
  write: permissions.includes('write'),
  admin: permissions.includes('admin'),
});

describe('permissions (contract section 5, rule 8)', () => {
  it('are those for the collection, in any case of letters, and else none', () => {
    const grants = new Grants([grant('blog', 'read')]);
    expect(grants.may('read', 'BLOG')).toBe(true);
    expect(grants.may('write', 'blog')).toBe(false);
    expect(grants.may('read', 'blog2')).toBe(false);
    expect(new Grants([]).may('read', 'blog')).toBe(false);
  });

  it('are those for * only where there are none for the collection', () => {
    const grants = new Grants([grant('*', 'read', 'write'), grant('blog', 'read')]);
    expect(['blog', 'other'].map((name) => grants.may('write', name))).toEqual([false, true]);
  });

  it('add up over a user and its groups before * is looked at', () => {
    const grants = new Grants([grant('blog', 'read'), grant('blog', 'write'), grant('*', 'admin')]);
    expect((['read', 'write', 'admin'] as const).map((permission) => grants.may(permission, 'blog'))).toEqual([true,
      true, false]);
  });

  it('for * leave out the collections of the system', () => {
    const grants = new Grants([grant('*', 'read', 'write')]);
    expect(grants.may('read', '_memory')).toBe(false);
    expect(new Grants([grant('_memory', 'read')]).may('read', '_memory')).toBe(true);
  });

  it('do not imply each other', () => {
    expect(new Grants([grant('a', 'admin')]).may('read', 'a')).toBe(false);
    expect(new Grants([grant('a', 'write')]).may('read', 'a')).toBe(false);
  });

  it('make an administrator by admin on * alone', () => {
    expect(new Grants([grant('*', 'admin')]).areThoseOfAdmin).toBe(true);
    expect(new Grants([grant('*', 'read', 'write'), grant('a', 'admin')]).areThoseOfAdmin).toBe(false);
  });

  it('are not moved by names that objects know', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(new Grants([grant('a', 'read')]).may('read', name)).toBe(false);
  });

  it('are what the rules say of any grants', () => {
    const name = fc.constantFrom('a', 'b', '*', '_memory');
    const some = fc.array(
      fc.record({ collection: name, read: fc.boolean(), write: fc.boolean(), admin: fc.boolean() }),
    );
    fc.assert(
      fc.property(some, fc.constantFrom('read', 'write', 'admin'), fc.constantFrom('a', 'b', 'c', '_memory'),
        (all, permission, collection) => {
          const own = all.filter((each) => each.collection === collection);
          const deciding = own.length > 0
            ? own
            : collection === '_memory'
            ? []
            : all.filter((each) => each.collection === '*');
          expect(new Grants(all).may(permission, collection)).toBe(deciding.some((each) => each[permission]));
        }),
    );
  });
});
