// The repository, its push and the runs are real; the forge is a bare repository whose hook signs what it sends.
import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createClient, createConfig } from '../../generated/runs/sdk/client/index.ts';
import { enqueueRun, getProjectForge, getRun } from '../../generated/runs/sdk/sdk.gen.ts';
import { Origin } from '../../src/testkit/git-origin.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../src/testkit/runs-server.ts';
import { inBrowser, launch, type Launched, openPage, picture, violations, type WatchedPage } from './browser.ts';

const JUNIT = `<testsuite name="cart"><testcase classname="shop.CartTest" name="adds an article" time="0.2"/>
<testcase classname="shop.CartTest" name="adds it twice" time="1.5"><failure message="expected 2, got 1">at cart.test.ts</failure></testcase></testsuite>`;

const SUMMARY =
  '## Tested\n\n**2** tests, <script>alert(1)</script><img src=x onerror=alert(2)>[docs](https://example.org/)';

const token = (name: string, scopes: string, projects = '') =>
  `{name: ${name}, sha256: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scopes}]${projects}}`;

const config = (repository: string): string => `
local: {git_protocols: [file], capacity: 4}
secrets: [{name: HOOK, env: HOOK}]
forges: [{name: bare, kind: git, webhook_secret: HOOK}, {name: tea, kind: gitea, url: 'https://tea.example.org'}]
projects: [{id: shop, repository: '${repository}', forge: bare, poll: 1h}, {id: other, repository: org/other, forge: tea}]
tokens: [${token('reader', 'read')}, ${token('approver', 'read, approve')}, ${
  token('worker', 'read, submit', ', projects: [shop]')
}]
pipelines:
  - name: verify
    when: {event: push}
    checkout: shallow
    jobs:
      - {name: build, steps: [{name: make, run: 'echo the needle of build'}]}
      - {name: unit, needs: [build], steps: [{name: test, run: 'exit 1'}]}
      - {name: lint, needs: [build], matrix: {node: [22, 24]}, steps: [{name: lint, run: 'echo {matrix.node}'}]}
      - {name: publish, needs: [unit, lint], steps: [{name: go, run: 'echo never'}]}
      - {name: report, needs: [unit], if: always, steps: [{name: say, run: 'echo done'}]}
  - name: report
    steps: [{name: test, run: 'printf %s "$JUNIT" > r.xml; printf %s "$TEXT" > "$QUIRE_SUMMARY"; echo tool > tool; chmod +x tool', reports: {junit: [r.xml]}, artifacts: [tool]}]
    env: {JUNIT: ${JSON.stringify(JUNIT)}, TEXT: ${JSON.stringify(SUMMARY)}}
  - {name: docs, when: {event: push, paths: ['docs/**']}, steps: [{name: s, run: 'true'}]}
  - {name: asks, approval: {required: true}, steps: [{name: go, run: 'true'}]}
schedules: [{name: nightly, project: shop, cron: '0 3 * * *', task: report}]
`;

let origin: Origin;
let server: RunsServer;
let launched: Launched;
let page: WatchedPage;

beforeAll(async () => {
  origin = new Origin();
  [server, launched] = await Promise.all([
    startRunsServer(config(origin.url), { variables: { HOOK: 'the-key' } }),
    launch(),
  ]);
  if ('browser' in launched) page = await tabOf(API_TOKEN);
});

afterAll(async () => {
  if ('browser' in launched) await launched.browser.close();
  await server.remove();
  origin.remove();
});

/** A tab that is signed in with a token. */
async function tabOf(value: string, options: Parameters<typeof openPage>[1] = {}): Promise<WatchedPage> {
  if ('reason' in launched) throw new Error(launched.reason);
  const tab = await openPage(launched.browser, options);
  await tab.addInitScript(
    (kept) => sessionStorage.setItem('quire-session', JSON.stringify({ kind: 'token', value: kept })),
    value,
  );
  return tab;
}

const inTab = (name: string, run: () => Promise<void>): void => inBrowser(name, () => launched, () => page, run);
const open = (place: string, tab = page): Promise<unknown> => tab.goto(`${server.url}/console#/${place}`);
const client = () => createClient(createConfig({ baseUrl: server.url, auth: API_TOKEN }));

async function ended(id: string): Promise<void> {
  await expect.poll(async () => (await getRun({ client: client(), path: { id } })).data!.data.state, {
    timeout: 20_000,
  }).toMatch(/succeeded|failed/);
}

async function queue(task: string): Promise<string> {
  const { data } = await enqueueRun({
    client: client(),
    headers: { 'Idempotency-Key': `${task} ${performance.now()}` },
    body: { project_id: 'shop', kind: 'pipeline', task },
  });
  return data!.data.id;
}

