import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRunsConfig } from '../../../runs/config/index.ts';
import { startFakeService } from '../../../testkit/commands/fake-service.ts';
import { type CommandInput, runQuire } from '../../../testkit/commands/run-command.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../../testkit/runs-server.ts';

const CONFIG = `
pipelines:
  - {name: hello, steps: [{name: greet, run: 'cat "$QUIRE_INPUT_FILE"; echo; printf "%s" done > "$QUIRE_RESULT_FILE"'}]}
  - name: told
    description: tells what it was told
    inputs: [{name: target, type: choice, choices: [staging, production], default: staging, description: where it goes}, {name: dry_run, type: boolean, required: true}]
    matrix: {node: [20, 24], max_parallel: 1}
    steps: [{name: tell, run: 'echo "$QUIRE_INPUT_TARGET $QUIRE_INPUT_DRY_RUN on $QUIRE_MATRIX_NODE"; echo "{\\"node\\": $QUIRE_MATRIX_NODE}" > "$QUIRE_RESULT_FILE"'}]
  - {name: cached, projects: [demo], steps: [{name: one, run: 'echo kept > kept', cache: {key: built, paths: [kept]}}]}
  - {name: packs, steps: [{name: pack, run: 'echo x > tool; echo y > plain; chmod 755 tool', artifacts: [tool, plain]}]}
  - {name: fails, steps: [{name: first, run: 'echo about to fail; exit 3'}]}
  - {name: waits, steps: [{name: wait, run: 'echo waiting; sleep 600'}]}
projects: [{id: demo, repository: example/demo}]
queue: {cancel_grace: 1s}
caches: {store: folder}
`;

let server: RunsServer;
beforeAll(async () => {
  server = await startRunsServer(CONFIG);
});
afterAll(() => server.remove());

const quire = (command: string, options: readonly string[] = [], input: CommandInput = {}) =>
  runQuire(['runs', command, ...options, '--url', server.url, '--token', API_TOKEN], input);

/** The id of a run that is queued for a pipeline. */
const submitted = async (pipeline: string): Promise<string> =>
  (await quire('submit', ['demo', 'pipeline', pipeline])).stdout.trim();

describe('quire runs submit', () => {
  it('prints the id, follows the log, and ends as the run does', async () => {
    const run = await quire('submit', ['demo', 'pipeline', 'hello', '--input', 'from the test', '--follow']);
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/run [0-9a-f]{32} succeeded/) });
    expect(run.stdout).toMatch(/^[0-9a-f]{32}\n/);
    expect(run.stdout).toContain('[greet] from the test\n');
  });

  it('ends with 1 when the run fails, and says why', async () => {
    expect(await quire('submit', ['demo', 'pipeline', 'fails', '--follow'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('[first] about to fail'),
      stderr: expect.stringContaining('step_failed: first'),
    });
  });

  it('takes its input from a file, from standard input and as JSON', async () => {
    const file = join(server.folder, 'input.txt');
    await writeFile(file, 'text of a file');
    const inputs: [string[], CommandInput, string][] = [[['--input-file', file], {}, 'text of a file'], [[
      '--input-file',
      '-',
    ], { stdin: 'piped' }, 'piped'], [['--input-json', '{"a": 1}'], {}, '{"a":1}']];
    for (const [options, input, shown] of inputs)
      expect((await quire('submit', ['demo', 'pipeline', 'hello', '--follow', ...options], input)).stdout).toContain(
        `[greet] ${shown}`,
      );
  });

  it('shows text of others without the characters that control a terminal', async () => {
    const id = (await quire('submit', ['demo', 'diagnostic', 'git\u001b]0;title\u0007\u009b2J'])).stdout.trim();
    const shown = await quire('show', [id]);
    expect(shown.stdout).toContain('diagnostic git ]0;title 2J');
    await quire('cancel', [id]);
    const text = 'no \u001b[2Jsuch run\u0007';
    const service = await startFakeService(() => ({
      status: 404,
      body: { error: { code: 'run_not_found', message: text } },
    }));
    const refused = await runQuire(['runs', 'show', '0'.repeat(32), '--url', service.url]);
    await service.close();
    expect(refused.stderr).toMatch(/no {1,2}\[2Jsuch run/);
    expect(shown.stdout + refused.stderr).not.toMatch(/[\u001b\u0007\u009b]/);
  });

  it('returns the same run for the same key', async () => {
    const ids = [await quire('submit', ['demo', 'diagnostic', 'git', '--key', 'the-same-key']),
      await quire('submit', ['demo', 'diagnostic', 'git', '--key', 'the-same-key'])];
    expect(ids[0]!.stdout).toBe(ids[1]!.stdout);
  });

  it.each<[string[], RegExp, number?]>([[['demo', 'shell'], /kind.*diagnostic, pipeline, ai_text/, 2], [['nope',
    'diagnostic'], /400: project_unavailable/], [['demo', 'pipeline', 'hello', '--input', 'a', '--input-json', '{}'],
    /one of --input, --input-file, --input-json and --set/], [['demo', 'pipeline', 'told', '--set', 'target'],
    /--set target: expected name=value/], [['demo', 'pipeline', 'told', '--set', 'targt=x'],
    /400: invalid_input.*input\.targt is not known; the pipeline has: target, dry_run; did you mean target\?/], [[
    'demo',
  ], /missing the kind/], [['demo', 'pipeline', 'hello', '--input-json', '[1]'], /expected a JSON object/], [['demo',
    'pipeline', 'hello', '--priority', '101'], /from -100 to 100/, 2], [['demo', 'pipeline', 'hello', '--input-file',
    '/none'], /--input-file \/none: ENOENT/]])('refuses %j', async (options, message, exitCode = 1) => {
      expect(await quire('submit', options)).toMatchObject({ exitCode, stderr: expect.stringMatching(message) });
    });
});

