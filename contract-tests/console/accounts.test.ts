import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Client, createClient, createConfig } from '../../generated/docs/sdk/client/index.ts';
import { addDocument, createApiKey, getCurrentUser, registerUser, setPermission,
  updateDocument } from '../../generated/docs/sdk/sdk.gen.ts';
import type { DocsServer } from '../../src/testkit/docs-server.ts';
import { ADMIN, startWithAuth, tokenOf } from '../support/access-server.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';

const PASSWORD = 'analytical-engine-1843';

let server: DocsServer;
let launched: Launched;
let page: WatchedPage;
let admin: Client;

const clientOf = (token: string): Client =>
  createClient(createConfig({ baseUrl: server.url, headers: { Authorization: `Bearer ${token}` } }));

beforeAll(async () => {
  [server, launched] = await Promise.all([startWithAuth(), launch()]);
  admin = clientOf(await tokenOf(server.url, ADMIN));
  await addDocument({
    client: admin,
    body: { collection: 'guides', key: 'start', lang: 'en', contentMd: '# Start\n\nThe first version.\n' },
  });
  for (const username of ['ada', 'bob']) await registerUser({ client: admin, body: { username, password: PASSWORD } });
  await setPermission({ client: admin, body: { username: 'ada', collection: 'guides', read: true, write: true } });
  await createApiKey({
    client: clientOf(await tokenOf(server.url, { username: 'ada', password: PASSWORD })),
    body: { description: 'of ada, for imports' },
  });
  if ('browser' in launched) page = await openPage(launched.browser);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.stop();
});

const inTab = (name: string, run: () => Promise<void>): void => inBrowser(name, () => launched, () => page, run);

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');

