import { SignJWT, UnsecuredJWT } from 'jose';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ISSUER, Tokens } from './tokens.ts';

const SECRET = 'a secret that only these tests know';
const START = 1_766_400_000;
const clock = {
  seconds: START,
  now(): number {
    return this.seconds * 1000;
  },
};
const tokens = new Tokens({ secret: SECRET, lifetimeMs: 3_600_000, clock });

const ANN = { username: 'ann', tokenId: 'id of ann' };
/** Ends when the clock tolerance ends. */
const VERIFIED = {
  ...ANN,
  expiresAt: (START + 3600 + 60) * 1000,
  session: { id: 'session', endsAt: START + 7200, atIssuer: false },
};
const CLAIMS = {
  iss: ISSUER,
  sub: 'id of ann',
  username: 'ann',
  admin: false,
  sid: 'session',
  end: START + 7200,
  iat: START,
  exp: START + 3600,
};

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs any claims, which a library would refuse. */
function forge(header: object, claims: object, secret: string | Buffer = SECRET, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const HS256 = { alg: 'HS256', typ: 'JWT' };

describe('a token (contract section 5, rule 3)', () => {
  it('says who it was signed for, until it expires, with a minute for clocks that differ', async () => {
    const { token, expiresAt, sessionEndsAt } = await tokens.sign(ANN, true, VERIFIED.session);
    expect([expiresAt, sessionEndsAt]).toEqual([START + 3600, START + 7200]);
    expect(await tokens.verify(token)).toEqual(VERIFIED);
    const [, claims] = token.split('.');
    expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toEqual({ ...CLAIMS, admin: true });
    for (const [after, valid] of [[3599, true], [3659, true], [3661, false]] as const) {
      const later = new Tokens({ secret: SECRET, lifetimeMs: 1000, clock: { now: () => (START + after) * 1000 } });
      expect((await later.verify(token)) !== undefined).toBe(valid);
    }
  });

  it('is of a new session unless one is given, and expires with it at the latest', async () => {
    const long = new Tokens({ secret: SECRET, lifetimeMs: 3_600_000, sessionMaxMs: 10_000_000, clock });
    const [one, other] = [long.newSession(), long.newSession()];
    expect([one.endsAt, one.id === other.id, long.newSession(true)]).toEqual([START + 10_000, false, {
      id: expect.any(String) as string,
      endsAt: START + 3600,
      atIssuer: true,
    }]);
    expect(await tokens.sign(ANN, false, { ...one, endsAt: START + 10 })).toMatchObject({
      expiresAt: START + 10,
      sessionEndsAt: START + 10,
    });
    expect((await tokens.verify((await tokens.sign(ANN, false)).token))!.session).toMatchObject({
      endsAt: START + 3600,
      atIssuer: false,
    });
  });

  it('of a version without sessions is a session of its own', async () => {
    const [one, other] = await Promise.all(
      ['ann', 'bob'].map((username) =>
        tokens.verify(forge(HS256, { ...CLAIMS, username, sid: undefined, end: undefined }))
      ),
    );
    expect([one!.session.endsAt, one!.session.id === other!.session.id]).toEqual([START + 3600, false]);
  });

  it('that we would have made is valid however it was made', async () => {
    expect(await tokens.verify(forge(HS256, CLAIMS))).toEqual(VERIFIED);
  });

  const key = new TextEncoder().encode(SECRET);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const attacks: [string, () => string | Promise<string>][] = [['unsigned', () => new UnsecuredJWT(CLAIMS).encode()], [
    'unsigned, with a signature',
    () => forge({ alg: 'none' }, CLAIMS),
  ], ['unsigned in another spelling', () => forge({ alg: 'nOnE' }, CLAIMS)], ['without algorithm',
    () => forge({ typ: 'JWT' }, CLAIMS)], ['of a stronger algorithm of the same secret',
    () => forge({ alg: 'HS512' }, CLAIMS, SECRET, 'sha512')], ['HS256 by a header that says otherwise',
    () => forge({ alg: 'HS384' }, CLAIMS)], ['of an algorithm with a public key',
    () => new SignJWT(CLAIMS).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey)], [
    'signed with what a public key would be',
    () => forge(HS256, CLAIMS, rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string),
  ], ['that brings its own key',
    () => forge({ ...HS256, jwk: { kty: 'oct', k: Buffer.from('mine').toString('base64url') } }, CLAIMS, 'mine')], [
    'with an empty secret',
    () => forge(HS256, CLAIMS, ''),
  ], ['with another secret', () => forge(HS256, CLAIMS, `${SECRET}x`)], ['changed afterwards', async () => {
    const [header, , signature] = (await tokens.sign(ANN, false)).token.split('.');
    return `${header}.${encode({ ...CLAIMS, username: 'admin', admin: true })}.${signature}`;
  }], ['cut off', async () => (await tokens.sign(ANN, false)).token.split('.').slice(0, 2).join('.')], [
    'with other letters for the same signature',
    () => {
      const [, last] = /(.)$/.exec(forge(HS256, CLAIMS))!;
      return forge(HS256, CLAIMS).slice(0, -1) + BASE64URL[BASE64URL.indexOf(last!) + 1]!;
    },
  ], ['with an empty signature',
    async () => `${(await tokens.sign(ANN, false)).token.split('.').slice(0, 2).join('.')}.`], ['that has expired',
    () => forge(HS256, { ...CLAIMS, iat: START - 7200, exp: START - 61 })], ['that never expires',
    () => forge(HS256, { ...CLAIMS, exp: undefined })], ['whose expiry is text',
    () => forge(HS256, { ...CLAIMS, exp: String(START + 3600) })], ['of the future',
    () => forge(HS256, { ...CLAIMS, iat: START + 61 })], ['of no time',
    () => forge(HS256, { ...CLAIMS, iat: undefined })], ['not valid yet',
    () => forge(HS256, { ...CLAIMS, nbf: START + 61 })], ['of another issuer',
    () => forge(HS256, { ...CLAIMS, iss: 'other' })], ['of no issuer',
    () => forge(HS256, { ...CLAIMS, iss: undefined })], ['of nobody',
    () => forge(HS256, { ...CLAIMS, sub: undefined })], ['whose name is an object',
    () => forge(HS256, { ...CLAIMS, username: { $ne: '' } })], ['with a critical extension',
    () => forge({ ...HS256, crit: ['mine'], mine: true }, CLAIMS)], ['that is endless',
    () => forge(HS256, { ...CLAIMS, more: 'x'.repeat(5000) })], ['nothing', () => ''], ['dots', () => '..'], ['no JSON',
    () => `${Buffer.from('{').toString('base64url')}.e30.e30`], ['encrypted', () => 'a.b.c.d.e'], [
    'text of any letters',
    () => '😀.\ud800.\0',
  ]];
  it.each(attacks)('that is %s is no token', async (_name, make) => {
    expect(await tokens.verify(await make())).toBeUndefined();
  });

  it('is compared by a key that is the secret, not by what libraries take for one', async () => {
    expect(await tokens.verify(await new SignJWT(CLAIMS).setProtectedHeader(HS256).sign(key))).toEqual(VERIFIED);
  });
});
