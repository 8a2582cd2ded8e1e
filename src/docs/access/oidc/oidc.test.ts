import { generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../lib/log.ts';
import { Issuer } from '../../../net/oidc/issuer.ts';
import { browse, CLIENT, LocalIssuer, REDIRECT } from '../../../testkit/local-issuer.ts';
import { AccessFixture, START, token } from '../test-fixture.ts';
import type { OidcSettings } from './oidc.ts';

let issuer: LocalIssuer;
let fixture: AccessFixture;

const settings = (more: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer: issuer.url,
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  redirectUri: REDIRECT,
  scopes: 'openid profile email',
  audience: '',
  usernameClaim: 'preferred_username',
  rolesClaim: 'groups',
  roles: ['staff=reader', 'writers=group:editors', 'ops=admin'],
  createUsers: true,
  ...more,
});

async function open(more: Partial<OidcSettings> = {}): Promise<void> {
  fixture = await AccessFixture.open({ auth: { oidc: settings(more) } });
  fixture.advance(Math.floor(Date.now() / 1000) - START);
}

/** Does all steps of a browser's sign-in. */
async function signIn() {
  const { url, flow } = await fixture.call('startOidcSignIn');
  return fixture.call('finishOidcSignIn', { flow, query: await browse(url) });
}

beforeAll(async () => {
  issuer = await LocalIssuer.start();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  issuer.account = 'sub-of-ann';
  issuer.claims = { preferred_username: 'ann', groups: ['staff'] };
});
afterEach(() => fixture.close());

