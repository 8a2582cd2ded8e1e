// The run queue as tools for language models, over HTTP and over stdio, with a real service whose own ship runs steps.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runQuire } from '../../testkit/commands/run-command.ts';
import { HttpClient } from '../../testkit/http-client.ts';
import { connectHandshake, RawClient } from '../../testkit/mcp-clients.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../testkit/runs-server.ts';

const hash = (token: string): string => createHash('sha256').update(token).digest('hex');

const CONFIG = `
pipelines:
  - {name: hello, projects: [demo], steps: [{name: greet, run: 'echo "hello $QUIRE_INPUT"'}]}
  - name: fails
    steps:
      - {name: prepare, run: 'seq 1 300'}
      - name: test
        run: |
          seq -f 'line %g of the test, which is long enough to fill an answer' 1 2000
          m=$(head -c 500 /dev/zero | tr '\\0' m); d=$m$m$m$m$m$m
          { echo '<testsuite name="s">'; for i in $(seq 0 59); do
            echo "<testcase name='case $i' file='a.ts' line='$i'><failure message='$m'>$d</failure></testcase>"
          done; echo '</testsuite>'; } > r.xml
          exit 3
        reports: {junit: [r.xml]}
      - {name: clean, always: true, run: 'seq 1 250'}
  - {name: waits, steps: [{name: wait, run: 'sleep 600'}]}
projects: [{id: demo, repository: example/demo}, {id: other, repository: example/other}]
queue: {cancel_grace: 1s}
tokens:
  - {name: eye, sha256: ${hash('token-of-the-eye-1234')}, scopes: [read], projects: [other]}
  - {name: ci, sha256: ${hash('token-of-the-ci-1234')}, scopes: [submit, read], projects: [demo]}
`;

let server: RunsServer;
let client: Client;
let failed: string;
const closing: Client[] = [];

beforeAll(async () => {
  server = await startRunsServer(CONFIG);
  client = await connect(API_TOKEN);
  failed = (await call('submit_run', { project: 'demo', task: 'fails' }))['id'] as string;
  await ended(failed);
});
afterAll(async () => {
  await Promise.all(closing.map((each) => each.close()));
  await server.remove();
});

async function connect(token: string | undefined): Promise<Client> {
  const made = await connectHandshake(new URL('/mcp', server.url),
    token === undefined ? {} : { Authorization: `Bearer ${token}` });
  closing.push(made.client);
  return made.client;
}

/** The result of a tool, whose size no call may exceed. */
async function call(name: string, args: object, by = client): Promise<Record<string, unknown>> {
  const result = await by.callTool({ name, arguments: args as Record<string, unknown> });
  const { text } = (result.content as { text: string }[])[0]!;
  expect(Buffer.byteLength(text) / 4, `tokens of ${name}`).toBeLessThanOrEqual(1800);
  return JSON.parse(text) as Record<string, unknown>;
}

async function ended(id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const status = await call('run_status', { id });
    if (!['queued', 'running', 'cancelling'].includes(status['state'] as string)) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the tools', () => {
  it('are seven, for a token that may do everything', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['list_runs', 'run_status', 'read_log', 'test_failures', 'submit_run',
      'retry', 'cancel']);
    expect(client.getServerVersion()).toMatchObject({ name: 'quire-runs' });
  });

  it('tell what became of a run, and what to call next', async () => {
    expect(await call('run_status', { id: failed.slice(-12) })).toMatchObject({
      id: failed,
      state: 'failed',
      project: 'demo',
      error: { code: 'step_failed', step: 'test', exit_code: 3 },
      steps: [{ name: 'prepare', outcome: 'succeeded' }, { name: 'test', outcome: 'failed', exit_code: 3 }, {
        name: 'clean',
      }],
      tests: { total: 60, failed: 60 },
      next: expect.stringContaining('test_failures') as string,
    });
    expect(await call('list_runs', { project: 'demo', state: 'failed' })).toMatchObject({
      runs: [{ id: failed, task: 'fails' }],
    });
  });

  it('read the failed step first, with its beginning, its end, and how to read what is between', async () => {
    const log = await call('read_log', { id: failed });
    const lines = (log['lines'] as string).split('\n');
    expect(log['step']).toBe('test');
    expect(lines.slice(0, 2)).toEqual([expect.stringContaining('step test begins'),
      expect.stringContaining('line 1 of the test')]);
    expect(lines.findLast((line) => line.includes('of the test'))).toContain('line 2000 of');
    const gap = lines.find((line) => line.startsWith('[…'))!;
    const [, from] = /call read_log with offset (\d+)/.exec(gap)!;
    const before = lines[lines.indexOf(gap) - 1]!;
    const further = await call('read_log', { id: failed, step: 'test', offset: from });
    const next = Number(/line (\d+)/.exec(before)![1]) + 1;
    expect((further['lines'] as string).split('\n')[0]).toContain(`line ${next} of the test`);
    expect(further['note']).toBe(`the log goes on: call read_log with offset ${String(further['next_offset'])}`);
    expect(await call('read_log', { id: failed, step: 'prepare' })).toMatchObject({
      lines: expect.stringMatching(/^step prepare begins\n1\n2\n[\s\S]*\n300\nstep prepare succeeded/) as string,
    });
  });

  it('list failed tests in answers that are short enough, page by page', async () => {
    const seen: unknown[] = [];
    let before: unknown;
    do {
      const page = await call('test_failures', { id: failed, limit: 50, ...(before !== undefined && { before }) });
      seen.push(...(page['failures'] as { test: string }[]).map(({ test }) => test));
      before = page['next'];
    } while (before !== undefined);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => `s > case ${i}`));
  });

  it('start, cancel and retry runs', async () => {
    const one = await call('submit_run', { project: 'demo', task: 'hello', input_text: 'model', key: 'the-same-key' });
    expect(await call('submit_run', { project: 'demo', task: 'hello', input_text: 'model', key: 'the-same-key' }))
      .toMatchObject({ id: one['id'] });
    expect(await ended(one['id'] as string)).toMatchObject({ state: 'succeeded' });
    expect(await call('read_log', { id: one['id'] })).toMatchObject({
      lines: expect.stringContaining('[greet] hello model') as string,
    });
    expect(await call('retry', { id: one['id'] })).toMatchObject({
      code: 'run_state_conflict',
      advice: expect.any(String) as string,
    });
    const waiting = await call('submit_run', { project: 'demo', task: 'waits' });
    await call('cancel', { id: waiting['id'] });
    expect(await ended(waiting['id'] as string)).toMatchObject({ state: 'cancelled' });
    const again = await call('retry', { id: waiting['id'] });
    expect(again['id']).not.toBe(waiting['id']);
    await call('cancel', { id: again['id'] });
  });

  it('help with arguments that do not fit', async () => {
    expect(await call('submit_run', { project: 'demo', task: 'nope' })).toMatchObject({
      code: 'pipeline_unavailable',
      advice: 'pipelines: hello, fails, waits',
    });
    expect(await call('submit_run', { project: 'none', task: 'fails' })).toMatchObject({
      advice: 'projects: demo, other',
    });
    expect(await call('run_status', {})).toMatchObject({ code: 'missing_fields' });
    expect(await call('run_status', { id: 'ffffffffff' })).toMatchObject({
      code: 'run_not_found',
      advice: expect.any(String) as string,
    });
  });
});

