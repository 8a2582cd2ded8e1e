import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { PASSWORD_COST, Passwords, Places } from './passwords.ts';

describe('passwords (contract section 5, rule 6)', () => {
  const passwords = new Passwords(4);

  it('are hashed by bcrypt with cost 12, unless a test says otherwise', async () => {
    expect(PASSWORD_COST).toBe(12);
    expect(await new Passwords().hash('p')).toMatch(/^\$2b\$12\$/);
    expect(await passwords.hash('p')).toMatch(/^\$2b\$04\$/);
  });

  it('match their own hash and no other, to their last byte', async () => {
    const longest = 'ä'.repeat(36);
    for (const password of ['p', ' p ', 'a\0b', longest, 'Ä', '__proto__']) {
      const hash = await passwords.hash(password);
      expect(await passwords.matches(password, hash)).toBe(true);
      for (const other of [`${password.slice(0, -1)}x`, password.slice(0, -1),
        password.normalize('NFD') === password ? `${password}x`.slice(-72) : password.normalize('NFD')])
      {
        if (other !== password) expect(await passwords.matches(other, hash)).toBe(false);
      }
    }
    expect(await passwords.matches('a\0c', await passwords.hash('a\0b'))).toBe(false);
  });

  it('match nothing where there is no hash, by the work of one of the same cost', async () => {
    const compared: string[] = [];
    const compare = bcrypt.compare;
    bcrypt.compare =
      ((password: string, hash: string) => (compared.push(hash), compare(password, hash))) as typeof compare;
    try {
      expect(await passwords.matches('p', undefined)).toBe(false);
    } finally {
      bcrypt.compare = compare;
    }
    expect(compared).toHaveLength(1);
    expect(bcrypt.getRounds(compared[0]!)).toBe(4);
    expect(compared[0]).toHaveLength((await passwords.hash('p')).length);
  });
});

describe('places', () => {
  const LIMITS = { atOnce: 1, waiting: 6, perAddress: 4, perName: 2 };
  const tick = () => new Promise(setImmediate);

  /** Places with work that ends when the test calls `end`; `order` contains the work that has begun. */
  function setUp(limits = LIMITS) {
    const places = new Places(limits);
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const work = (party: string) => {
      const [address = '', name = ''] = party.split('/');
      return places.run(() => new Promise<void>((resolve) => (order.push(party), ends.push(resolve))), {
        address,
        name,
      });
    };
    const end = async (): Promise<void> => {
      ends.shift()?.();
      await tick();
    };
    return { places, order, work, end };
  }

  it('go to each address in turn, and to each name within it', async () => {
    const { order, work, end } = setUp();
    const all = ['a/x', 'a/x', 'a/y', 'b/x', 'c/z'].map(work);
    await tick();
    for (let i = 0; i < 5; i++) await end();
    await Promise.all(all);
    expect(order).toEqual(['a/x', 'a/x', 'b/x', 'c/z', 'a/y']);
  });

  it('are refused to whoever has a share of them already, with the time to wait', async () => {
    const { work, end } = setUp();
    const refused = { code: 'rate_limited', status: 429, headers: { 'Retry-After': '1' } };
    const running = [work('a/x'), work('a/x')];
    await expect(work('a/x')).rejects.toMatchObject({
      ...refused,
      message: '2 sign-ins with this name from your address are being checked already; try again in 1 s',
    });
    running.push(work('a/y'), work('a/z'));
    await expect(work('a/w')).rejects.toMatchObject({
      ...refused,
      message: '4 sign-ins from your address are being checked already; try again in 1 s',
    });
    running.push(work('b/x'));
    for (let i = 0; i < 5; i++) await end();
    await Promise.all(running);
    const again = work('a/x');
    await tick();
    await end();
    await again;
  });

  it('that are all taken are given up by the address that has most of them', async () => {
    const { order, work, end } = setUp({ ...LIMITS, waiting: 4 });
    const running = ['a/1', 'a/2', 'a/3'].map(work);
    const newest = work('a/4').catch((error: unknown) => error);
    running.push(work('b/1'), work('c/1'));
    expect(await newest).toMatchObject({ code: 'rate_limited' });
    // Now no address has two jobs more than a new one would have.
    await expect(work('b/2')).rejects.toMatchObject({ code: 'busy', headers: { 'Retry-After': '1' } });
    for (let i = 0; i < 5; i++) await end();
    await Promise.all(running);
    expect(order).toEqual(['a/1', 'a/2', 'b/1', 'c/1', 'a/3']);
  });

  it('come back also from work that fails, and the server itself has no share', async () => {
    const { places } = setUp();
    await expect(places.run(() => Promise.reject(new Error('broken')), { address: 'a', name: 'x' })).rejects.toThrow(
      'broken',
    );
    expect(await Promise.all(Array.from({ length: 6 }, () => places.run(async () => 'free')))).toHaveLength(6);
  });
});
