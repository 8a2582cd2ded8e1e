import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runQuire } from '../../../testkit/commands/run-command.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../../testkit/runs-server.ts';
import { WebhookEndpoint } from '../../../testkit/webhook-endpoint.ts';

let server: RunsServer;
let endpoint: WebhookEndpoint;
beforeAll(async () => {
  endpoint = await WebhookEndpoint.open();
  endpoint.answer = (_, response) => response.writeHead(410).end();
  server = await startRunsServer(`
local: {enabled: false}
pipelines: [{name: hello, concurrency: {group: 'hello-{project}'}, steps: [{name: greet, run: 'true'}]}]
projects: [{id: demo, repository: example/demo}]
schedules: [{name: yearly, project: demo, cron: '0 0 1 1 *', timezone: Asia/Tokyo, task: hello}]
notifications: {allow_private: loopback, webhooks: [{name: chat, url: '${endpoint.url}', states: [cancelled]}]}
`);
});
afterAll(async () => {
  await server.remove();
  await endpoint.close();
});

const quire = (...command: string[]) => runQuire(['runs', ...command, '--url', server.url, '--token', API_TOKEN]);

describe('quire runs schedules', () => {
  it('lists, pauses and resumes', async () => {
    expect((await quire('schedules')).stdout).toMatch(
      /^demo +yearly +pipeline hello +0 0 1 1 \* Asia\/Tokyo +\d{4}-12-31 15:00/m,
    );
    expect(await quire('schedules', 'pause', 'demo', 'yearly')).toMatchObject({
      exitCode: 0,
      stdout: 'demo/yearly is paused\n',
    });
    expect((await quire('schedules', 'list')).stdout).toContain('paused by api');
    expect((await quire('schedules', 'resume', 'demo', 'yearly')).stdout).toMatch(
      /^demo\/yearly goes on; next run: \d{4}-12-31 15:00/,
    );
    expect(await quire('schedules', 'pause', 'demo', 'yealry')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(
        '404: schedule_not_found: the project "demo" has no schedule "yealry"; it has: yearly; did you mean yearly?',
      ),
    });
  });

  it('runs one now; a second run of the group waits for the first', async () => {
    const [first, second] = [await quire('schedules', 'run', 'demo', 'yearly'),
      await quire('schedules', 'run', 'demo', 'yearly', '--json')];
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f]{32}\n$/) });
    expect(JSON.parse(second.stdout)).toMatchObject({
      waiting_reason: 'concurrency_group',
      concurrency_group: 'hello-demo',
    });
    expect((await quire('show', JSON.parse(second.stdout).id)).stdout).toMatch(
      /another run of its group is before it[\s\S]*group +hello-demo/,
    );
  });
});

describe('quire runs notifications', () => {
  it('shows what was given up, and sends it again', async () => {
    const id = (await quire('schedules', 'run', 'demo', 'yearly')).stdout.trim();
    await quire('cancel', id);
    await endpoint.until(1);
    await expect.poll(async () => (await quire('notifications', 'dead')).stdout, { timeout: 10_000 }).toMatch(
      new RegExp(`^chat +run\\.cancelled +${id}.*HTTP status 410 +dlv_`, 'm'),
    );
    expect((await quire('notifications')).stdout).toMatch(
      /^chat +127\.0\.0\.1:\d+ +all +cancelled +\d +1 +HTTP status 410/m,
    );
    endpoint.answer = (_, response) => response.writeHead(204).end();
    expect((await quire('notifications', 'redeliver', 'chat')).stdout).toBe(
      '1 notification is sent to chat once more\n',
    );
    expect((await endpoint.until(2))[1]!.headers['x-svc-event']).toBe('run.cancelled');
  });
});
