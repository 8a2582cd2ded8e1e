import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createClient, createConfig } from '../../generated/runs/sdk/client/index.ts';
import { enqueueRun, getRun } from '../../generated/runs/sdk/sdk.gen.ts';
import { CLIENT, LocalIssuer } from '../../src/testkit/local-issuer.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../src/testkit/runs-server.ts';
import { TcpProxy } from '../../src/testkit/ship/tcp-proxy.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';

/** The console's address has to be known to the issuer before the service starts, so the service is behind a proxy. */
let proxy: TcpProxy;
let issuer: LocalIssuer;
let server: RunsServer;
let launched: Launched;
let page: WatchedPage;
let url: string;

const CONFIG = (redirect: string): string => `
local: {enabled: false}
projects: [{id: alpha, repository: org/alpha}, {id: beta, repository: org/beta}]
pipelines: [{name: release, approval: {required: true}, steps: [{name: go, run: 'true'}]}]
oidc:
  issuer: ${issuer.url}
  client_id: ${CLIENT.id}
  client_secret_env: OIDC_SECRET
  redirect_uri: ${redirect}
  name_claim: preferred_username
  roles: [{role: approver, groups: [release], projects: [beta]}]
`;

beforeAll(async () => {
  proxy = await TcpProxy.start({ host: '127.0.0.1', port: 1 });
  url = `http://127.0.0.1:${proxy.port}`;
  issuer = await LocalIssuer.start(`${url}/console`);
  issuer.claims = { preferred_username: 'anna', groups: ['release'] };
  [server, launched] = await Promise.all([
    startRunsServer(CONFIG(`${url}/console`), { variables: { OIDC_SECRET: CLIENT.secret } }),
    launch(),
  ]);
  proxy.target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
  if ('browser' in launched) page = await openPage(launched.browser);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.remove();
  await issuer.stop();
  await proxy.close();
});

const inTab = (name: string, run: () => Promise<void>): void => inBrowser(name, () => launched, () => page, run);
const client = () => createClient(createConfig({ baseUrl: server.url, auth: API_TOKEN }));

async function queued(project: string): Promise<string> {
  const { data } = await enqueueRun({
    client: client(),
    headers: { 'Idempotency-Key': `the-run-of-${project}` },
    body: { project_id: project, kind: 'pipeline', task: 'release' },
  });
  return data!.data.id;
}

describe('signing in to the runs console at an issuer', () => {
  inTab('shows the runs of the own projects, approves by name, and ends with signing out', async () => {
    const [id] = await Promise.all([queued('beta'), queued('alpha')]);
    await page.goto(`${url}/console#/`);
    const signIn = page.getByRole('button', { name: 'Sign in with your organisation', exact: true });
    await signIn.waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 860 });
        await picture(page, `runs-sign-in-${colorScheme}-${width}`);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await violations(page)).toEqual([]);
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 860 });
    await signIn.click();
    await page.getByText('anna', { exact: true }).waitFor();
    const rows = page.getByRole('row').filter({ hasText: 'release' });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(page.url()).toBe(`${url}/console#/`);
    await page.goto(`${url}/console#/runs/${id}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(async () => (await getRun({ client: client(), path: { id } })).data?.data.approval).toMatchObject(
      {
        state: 'approved',
        by: 'user:anna',
      },
    );
    const token = await page.evaluate(() =>
      (JSON.parse(sessionStorage.getItem('quire-session')!) as { value: string }).value
    );
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: /^Yes/ }).waitFor();
    const answer = await fetch(`${server.url}/api/v1/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
  });
});
