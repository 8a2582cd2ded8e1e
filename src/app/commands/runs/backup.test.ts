import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runQuire } from '../../../testkit/commands/run-command.ts';
import { API_TOKEN, type RunsServer, serveRuns, startRunsServer } from '../../../testkit/runs-server.ts';

const CONFIG = `
pipelines: [{name: hello, steps: [{name: greet, run: echo hello}]}]
projects: [{id: demo, repository: example/demo}]
local: {enabled: false}
`;

let server: RunsServer;
let backup: string;
beforeEach(async () => {
  server = await startRunsServer(CONFIG);
  backup = join(server.folder, 'backup');
});
afterEach(async () => {
  await server.stop();
  await rm(server.folder, { recursive: true });
});

const submit = async () =>
  (await runQuire(['runs', 'submit', 'demo', 'pipeline', 'hello', '--url', server.url, '--token', API_TOKEN])).stdout
    .trim();
const here = (command: string, ...options: string[]) =>
  runQuire(['runs', command, backup, '--config', server.file, ...options]);

describe('quire runs backup and restore', () => {
  it('copy the queue of a running service, and bring it back once that is stopped', async () => {
    const before = await submit();
    expect(await here('backup')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/backup: [\d.]+ KB, read back and found whole\n$/),
    });
    const after = await submit();
    expect(await here('restore', '--unfinished', 'queue')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('in use by another process; stop that process first'),
    });
    await server.stop();
    expect(await here('restore')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('1 queued and 0 running runs'),
    });
    expect(await here('restore', '--unfinished', 'queue')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('are queued again'),
    });
    const { service } = await serveRuns({ folder: server.folder, yaml: CONFIG });
    const listed = await runQuire(['runs', 'list', '--json', '--url', service.url, '--token', API_TOKEN]);
    await service.stop();
    expect([listed.stdout.includes(before), listed.stdout.includes(after)]).toEqual([true, false]);
  });

  it('say what is wrong', async () => {
    await here('backup');
    expect(await here('backup')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('exists already') });
    expect(await runQuire(['runs', 'backup', backup, '--config', join(server.folder, 'none.yaml')])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('none.yaml'),
    });
    expect(await runQuire(['runs', 'restore', server.folder, '--config', server.file])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no backup of a run queue'),
    });
  });
});