/** Signs in on the page for it, which the tab shows; before, everything that the tab has stored is removed. */
async function signIn(username: string, password: string, place = ''): Promise<void> {
  await page.goto(`${server.url}/console`);
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${server.url}/console${place}`);
  await page.reload();
  await fillSignIn(username, password);
}

async function fillSignIn(username: string, password: string): Promise<void> {
  await page.getByLabel('Name').fill(username);
  await page.getByLabel('Password').fill(password);
  await button('Sign in').click();
}

const storedToken = () =>
  page.evaluate(() => (JSON.parse(sessionStorage.getItem('quire-session')!) as { value: string }).value);

describe('a session', () => {
  inTab('ends on the server, too, when somebody signs out', async () => {
    await signIn('ada', PASSWORD);
    await page.getByRole('link', { name: /guides 1 document/ }).waitFor();
    const token = await storedToken();
    expect((await getCurrentUser({ client: clientOf(token) })).data?.username).toBe('ada');
    await button('Sign out').click();
    await page.getByLabel('Password').waitFor();
    expect((await getCurrentUser({ client: clientOf(token) })).response?.status).toBe(401);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  });

  inTab('is renewed while the console is used, and nothing is loaded again', async () => {
    await page.clock.install();
    await signIn('ada', PASSWORD);
    await page.getByRole('link', { name: /guides 1 document/ }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.clock.runFor('13:00:00');
    expect(asked).toEqual([]);
    await page.keyboard.press('Shift');
    await Promise.all([page.waitForResponse(/\/v1\/auth\/refresh$/), page.clock.runFor('00:00:30')]);
    await page.clock.runFor('00:00:30');
    expect(asked).toEqual(['/v1/auth/refresh']);
    expect((await getCurrentUser({ client: clientOf(await storedToken()) })).data?.username).toBe('ada');
  });

  inTab('keeps what was typed in the tab, and says when somebody else was faster', async () => {
    await signIn('ada', PASSWORD, '#/collections/guides/document?key=start&lang=en&tab=edit');
    await page.getByLabel('Markdown').fill('# Start\n\nTyped before the page was loaded again.\n');
    await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage).length)).toBe(2);
    page.once('dialog', (asked) => void asked.accept());
    await page.reload();
    await expect.poll(() => page.getByLabel('Markdown').inputValue()).toContain('Typed before');
    await updateDocument({
      client: admin,
      body: { collection: 'guides', key: 'start', lang: 'en', contentMd: '# Start\n\nThe second version.\n' },
    });
    page.once('dialog', (asked) => void asked.accept());
    await page.reload();
    await page.getByText('Somebody else has changed').waitFor();
    expect(await page.getByLabel('Markdown').inputValue()).toContain('Typed before');
    await picture(page, 'editor-conflict');
    await button('load the new version').click();
    await expect.poll(() => page.getByLabel('Markdown').inputValue()).toContain('The second version');
    await page.getByText('No changes').waitFor();
  });
});

describe('passwords', () => {
  inTab('are changed by their owners', async () => {
    await signIn('bob', PASSWORD, '#/access?tab=password');
    await page.getByLabel('Present password').fill('not this one');
    await page.getByLabel('New password').fill('purple monkey dishwasher');
    await button('Change the password').click();
    await page.getByText('invalid credentials').waitFor();
    await page.getByLabel('Present password').fill(PASSWORD);
    await picture(page, 'access-password');
    expect(await violations(page)).toEqual([]);
    await button('Change the password').click();
    await page.getByText('The password was changed').waitFor();
    await page.getByRole('tab', { name: 'API keys' }).click();
    await page.getByText('You have no API keys.').waitFor();
    expect(await tokenOf(server.url, { username: 'bob', password: 'purple monkey dishwasher' })).not.toBe('');
  });

  inTab('that are forgotten are set with a token of an administrator', async () => {
    await signIn(ADMIN.username, ADMIN.password, '#/access');
    await page.getByRole('row', { name: /bob/ }).getByRole('button', { name: 'New password' }).click();
    const token = (await dialog().locator('pre').textContent())!;
    expect(await violations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await button('Sign out').click();
    await button('Set a new password with a token').click();
    await page.getByLabel('Name').fill('bob');
    await page.getByLabel('Token').fill(token);
    await page.getByLabel('New password').fill('yellow tractor on the moon');
    await picture(page, 'sign-in-reset');
    expect(await violations(page)).toEqual([]);
    await button('Sign in').click();
    await button('Sign out').waitFor();
    await page.getByText('bob', { exact: true }).waitFor();
  });

  inTab('of new users have to be changed first', async () => {
    await signIn(ADMIN.username, ADMIN.password, '#/access');
    await button('New user').click();
    await dialog().getByLabel('Name').fill('cleo');
    await dialog().getByLabel('Password', { exact: true }).fill('a first password');
    await picture(page, 'access-new-user');
    expect(await violations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('cell', { name: 'cleo' }).waitFor();
    await button('Sign out').click();
    await fillSignIn('cleo', 'a first password');
    await page.getByLabel('New password').fill('silver spoon and lantern');
    await button('Sign in').click();
    await page.getByText('cleo', { exact: true }).waitFor();
  });
});

describe('administrators', () => {
  inTab('make roles, and give them to users and groups', async () => {
    await signIn(ADMIN.username, ADMIN.password, '#/access?tab=roles');
    await button('New role').click();
    await dialog().getByLabel('Name').fill('blogger');
    await dialog().getByLabel('Collection').fill('blog');
    await dialog().getByRole('button', { name: 'Let read' }).click();
    await dialog().getByLabel('write blog').check();
    await picture(page, 'access-role');
    expect(await violations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'read, write on blog' }).waitFor();
    await page.getByRole('tab', { name: 'Users' }).click();
    await page.getByRole('row', { name: /ada/ }).getByRole('button', { name: 'Permissions' }).click();
    await dialog().getByLabel('blogger').check();
    await page.getByText('The roles were saved').waitFor();
    await picture(page, 'access-permissions');
    expect(await violations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /ada .*blogger/ }).waitFor();
  });

  inTab('see the keys of others, and revoke them', async () => {
    await signIn(ADMIN.username, ADMIN.password, '#/access');
    await page.getByRole('row', { name: /ada/ }).getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('row', { name: /of ada, for imports/ }).getByRole('button', { name: 'Revoke' }).click();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key was revoked').waitFor();
    await page.getByRole('cell', { name: 'revoked' }).waitFor();
    await page.getByLabel('Whose keys').selectOption({ label: 'Keys of all users' });
    await page.getByRole('row', { name: /of ada, for imports/ }).waitFor();
    await picture(page, 'access-keys');
    expect(await violations(page)).toEqual([]);
  });

  inTab('make narrow keys, each shown once', async () => {
    await page.getByLabel('Whose keys').selectOption({ label: 'My keys' });
    await page.getByLabel('What the key is for').fill('search box');
    await page.getByLabel('Good for').selectOption('search');
    await page.getByLabel('Collections').fill('blog, guides');
    await button('Make a key').click();
    expect(await dialog().locator('pre').textContent()).toMatch(/^svc_live_/);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await page.getByRole('cell', { name: 'search, blog, guides' }).waitFor();
  });

  inTab('lock users out, and let them in again', async () => {
    await signIn(ADMIN.username, ADMIN.password, '#/access');
    const row = page.getByRole('row', { name: /ada/ });
    await row.getByRole('button', { name: 'Disable' }).click();
    await dialog().getByRole('button', { name: 'Disable' }).click();
    await row.getByRole('cell', { name: 'disabled' }).waitFor();
    await expect(tokenOf(server.url, { username: 'ada', password: PASSWORD })).rejects.toThrow('401');
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.getByRole('cell', { name: 'active' }).waitFor();
    await picture(page, 'access-users');
    expect(await violations(page)).toEqual([]);
  });
});