/** Commits, and sends what the hook of the repository sends after a push. */
async function push(): Promise<void> {
  // What polling finds first was there before.
  const polled = async () =>
    (await getProjectForge({ client: client(), path: { id: 'shop' } })).data!.data.poll!.last_at;
  await expect.poll(polled, { timeout: 20_000 }).not.toBeNull();
  const after = origin.commit('three');
  const body = JSON.stringify({
    repository: origin.url,
    ref: 'refs/heads/main',
    before: origin.commits.two,
    after,
    title: 'Count articles',
    author: 'ada',
  });
  const signature = createHmac('sha256', 'the-key').update(body).digest('hex');
  const answer = await fetch(`${server.url}/api/v1/webhooks/git`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Quire-Signature': `sha256=${signature}` },
    body,
  });
  expect(answer.status).toBe(202);
}

describe('the console of the run queue beside a forge', () => {
  inTab('lists deliveries with what came of them', async () => {
    await push();
    await open('deliveries');
    const row = page.getByRole('row', { name: /push to main/ });
    await row.getByText('done').waitFor();
    await row.getByText('1 pipeline not started').click();
    await row.getByText('is for other files than those that have changed').waitFor();
    await picture(page, 'forge-deliveries');
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Project').selectOption('other');
    await page.getByText('There are no such deliveries').waitFor();
    await page.getByLabel('Project').selectOption('shop');
    await page.getByRole('button', { name: 'failed' }).click();
    await page.getByText('There are no such deliveries').waitFor();
    await page.getByRole('button', { name: 'done' }).click();
    await row.getByRole('link', { name: 'verify' }).click();
    await page.getByRole('heading', { name: /^verify/ }).waitFor();
  });

  inTab('shows the jobs of a run in their order, with state, duration and what they need', async () => {
    const jobs = page.getByRole('list', { name: 'Jobs' });
    await jobs.getByRole('listitem', { name: 'unit' }).getByText('after build').waitFor();
    await jobs.getByRole('listitem', { name: 'report' }).getByText('succeeded').waitFor();
    await jobs.getByRole('listitem', { name: 'publish' }).getByText('skipped', { exact: true }).waitFor();
    await jobs.getByRole('listitem', { name: 'lint' }).getByRole('link', { name: 'node=24' }).waitFor();
    expect(await jobs.locator(':scope > li').count()).toBe(3);
    await page.getByText('push main by ada at bare').waitFor();
    await page.getByText('failed').first().waitFor();
    await picture(page, 'forge-jobs');
    expect(await violations(page)).toEqual([]);
    await jobs.getByRole('listitem', { name: 'unit' }).getByRole('link', { name: 'unit' }).click();
    await page.getByText('Cell of').waitFor();
  });

  inTab('shows what a project and its forge know of each other', async () => {
    await open('projects');
    await page.getByRole('link', { name: 'shop' }).click();
    await page.getByText(`${server.url}/api/v1/webhooks/git?forge=bare`).waitFor();
    await page.getByText(/every 1 h, last/).waitFor();
    await page.getByText('needs none: git has no API').waitFor();
    await picture(page, 'forge-project');
    expect(await violations(page)).toEqual([]);
    await open('forges');
    await page.getByText('webhook_secret').waitFor();
    await picture(page, 'forge-forges');
    expect(await violations(page)).toEqual([]);
  });

  inTab('shows the summary of a run without what is dangerous in it, its tests and their history', async () => {
    const id = await queue('report');
    await ended(id);
    await ended(await queue('report'));
    await open(`runs/${id}`);
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByRole('heading', { name: 'Tested' }).waitFor();
    expect(await summary.locator('script, img, [onerror]').count()).toBe(0);
    await picture(page, 'forge-summary');
    await page.getByRole('tab', { name: 'Tests' }).click();
    const rows = page.getByRole('region', { name: 'Tests', exact: true }).getByRole('row');
    await rows.nth(1).getByText('adds it twice').waitFor(); // the failure comes first
    await picture(page, 'forge-tests');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('region', { name: 'Slowest tests' }).getByText('1.5 s').waitFor();
    await rows.nth(1).getByRole('button', { name: 'History of adds it twice' }).click();
    await expect.poll(() => page.getByRole('dialog').getByText('expected 2, got 1').count()).toBe(2);
    await picture(page, 'forge-test-history');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByText('executable').waitFor();
    await open('projects/shop?tab=tests');
    await page.getByRole('row', { name: /adds it twice/ }).getByText('0 % of 2').waitFor();
    await picture(page, 'forge-project-tests');
    expect(await violations(page)).toEqual([]);
  });

  inTab('shows what the forge shows of a run, and why not yet', async () => {
    const id = await queue('report');
    await page.route(`${server.url}/api/v1/runs/${id}/statuses`, (route) =>
      route.fulfill({
        json: {
          data: [{
            run_id: id,
            kind: 'status',
            forge: 'tea',
            repository: 'org/other',
            commit: origin.commits.two,
            number: null,
            context: 'quire/report',
            state: 'success',
            description: 'succeeded after 1s',
            delivery: 'waiting',
            failures: 2,
            error: 'POST /repos/org/other/statuses/1: 502',
            updated_at: 1_766_400_000,
            next_attempt_at: 1_766_400_060,
          }],
        },
      }));
    await open(`runs/${id}`);
    const shown = page.getByRole('region', { name: 'Shown at the forge' });
    await shown.getByText('quire/report').waitFor();
    await shown.getByText('POST /repos/org/other/statuses/1: 502').waitFor();
    await picture(page, 'forge-statuses');
    expect(await violations(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  inTab('searches the logs of all runs, and leads from a line to its context', async () => {
    await open('search');
    await page.getByLabel('Words').fill('needle build');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('.results mark', { hasText: 'needle' }).first().waitFor();
    await picture(page, 'forge-search');
    expect(await violations(page)).toEqual([]);
    await page.locator('.results .passage').first().click();
    await page.locator('.log .line.at', { hasText: 'the needle of build' }).waitFor();
  });

  inTab('offers what the token may do, and nothing else', async () => {
    const id = await queue('asks');
    const buttons = async (value: string, place: string, ready: string): Promise<string[]> => {
      const tab = await tabOf(value);
      await open(place, tab);
      await tab.getByText(ready).first().waitFor();
      const names = await tab.locator('.page-head button, .page-head a.button, td button').allInnerTexts();
      await tab.context().close();
      return names;
    };
    expect(await buttons('reader', `runs/${id}`, 'somebody has to approve it')).toEqual([]);
    expect(await buttons('approver', `runs/${id}`, 'somebody has to approve it')).toEqual(['Approve', 'Reject']);
    expect(await buttons('reader', 'schedules', 'nightly')).toEqual([]);
    expect(await buttons('worker', 'schedules', 'nightly')).toEqual(['Run now']);
    expect(await buttons('reader', '', 'verify')).toEqual([]);
    expect(await buttons('reader', 'projects/shop', 'adds it twice')).toEqual(['Runs', 'adds it twice',
      'adds an article']);
    const tab = await tabOf('reader');
    await open('submit', tab);
    await tab.getByText('You may not queue runs').waitFor();
    expect(await tab.getByRole('navigation', { name: 'Console' }).getByRole('link').allInnerTexts()).toEqual(['Runs',
      'Search logs', 'Ships', 'Projects', 'Schedules', 'Metrics', 'Operations']);
    await tab.context().close();
  });

  for (const theme of ['light', 'dark'] as const) {
    inTab(`fits a phone, where an entry of a list has two lines, in ${theme}`, async () => {
      const phone = await tabOf(API_TOKEN, {
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
        colorScheme: theme,
      });
      const id = await queue('report');
      await ended(id);
      for (const place of ['', 'deliveries', 'forges', 'projects', 'projects/shop', 'projects/shop?tab=tests',
        'schedules', 'ships', 'search?q=needle', 'notifications', 'audit', `runs/${id}`])
      {
        await open(place, phone);
        await phone.locator('h1').waitFor();
        await expect.poll(() => phone.getByText('Loading…').count()).toBe(0);
        await picture(phone, `forge-phone-${theme}-${place.replace(id, 'run').replaceAll(/\W/g, '-') || 'list'}`);
        expect(await phone.evaluate(() => document.documentElement.scrollWidth), place).toBe(390);
        expect(await violations(phone), place).toEqual([]);
        expect(await linesOfEntries(phone), place).toBeLessThanOrEqual(2);
        expect(
          await phone.locator('.table').evaluateAll((tables) =>
            tables.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          ),
          place,
        ).toBe(false);
      }
      await phone.getByRole('tab', { name: 'Tests' }).click();
      await phone.getByText('Slowest tests').waitFor();
      await picture(phone, `forge-phone-${theme}-tests`);
      expect(await linesOfEntries(phone)).toBe(2);
      expect(phone.troubles).toEqual([]);
      await phone.context().close();
    });
  }
});

/** The most lines of an entry in the lists of a page: cells beside each other are in one line, unless they wrap. */
function linesOfEntries(tab: WatchedPage): Promise<number> {
  return tab.locator('.table.brief tbody tr').evaluateAll((rows) =>
    Math.max(0, ...rows.map((row) => {
      const boxes = [...row.querySelectorAll('td')].map((cell) => {
        const { top, height, bottom } = cell.getBoundingClientRect();
        // A button is higher than a line of text.
        return { top, height, bottom, wraps: height > 34 && cell.querySelector('button:not(.link)') === null };
      }).filter(({ height }) => height > 0).sort((a, b) => a.top + a.height / 2 - b.top - b.height / 2);
      if (boxes.some(({ wraps }) => wraps)) return 3;
      let [lines, last] = [0, -Infinity];
      for (const { top, height, bottom } of boxes)
        if (top + height / 2 > last) [lines, last] = [lines + 1, bottom];
      return lines;
    }))
  );
}