describe('a pipeline with inputs and a matrix', () => {
  it('is shown by --help with the inputs that it expects', async () => {
    const { stdout, exitCode } = await quire('submit', ['demo', 'pipeline', 'told', '--help']);
    expect([exitCode, stdout]).toEqual([0,
      expect.stringContaining('Usage: quire runs submit <project> <kind> [task] [options]')]);
    expect(stdout.split('\n').slice(-5, -1)).toEqual(['Pipeline told: tells what it was told',
      '  runs 2 cells: node=20, node=24', '  --set target   where it goes (staging | production, default staging)',
      '  --set dry_run  (boolean, required)']);
  });

  it('takes inputs from --set, and runs a cell for each value', async () => {
    const run = await quire('submit', ['demo', 'pipeline', 'told', '--set', 'target=production', '--set',
      'dry_run=true', '--follow']);
    expect(run).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/run [0-9a-f]{32} succeeded/),
      stdout: expect.stringMatching(/cell node=20 .* succeeded[^]*cell node=24 .* succeeded/),
    });
    const id = run.stdout.slice(0, 32);
    expect((await quire('list', ['--limit', '1'])).stdout).toContain('told (2 cells)');
    const cells = JSON.parse((await quire('list', ['--cells-of', id, '--json'])).stdout) as { id: string;
      parent_id: string; matrix: object }[];
    expect(cells.map(({ parent_id: parent, matrix }) => [parent, matrix])).toEqual([[id, { node: 24 }], [id, {
      node: 20,
    }]]);
    expect((await quire('logs', [cells[0]!.id])).stdout).toContain('[tell] production true on 24');
    expect(JSON.parse((await quire('result', [cells[0]!.id, '--json'])).stdout)).toMatchObject({
      content_type: 'application/json',
      value: { node: 24 },
    });
    expect((await quire('show', [cells[1]!.id])).stdout).toMatch(
      /source +api, by api[^]*matrix +node=20[^]*cell of +[0-9a-f]{32}/,
    );
  });
});

describe('quire runs list and show', () => {
  it('shows runs, newest first, as a table and as JSON', async () => {
    const id = await submitted('fails');
    await quire('logs', [id, '--follow']);
    const table = await quire('list', ['--project', 'demo', '--limit', '1']);
    expect(table.stdout.split('\n')[2]).toMatch(new RegExp(`^${id} +demo +pipeline +fails +failed .*step_failed`));
    expect(table.stderr).toBe('the newest 1; --limit lists more\n');
    expect(JSON.parse((await quire('list', ['--state', 'failed', '--json'])).stdout)).toContainEqual(
      expect.objectContaining({ id, state: 'failed' }),
    );
  });

  it('shows one run, and what it produced', async () => {
    const id = await submitted('hello');
    await quire('logs', [id, '-f']);
    expect((await quire('show', [id])).stdout).toMatch(/succeeded[\s\S]*kind +pipeline hello/);
    expect((await quire('show', [id, '--result'])).stdout).toBe('done');
    expect(JSON.parse((await quire('show', [id, '--json'])).stdout)).toMatchObject({ id, state: 'succeeded' });
  });
});

