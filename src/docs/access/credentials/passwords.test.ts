import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { Passwords, PASSWORD_COST } from './passwords.ts';
import { Places } from './places.ts';

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
      for (const other of [`${password.slice(0, -1)}x`, password.slice(0, -1), password.normalize('NFD') === password ? `${password}x`.slice(-72) : password.normalize('NFD')]) {
        if (other !== password) expect(await passwords.matches(other, hash)).toBe(false);
      }
    }
    expect(await passwords.matches('a\0c', await passwords.hash('a\0b'))).toBe(false);
  });

  it('match nothing where there is no hash, by the work of one of the same cost', async () => {
    const compared: string[] = [];
    const compare = bcrypt.compare;
    bcrypt.compare = ((password: string, hash: string) => (compared.push(hash), compare(password, hash))) as typeof compare;
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
  it('let so many work at once, in turn, and refuse whom there is no room to wait for', async () => {
    const places = new Places(2, 1);
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string) => places.run(() => new Promise<void>((resolve) => (order.push(name), ends.push(resolve))));
    const running = [work('a'), work('b'), work('c')];
    await expect(work('d')).rejects.toMatchObject({ code: 'busy', headers: { 'Retry-After': '1' } });
    expect(order).toEqual(['a', 'b']);
    ends[0]!();
    await running[0];
    await new Promise(setImmediate);
    expect(order).toEqual(['a', 'b', 'c']);
    for (const end of ends) end();
    await Promise.all(running);
    await expect(places.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await places.run(async () => 'free')).toBe('free');
  });
});
