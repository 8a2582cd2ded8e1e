import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ShipInfoSchema } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { createClient, createConfig } from '../../generated/runs/sdk/client/index.ts';
import { createJoinToken, enqueueRun } from '../../generated/runs/sdk/sdk.gen.ts';
import { joinFleet, readJoinToken } from '../../src/ship/identity/index.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../src/testkit/runs-server.ts';
import { TcpProxy } from '../../src/testkit/ship/tcp-proxy.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';

const CONFIG = `
pipelines:
  - {name: hello, description: Says hello., steps: [{name: greet, run: 'cat "$QUIRE_INPUT_FILE"; echo'}, {name: leave, run: 'echo bye'}]}
  - {name: colours, steps: [{name: paint, run: 'printf "\\033[31mcherry\\033[0m and \\033[1;32mleaf\\033[0m\\n"; sleep 1.5; echo "the last line"'}]}
  - {name: slow, steps: [{name: quick, run: 'echo quick'}, {name: silent, run: 'sleep 60'}]}
  - {name: many, steps: [{name: count, run: 'for n in 1 2 3 4 5 6; do echo "number $n"; done'}, {name: end, run: 'echo "number none"'}]}
  - {name: packs, steps: [{name: pack, run: 'mkdir dist; echo packed > dist/parcel.txt', artifacts: [dist]}]}
  - {name: asks, approval: {required: true}, steps: [{name: go, run: 'echo it may'}]}
  - name: ships
    inputs: [{name: target, type: choice, choices: [staging, live], required: true, description: Where to}, {name: copies, type: number, default: 2, min: 1, max: 9}, {name: loud, type: boolean, default: false}]
    steps: [{name: say, run: 'cat "$QUIRE_INPUT_FILE"; echo'}]
  - {name: fails, steps: [{name: first, run: 'echo about to fail; exit 3'}]}
projects: [{id: demo, repository: example/demo}, {id: garden, repository: example/garden, runs_on: [gpu=a100]}, {id: shed, repository: example/shed, enabled: false}]
notifications: {webhooks: [{name: chat, url: 'https://chat.example.org/hook', projects: [garden], states: [succeeded]}]}
schedules: [{name: nightly, project: demo, cron: '0 3 * * *', timezone: Europe/Berlin, kind: pipeline, task: hello}, {name: rare, project: shed, cron: '0 4 * * *', kind: pipeline, task: hello}]
queue: {cancel_grace: 1s}
fleet: {enabled: true, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1}
`;

const headers = { Authorization: `Bearer ${API_TOKEN}` };

let server: RunsServer;
let launched: Launched;
/** Signed in. */
let page: WatchedPage;

beforeAll(async () => {
  [server, launched] = await Promise.all([startRunsServer(CONFIG), launch()]);
  await Promise.all([joinShip('build-01'), queue('demo', 'fails'), queue('garden', 'hello')]);
  if (!('browser' in launched)) return;
  page = await openPage(launched.browser);
  await page.addInitScript((value) => sessionStorage.setItem('quire-session', JSON.stringify({ kind: 'token', value })),
    API_TOKEN);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.remove();
});

const client = () => createClient(createConfig({ baseUrl: server.url, headers }));

async function queue(project: string, task: string): Promise<string> {
  const { data } = await enqueueRun({
    client: client(),
    headers: { 'Idempotency-Key': `${project} ${task} ${performance.now()}` },
    body: { project_id: project, kind: 'pipeline', task },
  });
  return data!.data.id;
}

/** A machine that has joined and is switched off. */
async function joinShip(name: string): Promise<void> {
  const { data } = await createJoinToken({ client: client(), body: { name, labels: ['gpu=h100'] } });
  const [host, port] = server.fleet!.enrol.split(':');
  const info = create(ShipInfoSchema, {
    name,
    version: '1.0.0',
    protocol: 1,
    os: 'linux',
    arch: 'amd64',
    kinds: ['pipeline'],
    capacity: 2,
  });
  await joinFleet({
    host: host!,
    port: Number(port),
    token: readJoinToken(data!.data.token)!,
    info,
    now: () => Date.now(),
  });
}

const inTab = (name: string, run: () => Promise<void>): void => inBrowser(name, () => launched, () => page, run);
const open = (place = '', url = server.url): Promise<unknown> => page.goto(`${url}/console${place}`);