describe('quire runs logs, cancel and retry', () => {
  it('prints the log as it is, line by line as JSON, or from an offset', async () => {
    const id = await submitted('fails');
    const followed = await quire('logs', [id, '-f']);
    expect(followed).toMatchObject({ exitCode: 1 });
    expect((await quire('logs', [id])).stdout).toBe(followed.stdout);
    const events = (await quire('logs', [id, '--json'])).stdout.trim().split('\n').map((line) =>
      JSON.parse(line) as { message: string; step: string | null; step_state?: string }
    );
    expect(events.map(({ message }) => message)).toContain('about to fail');
    expect(events.flatMap(({ step, step_state: state }) => (state === undefined ? [] : [[step, state]]))).toEqual([[
      'first',
      'running',
    ], ['first', 'failed']]);
    expect((await quire('logs', [id, '--offset', '1', '--json'])).stdout.trim().split('\n')).toHaveLength(
      events.length - 1,
    );
  });

  it('cancels a run, which ends its follower with 2, and retries it as a new run', async () => {
    const id = await submitted('waits');
    const following = quire('logs', [id, '-f']);
    while (!(await quire('logs', [id])).stdout.includes('waiting')) await new Promise(setImmediate);
    expect(await quire('cancel', [id])).toMatchObject({
      exitCode: 0,
      stdout: `${id}\n`,
      stderr: expect.stringContaining('is cancelling'),
    });
    expect(await following).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('was cancelled') });
    expect(await quire('cancel', [id])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('409: run_state_conflict: only a queued or running run can be cancelled'),
    });
    const retried = await quire('retry', [id]);
    expect(retried.stdout.trim()).not.toBe(id);
    await quire('cancel', [retried.stdout.trim()]);
    const rerun = await quire('rerun', [id, '--newest', '--json']);
    expect(JSON.parse(rerun.stdout)).toMatchObject({ retry_of: id, source: { type: 'rerun' } });
    await quire('cancel', [(JSON.parse(rerun.stdout) as { id: string }).id]);
  });

  it('shows text as it was on a terminal, and sends it nothing but colours', async () => {
    const text = '  a   b\tc \u001b[31mred\u001b[0m\u001b[2J\u0007';
    const run = { id: 'c'.repeat(32), state: 'succeeded', attempt: 1, max_attempts: 1, waiting_reason: null };
    const event = { message: text, stream: 'stdout', step: 'build', level: 'info' };
    const page = { data: [event], next_offset: 1, complete: true };
    const service = await startFakeService(({ path }) => ({ body: path.includes('/logs') ? page : { data: run } }));
    const logs = async (...options: string[]) =>
      (await runQuire(['runs', 'logs', run.id, '--url', service.url, ...options])).stdout;
    expect(await logs()).toBe('[build]   a   b\tc red␛[2J␇\n');
    expect(await logs('--plain')).toBe('[build]   a   b\tc red␛[2J␇\n');
    expect(await logs('--color')).toBe('[build]   a   b\tc \u001b[31mred\u001b[0m␛[2J␇\u001b[0m\n');
    expect(JSON.parse(await logs('--json'))).toEqual(event);
    await service.close();
  });

  it('shows what the forge of a run shows of it, and why not yet', async () => {
    const id = await submitted('hello');
    const { stdout } = await quire('show', [id, '--json']);
    const status = { kind: 'status', forge: 'tea', context: 'quire/hello', state: 'success', number: null };
    const waiting = { ...status, delivery: 'waiting', failures: 2, error: 'POST /statuses: 502' };
    const comment = { ...status, kind: 'comment', number: 7, delivery: 'delivered', failures: 0, error: null };
    const service = await startFakeService(({ path }) =>
      path.endsWith('/statuses') ? { body: { data: [waiting, comment] } } : { body: { data: JSON.parse(stdout) } }
    );
    const shown = await runQuire(['runs', 'show', id, '--url', service.url]);
    await service.close();
    expect(shown.stdout).toContain(
      'at tea: quire/hello success (waiting, failed 2 times, POST /statuses: 502)\nat tea: comment on #7 (delivered)\n',
    );
  });

  it('lists the deliveries of a project', async () => {
    const service = await startFakeService(() => ({ body: { data: [], next_cursor: null } }));
    await runQuire(['runs', 'deliveries', 'list', '--project', 'demo', '--url', service.url]);
    await service.close();
    expect(new URL(service.requests[0]!.path, service.url).searchParams.get('project_id')).toBe('demo');
  });

  it('says what is missing: the token, the run, the service', async () => {
    expect(
      (await runQuire(['runs', 'submit', 'demo', 'diagnostic', '--url', server.url, '--token',
        'wrong-token-wrong-token'])).stderr,
    ).toContain('401: unauthenticated');
    expect((await runQuire(['runs', 'list', '--url', server.url, '--token', 'wrong-token-wrong-token'])).stderr)
      .toContain('give the token with --token or RUNS_API_TOKEN');
    expect((await quire('show', ['0'.repeat(32)])).stderr).toContain('404: run_not_found');
    expect((await runQuire(['runs', 'list', '--url', 'ftp://x'])).stderr).toContain(
      'expected an address such as http://localhost:11030',
    );
  });

  it('goes on after a connection that broke, without losing or repeating a line', async () => {
    const run = { id: 'a'.repeat(32), state: 'succeeded', attempt: 1, max_attempts: 1, waiting_reason: null };
    const event = (offset: number) =>
      `id: ${offset}\nevent: log\ndata: {"message":"line ${offset}","stream":"stdout","step":null,"level":"info"}\n\n`;
    const service = await startFakeService(({ path }) => {
      if (!path.includes('/logs/stream')) return { body: { data: run } };
      const from = Number(new URL(path, 'http://x').searchParams.get('offset'));
      const headers = { 'Content-Type': 'text/event-stream' };
      return from === 0
        ? { headers, body: event(0) + event(1), cut: true }
        : { headers, body: `${event(from)}event: end\ndata: {"next_offset":${from + 1}}\n\n` };
    });
    const followed = await runQuire(['runs', 'logs', run.id, '-f', '--url', service.url]);
    await service.close();
    expect(followed).toMatchObject({ exitCode: 0, stdout: 'line 0\nline 1\nline 2\n' });
  });

  it('shows every attempt of a run that has ended before it could be followed', async () => {
    const run = {
      id: 'b'.repeat(32),
      project_id: 'demo',
      kind: 'pipeline',
      task: 'hello',
      state: 'succeeded',
      attempt: 2,
      max_attempts: 3,
      waiting_reason: null,
    };
    const service = await startFakeService(({ path }) => {
      if (!path.includes('/logs/stream')) return { body: { data: run } };
      const attempt = Number(new URL(path, 'http://x').searchParams.get('attempt'));
      const body = `id: ${attempt}-0\nevent: log\ndata: {"message":"attempt ` +
        `${attempt}","stream":"stdout","step":null,"level":"info"}\n\nevent: end\ndata: ` +
        `{"next_offset":1,"attempt":${attempt}}\n\n`;
      return { headers: { 'Content-Type': 'text/event-stream' }, body };
    });
    const followed = await runQuire(['runs', 'submit', 'demo', 'pipeline', 'hello', '--follow', '--url', service.url]);
    await service.close();
    expect(followed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/attempt 1\nattempt 2\n$/) });
  });
});

