// The hook of docs/run-queue-forge.md, as it stands there, in a bare repository that somebody pushes to.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import type { ForgeDelivery } from '../../../generated/runs/sdk/types.gen.ts';
import { ForgeBench, KEY } from './test-fixture.ts';

const PAGE = join(import.meta.dirname, '../../../docs/run-queue-forge.md');

let bench: ForgeBench;
afterEach(() => bench.stop());

it('starts the pipeline of the repository for each push', async () => {
  bench = await ForgeBench.start();
  const bare = join(bench.origin.folder, 'bare.git');
  execFileSync('git', ['init', '--quiet', '--bare', bare]);
  const repository = `file://${bare}`;
  bench.api.configure(
    bench.config('pipelines_from: repository').replace(`id: bare, repository: '${bench.origin.url}'`,
      `id: bare, repository: '${repository}'`),
  );
  const [, hook = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8').replaceAll('\n   ', '\n')) ?? [];
  const file = join(bare, 'hooks', 'post-receive');
  writeFileSync(file,
    hook.replace(/key=.*/, `key='${KEY}'`).replace('http://127.0.0.1:11030', bench.api.url).replace(
      'file:///srv/git/app.git',
      repository,
    ));
  chmodSync(file, 0o755);
  mkdirSync(join(bench.origin.path, '.quire'));
  const commit = bench.origin.commit('steps:\n  - {name: test, run: make test}\n', '.quire/test.yaml');
  const push = await promisify(execFile)('git', ['-C', bench.origin.path, 'push', '--quiet', bare, 'main']);
  expect(push.stderr).toBe('');
  const listed = await bench.api.send('GET', '/webhooks/deliveries');
  const { data: [delivery] } = listed.json<{ data: ForgeDelivery[] }>();
  const done = await vi.waitFor(() => bench.settled(delivery!.id), { timeout: 30_000 });
  expect(done).toMatchObject({ state: 'done', forge: 'bare', ref: 'refs/heads/main', commit });
  expect(done.runs.map(({ project_id: project, pipeline }) => [project, pipeline])).toEqual([['bare', 'test']]);
});
