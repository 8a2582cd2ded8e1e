// Artefacts of the steps before an approval, put back by real processes, users and sandboxes.
import { create } from '@bufbuild/protobuf';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type DownloadArtifactsResponse, DownloadArtifactsResponseSchema,
  Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, start } from '../../../testkit/runs-executor.ts';
import { type ArtifactReader, StagingFailure } from '../port.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'quire-restore-'));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function bench(options: Parameters<typeof executorBench>[0] = {}): ExecutorBench {
  const made = executorBench(options);
  cleanups.push(() => made.close());
  return made;
}

type Files = Readonly<Record<string, string | Buffer>>;

async function* messagesOf(files: Files, damage = ''): AsyncGenerator<DownloadArtifactsResponse> {
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const sha256 = createHash('sha256').update(content).update(damage).digest();
    yield create(DownloadArtifactsResponseSchema, {
      body: {
        case: 'description',
        value: { name, step: 'build', size: BigInt(content.length), sha256, executable: name.endsWith('.sh') },
      },
    });
    for (let at = 0; at < content.length; at += 1000)
      yield create(DownloadArtifactsResponseSchema, {
        body: { case: 'chunk', value: content.subarray(at, at + 1000) },
      });
  }
}

/** Like a ship that is connected: failures of the disk are final. */
const sending = (files: Files) => async (receive: ArtifactReader): Promise<string | undefined> =>
  receive(messagesOf(files)).then(() => undefined, (error: Error) => error.message);

async function run(on: ExecutorBench, script: string,
  restoreArtifacts: (receive: ArtifactReader, signal: AbortSignal) => Promise<string | undefined>, plan: object = {})
{
  const running = start(on.executor, assignmentOf(pipelineOf([script], { restoreArtifacts: true, ...plan })), undefined,
    { restoreArtifacts });
  const { outcome, error } = await running.result;
  return { outcome, message: error?.message, said: running.text() };
}

it('are at their paths, belong to the steps, and nothing else of the download is left', async () => {
  const on = bench();
  const large = Buffer.alloc(300_000, 'abcdefghij');
  const ran = await run(on,
    'cat -- "dist/a b" -x; wc -c < dist/deep/large | tr -d " "; wc -c < empty | tr -d " "; echo more >> "dist/a ' +
      'b"; ls -A .. | tr "\\n" " "',
    sending({ 'dist/a b': 'one\n', 'dist/deep/large': large, empty: '', '-x': 'two\n' }));
  expect(ran).toMatchObject({ outcome: Outcome.SUCCEEDED });
  expect(ran.said).toEqual(
    expect.arrayContaining(['restored 4 artefacts of earlier steps and jobs', 'one', 'two', '300000', '0']),
  );
  expect(ran.said.at(-1)).not.toContain('artifacts');
});

it('may be executed if they could be, and not otherwise', async () => {
  const ran = await run(bench(), './run.sh; test ! -x plain && echo plain',
    sending({ 'run.sh': '#!/bin/sh\necho runs\n', plain: 'x' }));
  expect(ran.said).toEqual(expect.arrayContaining(['runs', 'plain']));
});

it.skipIf(process.getuid?.() !== 0)(
  'are written with the rights of the run, also where the repository has a link at their path',
  async () => {
    const [outside, origin] = [folder(), folder()];
    symlinkSync(outside, join(origin, 'dist'));
    writeFileSync(join(origin, 'plain'), 'of the repository');
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-C', origin, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]);
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '-m', 'one');
    mkdirSync(join(outside, 'kept'));
    const ran = await run(bench({ open: true, runAs: 'separate' }), 'cat plain',
      sending({ plain: 'of the build\n', 'dist/file': 'x' }), { checkout: 'shallow', gitUrl: `file://${origin}` });
    // The ship may write there, the user of the run may not.
    expect(ran).toMatchObject({
      outcome: Outcome.SHIP_ERROR,
      message: 'the artefacts of earlier steps and jobs are not restored: tar failed',
    });
    expect(readdirSync(outside)).toEqual(['kept']);
  },
);

it('that cannot be fetched, or have another hash, are a fault of the ship', async () => {
  const on = bench();
  expect(await run(on, 'echo never', async () => 'the server keeps none')).toMatchObject({
    outcome: Outcome.SHIP_ERROR,
    message: 'the artefacts of earlier steps and jobs are not restored: the server keeps none',
  });
  const damaged = await run(on, 'echo never',
    async (receive) =>
      receive(messagesOf({ a: 'one' }, 'damage')).then(() => undefined, (error: Error) => error.message));
  expect(damaged).toMatchObject({
    outcome: Outcome.SHIP_ERROR,
    message: expect.stringContaining('another hash'),
    said: [],
  });
});

it('are fetched again from the beginning, and a name that leads out is final', async () => {
  const on = bench();
  const ran = await run(on, 'cat a', async (receive) => {
    await expect(receive((async function*() {
      yield* messagesOf({ a: 'half', b: 'none' });
      throw new Error('the connection is lost');
    })())).rejects.toThrow('lost');
    await receive(messagesOf({ a: 'whole' }));
    return undefined;
  });
  expect(ran.said).toEqual(expect.arrayContaining(['restored 1 artefact of earlier steps and jobs', 'whole']));
  const refused = await run(on, 'echo never',
    async (receive) =>
      receive(messagesOf({ '../a': 'x' })).then(() => undefined, (error: Error) => {
        expect(error).toBeInstanceOf(StagingFailure);
        return error.message;
      }));
  expect(refused.message).toContain('no relative path');
  expect(existsSync('/a')).toBe(false);
});