describe('the console of the run queue', () => {
  inTab('asks for a token, and refuses a wrong one', async () => {
    if ('reason' in launched) return;
    const stranger = await openPage(launched.browser);
    await stranger.goto(`${server.url}/console`);
    await stranger.getByLabel('API token').fill('wrong');
    await stranger.getByRole('button', { name: 'Sign in' }).click();
    await stranger.getByRole('alert').waitFor();
    expect(await violations(stranger)).toEqual([]);
    await stranger.getByLabel('API token').fill(API_TOKEN);
    await stranger.getByRole('button', { name: 'Sign in' }).click();
    await stranger.getByRole('heading', { name: 'Runs' }).waitFor();
    await stranger.context().close();
  });

  inTab('lists runs with their state, and why they wait', async () => {
    await open();
    await page.getByText('no ship has its labels').waitFor();
    await page.getByRole('cell', { name: 'this server' }).first().waitFor();
    await page.getByRole('cell', { name: 'api', exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'failed' }).click();
    await page.getByRole('link', { name: 'fails' }).waitFor();
    await picture(page, 'runs-list');
    expect(await violations(page)).toEqual([]);
  });

  inTab('submits a run with a form, and shows what it says', async () => {
    await open('#/submit');
    await page.getByLabel('Input').fill('greetings from the console');
    await picture(page, 'runs-submit');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Queue the run' }).click();
    await page.getByRole('log').getByText('greetings from the console').waitFor();
    await page.getByText('succeeded').first().waitFor();
    await page.getByLabel('Search the log').fill('bye');
    await page.locator('.log mark', { hasText: 'bye' }).waitFor();
    expect(await page.locator('.log .line').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0); // it has succeeded
    await picture(page, 'runs-run');
    expect(await violations(page)).toEqual([]);
  });

  inTab('runs again what has succeeded', async () => {
    const first = await queue('demo', 'hello');
    await open(`#/runs/${first}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('Repeats', { exact: true }).waitFor();
    await page.getByRole('link', { name: first.slice(-8) }).waitFor();
    await page.getByText('succeeded').first().waitFor();
  });

  inTab('lists the steps of a run that is under way, with state and duration, also a silent one', async () => {
    const run = await queue('demo', 'slow');
    await open(`#/runs/${run}`);
    const steps = page.getByRole('navigation', { name: 'Steps' });
    await steps.getByRole('button', { name: /^quick succeeded \d/ }).waitFor();
    await steps.getByRole('button', { name: /^silent running \d/ }).waitFor();
    await picture(page, 'runs-steps');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    await steps.getByRole('button', { name: /^silent stopped \d/ }).waitFor();
  });

  inTab('filters the log by a step, and leads from what a search has found to its context', async () => {
    await open(`#/runs/${await queue('demo', 'many')}`);
    await page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: /^end succeeded/ }).click();
    await page.getByRole('log').getByText('number none').waitFor();
    expect(await page.getByRole('log').getByText('number 3').count()).toBe(0);
    await page.getByRole('button', { name: 'All steps' }).click();
    await page.getByLabel('Search the log').fill('number 3');
    await expect.poll(() => page.locator('.log .line').count()).toBe(1);
    await picture(page, 'runs-found');
    await page.getByRole('log').getByRole('link').click();
    await page.locator('.log .line.at', { hasText: 'number 3' }).waitFor();
    await page.getByRole('log').getByText('number 4').waitFor();
    expect(await page.getByLabel('Search the log').inputValue()).toBe('');
    await picture(page, 'runs-context');
    expect(await violations(page)).toEqual([]);
    await page.reload(); // the address names the line
    await page.locator('.log .line.at', { hasText: 'number 3' }).waitFor();
  });

  inTab('offers nothing for a run that is being cancelled, or whose pipeline is gone', async () => {
    const run = await queue('garden', 'hello');
    const change = async (fields: object): Promise<void> => {
      await page.unrouteAll({ behavior: 'wait' });
      await page.route(`${server.url}/api/v1/runs/${run}`, async (route) => {
        const { data } = await (await route.fetch()).json() as { data: object };
        await route.fulfill({ json: { data: { ...data, ...fields } } });
      });
      await open(`#/`);
      await open(`#/runs/${run}`);
      await page.locator('h1', { hasText: /hello|gone/ }).waitFor();
    };
    await change({ state: 'cancelling', waiting_reason: null });
    await page.getByText('cancelling').first().waitFor();
    expect(await page.locator('.page-head button').count()).toBe(0);
    await change({ state: 'succeeded', waiting_reason: null, task: 'gone' });
    await page.getByText('The project has no such pipeline any more.').waitFor();
    expect(await page.locator('.page-head button').count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
  });

  inTab('has a field for each input that a pipeline declares', async () => {
    await open('#/submit');
    await page.getByRole('combobox', { name: /^Pipeline/ }).selectOption('ships');
    await page.getByText('Where to').waitFor();
    await page.getByRole('combobox', { name: /^target/ }).selectOption('live');
    await page.getByRole('spinbutton', { name: /^copies/ }).fill('3');
    await page.getByRole('combobox', { name: /^loud/ }).selectOption('true');
    await picture(page, 'runs-submit-inputs');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Queue the run' }).click();
    await page.getByRole('log').getByText('"target":"live"', { exact: false }).waitFor();
    expect(JSON.parse((await page.getByRole('log').getByText('"target"').textContent())!)).toEqual({
      target: 'live',
      copies: 3,
      loud: true,
    });
  });

  inTab('compares the logs of two attempts side by side', async () => {
    const run = await queue('demo', 'hello');
    await open(`#/runs/${run}`);
    await page.getByText('succeeded').first().waitFor();
    // As after a fault of the machine: the first attempt has said something else.
    await page.route(`${server.url}/api/v1/runs/${run}`, async (route) => {
      const { data } = await (await route.fetch()).json() as { data: object };
      await route.fulfill({ json: { data: { ...data, attempt: 2 } } });
    });
    await page.route(`${server.url}/api/v1/runs/${run}/logs?*`, (route) => {
      const query = new URL(route.request().url()).searchParams;
      const attempt = query.get('attempt');
      const lines = query.get('offset') === '0' ? ['the same', `said by attempt ${attempt}`] : [];
      return route.fulfill({
        json: {
          data: lines.map((message, line) => ({
            id: line + 1,
            message,
            stream: 'stdout',
            time: '2026-01-01T00:00:00Z',
          })),
          next_offset: 2,
        },
      });
    });
    await page.reload();
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.locator('.diff td.removed mark', { hasText: '1' }).waitFor();
    await page.locator('.diff td.added mark', { hasText: '2' }).waitFor();
    await picture(page, 'runs-compare');
    expect(await violations(page)).toEqual([]);
    await page.unrouteAll();
  });

  inTab('follows a log in its colours, over a connection that breaks', async () => {
    const proxy = await TcpProxy.start({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
    const run = await queue('demo', 'colours');
    await open(`#/runs/${run}`, `http://127.0.0.1:${proxy.port}`);
    await page.getByRole('log').getByText('cherry').waitFor();
    expect(await page.getByRole('log').getByText('cherry').evaluate((element) => getComputedStyle(element).color)).toBe(
      'rgb(255, 143, 133)',
    );
    proxy.drop();
    await page.getByRole('log').getByText('the last line').waitFor();
    expect(await page.getByRole('log').getByText('cherry').count()).toBe(1);
    await picture(page, 'runs-log');
    await proxy.close();
    page.troubles.splice(0);
  });

  inTab('retries what failed, and cancels what waits', async () => {
    const failed = await queue('demo', 'fails');
    await open(`#/runs/${failed}`);
    await page.getByText('step failed', { exact: false }).waitFor();
    await picture(page, 'runs-failed');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Retry of', { exact: true }).waitFor();
    // Runs of one minute begin alike.
    await page.getByRole('link', { name: failed.slice(-8) }).waitFor();
    await open(`#/runs/${await queue('garden', 'hello')}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByText('cancelled').first().waitFor();
  });

  inTab('approves what waits for somebody', async () => {
    await open(`#/runs/${await queue('demo', 'asks')}`);
    await page.getByText('somebody has to approve it').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('log').getByText('it may').waitFor();
    await page.getByText('approved by', { exact: false }).first().waitFor();
    await picture(page, 'runs-approved');
  });

  inTab('downloads what a run has left', async () => {
    await open(`#/runs/${await queue('demo', 'packs')}`);
    await page.getByRole('tab', { name: 'Files' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download dist/parcel.txt' }).click()]);
    expect(download.suggestedFilename()).toBe('parcel.txt');
    expect(await violations(page)).toEqual([]);
  });

  inTab('pauses, resumes and runs schedules', async () => {
    await open('#/schedules');
    const row = page.getByRole('row', { name: /nightly/ });
    await row.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused by', { exact: false }).waitFor();
    const off = page.getByRole('row', { name: /rare/ });
    await off.getByText('project is off').waitFor();
    await expect.poll(() => off.getByRole('button', { name: 'Run now' }).count()).toBe(0);
    await picture(page, 'runs-schedules');
    expect(await violations(page)).toEqual([]);
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByRole('button', { name: 'Pause' }).waitFor();
    await row.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('log').getByText('bye').waitFor();
    await page.getByText('succeeded').first().waitFor();
    await open('#/schedules');
    await page.getByRole('row', { name: /nightly.*succeeded (just now|\d+ seconds ago)/ }).waitFor();
  });

  inTab('drains, lets work and revokes ships', async () => {
    await open('#/ships');
    const ship = page.locator('article', { hasText: 'build-01' });
    await ship.getByRole('button', { name: 'Drain' }).click();
    await ship.getByRole('button', { name: 'Let it work' }).click();
    await ship.getByRole('button', { name: 'Drain' }).waitFor();
    await picture(page, 'runs-ships');
    expect(await violations(page)).toEqual([]);
    await ship.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await ship.getByText('revoked').waitFor();
    await page.getByRole('button', { name: 'Add a ship' }).click();
    await page.getByLabel('Name').fill('build-02');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByText(/quire ship join/).waitFor();
  });

  inTab('shows the badge of a project', async () => {
    await open('#/projects');
    await page.getByRole('button', { name: 'Badge of demo' }).click();
    const image = page.getByAltText('The state of demo');
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(
      20,
    );
    await picture(page, 'runs-badge');
    expect(await violations(page)).toEqual([]);
  });

  for (const [address, says] of [['projects', 'example/demo'], ['notifications', 'chat.example.org'], ['audit',
    'enqueue'], ['metrics', 'Ended runs'], ['try', 'Queue a run']] as const)
  {
    inTab(`#/${address} shows what there is, without violations of accessibility`, async () => {
      await open(`#/${address}`);
      await page.getByText(says).first().waitFor();
      await picture(page, `runs-${address}`);
      expect(await violations(page)).toEqual([]);
    });
  }

  inTab('fits a phone', async () => {
    if ('reason' in launched) return;
    const phone = await openPage(launched.browser, {
      viewport: { width: 375, height: 740 },
      isMobile: true,
      hasTouch: true,
      colorScheme: 'dark',
    });
    await phone.addInitScript((kept) => sessionStorage.setItem('quire-session', kept),
      await page.evaluate(() => sessionStorage.getItem('quire-session')!));
    for (const address of ['', 'submit', 'ships', `runs/${await queue('demo', 'hello')}`]) {
      await phone.goto(`${server.url}/console#/${address}`);
      await phone.locator('h1').waitFor();
      await expect.poll(() => phone.getByText('Loading…').count()).toBe(0);
      await picture(phone, `runs-phone-${address.slice(0, 6) || 'list'}`.replace('/', ''));
      expect(await phone.evaluate(() => document.documentElement.scrollWidth), address).toBe(375);
      expect(await violations(phone), address).toEqual([]);
    }
    await phone.goto(`${server.url}/console#/`);
    const row = phone.locator('.table.brief tbody tr', { hasText: 'fails' }).first();
    await row.waitFor();
    const lines = await row.locator('td, td > a, .below').evaluateAll((cells) =>
      cells.map((cell) => cell.getBoundingClientRect()).filter(({ height }) => height > 0).map(({ bottom }) =>
        Math.round(bottom / 8)
      )
    );
    expect(new Set(lines).size).toBe(2);
    expect(phone.troubles).toEqual([]);
    await phone.context().close();
  });
});