describe('quire runs artifacts', () => {
  it('lists what a run has left, and downloads it with the permission to execute', async () => {
    const id =
      (await quire('submit', ['demo', 'pipeline', 'packs', '--follow', '--json'])).stdout.match(/[0-9a-f]{32}/)![0];
    const folder = join(server.folder, 'downloaded');
    expect(await quire('artifacts', [id, '--download', folder])).toMatchObject({ exitCode: 0 });
    const mayExecute = async (name: string): Promise<boolean> => ((await stat(join(folder, name))).mode & 0o100) !== 0;
    expect([await mayExecute('tool'), await mayExecute('plain')]).toEqual([true, false]);
    expect(await readFile(join(folder, 'tool'), 'utf8')).toBe('x\n');
  });
});

describe('quire runs caches', () => {
  const caches = (command: string, ...options: string[]) =>
    runQuire(['runs', 'caches', command, 'demo', ...options, '--url', server.url, '--token', API_TOKEN]);

  it('lists what the service keeps and deletes what is named', async () => {
    expect(await caches('list')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('the service keeps no such caches'),
    });
    expect(await quire('submit', ['demo', 'pipeline', 'cached', '--follow'])).toMatchObject({ exitCode: 0 });
    expect((await caches('list')).stdout).toMatch(/^key +size +saved +used +hits\n.+\nbuilt +\d+KiB +.* 0$/m);
    expect(JSON.parse((await caches('list', '--prefix', 'bu', '--json')).stdout)).toMatchObject([{
      key: 'built',
      hits: 0,
    }]);
    expect(await caches('delete')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('say what to delete: a key, --prefix or --all'),
    });
    expect((await caches('delete', 'other')).stdout).toBe('0 caches of demo deleted, 0\n');
    expect((await caches('delete', '--all')).stdout).toMatch(/^1 cache of demo deleted, \d+KiB\n$/);
    expect((await caches('list')).stdout).toBe('');
  });
});