describe('sign-in by OpenID Connect', () => {
  it('creates a user for whoever signs in first, with the rights that the mapping derives from the claims', async () => {
    await open();
    const { token: value, username, signOutUrl } = await signIn();
    expect([username, new URL(signOutUrl!).origin]).toEqual(['ann', issuer.url]);
    const identity = (await fixture.access.identify(token(value)))!;
    expect([identity.username, identity.admin, identity.may('read', 'blog'), identity.may('write', 'blog')]).toEqual([
      'ann',
      false,
      true,
      false,
    ]);
    expect((await fixture.manage('listUsers')).users).toMatchObject([{ username: 'admin' }, {
      username: 'ann',
      oidcSubject: 'sub-of-ann',
      admin: false,
      groups: [],
    }]);
    issuer.claims = { preferred_username: 'renamed', groups: ['ops'] };
    expect(await fixture.access.identify(token((await signIn()).token))).toMatchObject({
      username: 'ann',
      admin: true,
    });
    await expect(fixture.login('ann', '')).rejects.toMatchObject({
      code: expect.stringMatching(/invalid|missing/) as string,
    });
  });

  it('signs out of the issuer, too, and is not renewed after its first token: what the issuer says may have changed', async () => {
    await open();
    const { token: value, expiresAt, sessionEndsAt, signOutUrl } = await signIn();
    expect(sessionEndsAt).toBe(expiresAt);
    fixture.advance(3600);
    const renewed = await fixture.call('refreshSession', {}, token(value));
    expect(renewed).toMatchObject({ expiresAt, sessionEndsAt });
    expect((await fixture.access.identify(token(renewed.token)))!.may('read', 'blog')).toBe(true);
    expect(await fixture.call('logout', {}, token(renewed.token))).toEqual({ status: 'signed out', signOutUrl });
    expect(await fixture.access.identify(token(value))).toBeUndefined();
  });

  it('lets nobody become a user of the same name', async () => {
    await open();
    issuer.claims = { preferred_username: 'admin' };
    await expect(signIn()).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('an administrator has to link') as string,
    });
    await fixture.manage('updateUser', { username: 'admin', oidcSubject: 'sub-of-ann' });
    expect((await signIn()).username).toBe('admin');
    await fixture.register('bob');
    await expect(fixture.manage('updateUser', { username: 'bob', oidcSubject: 'sub-of-ann' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('makes no users where that is off, and lets no disabled one in', async () => {
    await open({ createUsers: false });
    await expect(signIn()).rejects.toMatchObject({ code: 'forbidden' });
    await fixture.register('bob');
    await fixture.manage('updateUser', { username: 'bob', oidcSubject: 'sub-of-ann' });
    const { token: value } = await signIn();
    await fixture.manage('updateUser', { username: 'bob', disabled: true });
    expect(await fixture.access.identify(token(value))).toBeUndefined();
    await expect(signIn()).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('takes a response of the issuer once, for its own flow, in time', async () => {
    await open();
    const [one, other] = [await fixture.call('startOidcSignIn'), await fixture.call('startOidcSignIn')];
    const query = await browse(one.url);
    const finish = (flow: string, answer = query) => fixture.call('finishOidcSignIn', { flow, query: answer });
    const refused = { code: 'invalid_credentials' };
    await expect(finish(other.flow)).rejects.toMatchObject(refused);
    await expect(finish(`${one.flow}x`)).rejects.toMatchObject(refused);
    await expect(finish(one.flow, 'error=access_denied')).rejects.toMatchObject(refused);
    await finish(one.flow);
    await expect(finish(one.flow)).rejects.toMatchObject(refused);
    const late = await browse(other.url);
    fixture.advance(601);
    await expect(finish(other.flow, late)).rejects.toMatchObject(refused);
  });

  it('is 404 without an issuer, and 503 with one that does not answer', async () => {
    await open({ issuer: 'http://127.0.0.1:1' });
    await expect(fixture.call('startOidcSignIn')).rejects.toMatchObject({ code: 'unavailable' });
    await fixture.close();
    fixture = await AccessFixture.open();
    expect(await fixture.call('getSignInMethods')).toEqual({ password: true, oidc: false });
    await expect(fixture.call('startOidcSignIn')).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('an issuer that did not answer is called again after five seconds, and once the clock was set back', async () => {
  await open();
  let [now, calls] = [START * 1000, 0];
  const call = async (): Promise<Response> => {
    calls += 1;
    throw new Error('no answer');
  };
  const unreachable = new Issuer({
    settings: settings(),
    fetch: call,
    clock: { now: () => now },
    log: silentLog,
    secret: 'x',
  });
  for (const step of [0, 4999, 1, -86_400_000]) {
    now += step;
    await expect(unreachable.begin()).rejects.toMatchObject({ code: 'unavailable' });
  }
  expect(calls).toBe(3);
});

describe('tokens of the issuer', () => {
  const CLAIMS = { preferred_username: 'ann', groups: ['writers'] };
  const identify = async (value: Promise<string>) => fixture.access.identify(token(await value));

  it('are credentials of the API, with the rights of their claims', async () => {
    await open();
    await fixture.manage('createGroup', { name: 'editors' });
    await fixture.manage('setGroupPermission', { group: 'editors', collection: 'blog', write: true });
    const identity = (await identify(issuer.token('sub-of-ann', CLAIMS)))!;
    expect([identity.username, identity.may('write', 'blog'), identity.may('read', 'blog')]).toEqual(['ann', true,
      false]);
    await fixture.manage('setGroupPermission', { group: 'editors', collection: 'blog', read: true });
    expect((await identify(issuer.token('sub-of-ann', CLAIMS)))!.may('read', 'blog')).toBe(true);
  });

  it('are for this service, of this issuer, signed by it, and of now', async () => {
    await open();
    const { privateKey: key } = await generateKeyPair('RS256');
    const bad = [issuer.token('sub-of-ann', CLAIMS, { audience: 'another' }),
      issuer.token('sub-of-ann', CLAIMS, { key }), issuer.token('sub-of-ann', CLAIMS, { issuer: 'http://127.0.0.1:2' }),
      issuer.token('sub-of-ann', CLAIMS, { now: Math.floor(Date.now() / 1000) - 361 })];
    expect(await Promise.all(bad.map(identify))).toEqual(bad.map(() => undefined));
    const good = issuer.token('sub-of-ann', CLAIMS);
    expect(await identify(good)).toBeDefined();
    fixture.advance(361);
    expect(await identify(good)).toBeUndefined();
  });

  it('of unknown users are invalid where no users are created', async () => {
    await open({ createUsers: false });
    expect(await identify(issuer.token('sub-of-ann', CLAIMS))).toBeUndefined();
  });
});
