import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { type Client, createClient, createConfig } from '../../generated/docs/sdk/client/index.ts';
import { addDocument, getCurrentUser, logout } from '../../generated/docs/sdk/sdk.gen.ts';
import type { DocsServer } from '../../src/testkit/docs-server.ts';
import { LocalIssuer } from '../../src/testkit/local-issuer.ts';
import { TcpProxy } from '../../src/testkit/ship/tcp-proxy.ts';
import { ADMIN, startWithAuth, tokenOf } from '../support/access-server.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';

/** The console's address has to be known to the issuer before the service starts, so the service is behind a proxy. */
let proxy: TcpProxy;
let issuer: LocalIssuer;
let server: DocsServer;
let launched: Launched;
let page: WatchedPage;
let url: string;

const clientOf = (token: string): Client =>
  createClient(createConfig({ baseUrl: server.url, headers: { Authorization: `Bearer ${token}` } }));

beforeAll(async () => {
  proxy = await TcpProxy.start({ host: '127.0.0.1', port: 1 });
  url = `http://127.0.0.1:${proxy.port}`;
  issuer = await LocalIssuer.start(`${url}/console`);
  [server, launched] = await Promise.all([startWithAuth({ ...issuer.environment, SVC_OIDC_ROLES: 'writers=writer' }),
    launch()]);
  proxy.target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
  const admin = clientOf(await tokenOf(server.url, ADMIN));
  await addDocument({
    client: admin,
    body: { collection: 'guides', key: 'start', lang: 'en', contentMd: '# Start\n\nThe first version.\n' },
  });
});

beforeEach(async () => {
  issuer.account = 'sub-of-ann';
  issuer.claims = { preferred_username: 'ann', groups: ['writers'] };
  issuer.refuses = false;
  if ('browser' in launched) page = await openPage(launched.browser);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.stop();
  await issuer.stop();
  await proxy.close();
});

const inTab = (name: string, run: () => Promise<void>): void => inBrowser(name, () => launched, () => page, run);

const button = (name: string) => page.getByRole('button', { name, exact: true });
const open = (place = ''): Promise<unknown> => page.goto(`${url}/console${place}`);
const signIn = (): Promise<void> => button('Sign in with your organisation').click();
const storedToken = () =>
  page.evaluate(() => (JSON.parse(sessionStorage.getItem('quire-session')!) as { value: string }).value);

describe('signing in at an issuer of OpenID Connect', () => {
  inTab('returns to the place that was opened, and leaves nothing of it in the address', async () => {
    await open('#/collections/guides');
    await button('Sign in with your organisation').waitFor();
    await picture(page, 'sign-in-issuer');
    expect(await violations(page)).toEqual([]);
    await signIn();
    await page.getByText('ann', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'guides' }).waitFor();
    expect(page.url()).toBe(`${url}/console#/collections/guides`);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual(['quire-session']);
    expect((await getCurrentUser({ client: clientOf(await storedToken()) })).data).toMatchObject({
      username: 'ann',
      admin: false,
    });
  });

  inTab('says so when the issuer refuses, and can be tried again', async () => {
    issuer.refuses = true;
    await open();
    await signIn();
    await page.getByRole('alert').getByText('access_denied').waitFor();
    expect(page.url()).toMatch(/\/console(?:#\/?)?$/);
    await picture(page, 'sign-in-refused');
    expect(await violations(page)).toEqual([]);
    issuer.refuses = false;
    await signIn();
    await page.getByText('ann', { exact: true }).waitFor();
  });

  inTab('is refused to somebody whose name another user has, with what to do', async () => {
    issuer.account = 'sub-of-somebody-else';
    issuer.claims = { preferred_username: ADMIN.username };
    await open();
    await signIn();
    await page.getByRole('alert').getByText('an administrator has to link').waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  });

  inTab('ends on the server and at the issuer when the user signs out', async () => {
    await open();
    await signIn();
    await page.getByText('ann', { exact: true }).waitFor();
    const token = await storedToken();
    await button('Sign out').click();
    await page.waitForURL((shown) => shown.origin === issuer.url);
    expect((await getCurrentUser({ client: clientOf(token) })).response?.status).toBe(401);
    await page.getByRole('button', { name: /^Yes/ }).click();
    await button('Sign in with your organisation').waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    // The issuer asks who it is again, because its session has ended, too.
    issuer.account = 'sub-of-ben';
    issuer.claims = { preferred_username: 'ben' };
    await signIn();
    await page.getByText('ben', { exact: true }).waitFor();
  });

  inTab('again, when a session has ended, loses nothing that was typed', async () => {
    await open('#/collections/guides/document?key=start&lang=en&tab=edit');
    await signIn();
    await page.getByLabel('Markdown').fill('# Start\n\nTyped before the session ended.\n');
    await logout({ client: clientOf(await storedToken()), body: {} });
    await button('Save').click();
    await signIn();
    await button('Save').waitFor();
    expect(await page.getByLabel('Markdown').inputValue()).toContain('Typed before the session ended');
    await button('Save').click();
    await page.getByText('No changes').waitFor();
  });

  inTab('again, however soon after a change, loses nothing that was typed', async () => {
    await page.clock.install();
    await open('#/collections/guides/document?key=start&lang=en&tab=edit');
    await signIn();
    await button('Save').waitFor();
    // Sooner than the pause in typing after which the preview follows.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByLabel('Markdown').fill('# Start\n\nTyped in the last moment.\n');
    await logout({ client: clientOf(await storedToken()), body: {} });
    await button('Save').click();
    await button('Use an API key').waitFor();
    await page.clock.runFor(100);
    // The clock stands still until the page has been left, and no longer: the next one needs its timers.
    const left = page.waitForEvent('framenavigated');
    await signIn();
    await left;
    await page.clock.resume();
    await button('Save').waitFor();
    expect(await page.getByLabel('Markdown').inputValue()).toContain('Typed in the last moment');
  });

  inTab('again, before a session ends, begins another one and returns to the page', async () => {
    await page.clock.install();
    await open('#/collections/guides/document?key=start&lang=en&tab=edit');
    await signIn();
    await page.getByLabel('Markdown').fill('# Start\n\nTyped at the end of the day.\n');
    const token = await storedToken();
    await page.clock.runFor('23:56:00');
    await button('Sign in again').click();
    await signIn();
    await button('Save').waitFor();
    expect(await page.getByLabel('Markdown').inputValue()).toContain('Typed at the end of the day');
    expect(await storedToken()).not.toBe(token);
    await button('Save').click();
    await page.getByText('No changes').waitFor();
  });

  inTab('again, when the issuer refuses, leaves the session as it was', async () => {
    await page.clock.install();
    await open('#/collections/guides');
    await signIn();
    await page.getByText('ann', { exact: true }).waitFor();
    await page.clock.runFor('23:56:00');
    issuer.refuses = true;
    await button('Sign in again').click();
    // Otherwise the issuer has a session of its own, and asks nobody.
    await page.context().clearCookies();
    await signIn();
    await page.getByRole('status').getByText('access_denied').waitFor();
    await page.getByText('ann', { exact: true }).waitFor();
    expect(page.url()).toBe(`${url}/console#/collections/guides`);
  });
});