describe('quire runs ships, token, projects and audit', () => {
  it('lists ships and says what there is when a name is wrong', async () => {
    const ships = await quire('ships');
    expect(ships).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('fleet.enabled is false') });
    expect(ships.stdout).toMatch(/^local +online +\d\/2/m);
    expect(JSON.parse((await quire('ships', ['--json'])).stdout)).toMatchObject({ data: [], enabled: false });
    for (const command of ['drain', 'undrain', 'revoke'])
      expect(await quire(command, ['build-01'])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('no ship build-01; none has joined'),
      });
    expect(await quire('token', ['ship', 'build-01', '--label', 'gpu=a100'])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('409: fleet_disabled'),
    });
  });

  it('finds a run by the beginning or the end of its id', async () => {
    const id = await submitted('hello');
    await quire('logs', [id, '-f']);
    expect((await quire('show', [id.slice(-12)])).stdout).toMatch(
      new RegExp(`run ${id} succeeded after .*\\n[\\s\\S]*took +\\d+s[\\s\\S]*ship +local`),
    );
    expect((await quire('show', [id.slice(0, 30)])).stdout).toContain(id);
    expect((await quire('show', ['ffffffff'])).stderr).toContain(
      'no id of the newest 2000 runs begins or ends with ffffffff',
    );
    await submitted('hello');
    expect((await quire('show', [id.slice(0, 4)])).stderr).toMatch(/\d+ runs match /);
  });

  it('lists, disables, enables and deletes projects, and says what was done', async () => {
    await writeFile(server.file, `${await readFile(server.file, 'utf8')}\n# end\n`);
    expect((await quire('projects')).stdout).toMatch(/^demo +yes +example\/demo +hello told cached packs fails waits/m);
    expect(await quire('projects', ['disable', 'dmeo'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no project dmeo; there are: demo; did you mean demo?'),
    });
    expect(await quire('projects', ['disable', 'demo'])).toMatchObject({ exitCode: 0, stdout: 'demo is disabled\n' });
    expect((await quire('submit', ['demo', 'pipeline', 'hello'])).stderr).toContain(
      '400: project_unavailable: the project demo is disabled',
    );
    expect((await quire('projects', ['enable', 'demo'])).stdout).toBe('demo is enabled\n');
    expect((await quire('audit', ['--action', 'project', '--limit', '1'])).stdout).toMatch(
      /api +project +demo +change=replaced enabled=true/,
    );
    expect((await quire('submit', ['demo', 'pipeline', 'helo'])).stderr).toContain(
      'no pipeline "helo" in project demo; it has: hello, told, cached, packs, fails, waits; did you mean hello?',
    );
  });

  it('disables a project without touching what else is configured of it', async () => {
    const added = await fetch(`${server.url}/api/v1/projects`, {
      method: 'POST',
      headers: { 'Authorization': `Bearer ${API_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        id: 'forged',
        repository: 'org/forged',
        poll: '1h',
        pipelines_from: 'repository',
        forks: { runs: 'never' },
        release_interval: '4w',
        release: { only_if_changed: true, tag: 'v*' },
      }),
    });
    expect([added.status, await added.text()]).toEqual([201, expect.stringContaining('"poll":"1h"')]);
    expect((await quire('projects', ['disable', 'forged'])).stdout).toBe('forged is disabled\n');
    const { data } = JSON.parse((await quire('projects', ['--json'])).stdout) as { data: { id: string }[] };
    expect(data.find(({ id }) => id === 'forged')).toMatchObject({
      enabled: false,
      poll: '1h',
      pipelines_from: 'repository',
      forks: { runs: 'never', runs_on: [] },
      release: { only_if_changed: true, tag: 'v*' },
    });
    expect((await quire('projects', ['delete', 'forged'])).stdout).toBe('forged is deleted\n');
  });

  it('makes a token of the API, whose hash the configuration takes', async () => {
    const { stdout, stderr } = await runQuire(['runs', 'token', 'api', 'ci', '--scope', 'submit', 'read', '--project',
      'demo', '--expires', '90d']);
    const lines = stderr.slice(stderr.indexOf('tokens:'));
    expect(parseRunsConfig(`${CONFIG}${lines}`).tokens).toEqual([{
      name: 'ci',
      sha256: createHash('sha256').update(stdout.trim()).digest('hex'),
      scopes: ['submit', 'read'],
      projects: ['demo'],
      expires: expect.any(Number),
    }]);
    expect(stderr).not.toContain(stdout.trim());
  });
});