describe('access', () => {
  it('needs a token, and the scopes and projects of a token hold', async () => {
    await expect(connect(undefined)).rejects.toThrow(/missing authentication/);
    await expect(connect('a-wrong-token')).rejects.toThrow(/invalid token/);
    const eye = await connect('token-of-the-eye-1234');
    expect((await eye.listTools()).tools.map(({ name }) => name)).toEqual(['list_runs', 'run_status', 'read_log',
      'test_failures']);
    for (const tool of ['run_status', 'read_log', 'test_failures', 'cancel', 'retry'])
      expect(await call(tool, { id: failed }, eye)).toMatchObject({
        code: expect.stringMatching(/run_not_found|forbidden/) as string,
      });
    expect(await call('submit_run', { project: 'other', task: 'fails' }, eye)).toMatchObject({ code: 'forbidden' });
    expect(await call('list_runs', {}, eye)).toMatchObject({
      code: 'forbidden',
      error: expect.stringContaining('project') as string,
    });
    const ci = await connect('token-of-the-ci-1234');
    expect(await call('list_runs', { project: 'demo', limit: 1 }, ci)).toMatchObject({ runs: [{ project: 'demo' }] });
    expect(await call('list_runs', { project: 'other' }, ci)).toMatchObject({ code: 'forbidden' });
  });

  it('is refused to pages of other sites, and the rest of the port is as before', async () => {
    const http = new HttpClient(server.url);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${API_TOKEN}`,
      Origin: 'https://evil.example',
    };
    expect((await http.send('POST', '/mcp', { headers, body })).status).toBe(403);
    expect((await http.send('GET', '/healthz')).status).toBe(200);
    expect((await http.send('GET', '/mcp/other')).status).toBe(404);
    http.close();
  });

  it('works without sessions, too', async () => {
    const raw = new RawClient(new URL('/mcp', server.url));
    const { answer } = await raw.stateless('tools/call', { name: 'list_runs', arguments: { limit: 1 } }, {
      headers: { Authorization: `Bearer ${API_TOKEN}` },
    });
    expect(answer.result).toMatchObject({ content: [{ type: 'text' }] });
  });
});

describe('quire runs mcp', () => {
  it('serves the same tools over stdio, with the token of the command', async () => {
    const request = (id: number, method: string, params: object = {}) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const talk = async (token: string) => {
      const { stdout } = await runQuire(['runs', 'mcp', '--url', server.url, '--token', token], {
        stdin: request(1, 'initialize', initialize) + '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n' +
          request(2, 'tools/call', { name: 'run_status', arguments: { id: failed } }) +
          request(3, 'tools/call', { name: 'test_failures', arguments: { id: failed, limit: 1 } }) +
          request(4, 'tools/call', { name: 'cancel', arguments: { id: failed } }),
      });
      const answers = stdout.trim().split('\n').map((line) =>
        JSON.parse(line) as { id: number; result: { content: { text: string }[] } }
      );
      return [2, 3, 4].map((id) =>
        JSON.parse(answers.find((answer) => answer.id === id)!.result.content[0]!.text) as object
      );
    };
    expect(await talk(API_TOKEN)).toMatchObject([{ id: failed, state: 'failed' }, {
      failures: [{ test: 's > case 0' }],
    }, {
      code: 'run_state_conflict',
    }]);
    expect(await talk('a-wrong-token')).toMatchObject([{ code: 'unauthenticated' }, { code: 'unauthenticated' }, {
      code: 'unauthenticated',
    }]);
  });
});
