// Files that steps produce and restore: artefacts and caches, with real processes, users and sandboxes.
import { create } from '@bufbuild/protobuf';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type DownloadCacheResponse, DownloadCacheResponseSchema,
  Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, script, start,
  type StepInit } from '../../../testkit/runs-executor.ts';
import type { WorkControl } from '../port.ts';
import { findProgram } from '../sandbox/index.ts';

const root = process.getuid?.() === 0;
const hasBubblewrap = findProgram('bwrap', process.env['PATH'] ?? '', '/') !== undefined;
const hasNamespaces = root && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function keepFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-kept-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function bench(options: Parameters<typeof executorBench>[0] = {}): ExecutorBench {
  const made = executorBench(options);
  cleanups.push(() => made.close());
  return made;
}

/** The caches of a server, without a network. */
class CacheServer {
  readonly kept = new Map<string, Buffer>();
  fetched = 0;
  /** Why it does nothing. */
  reason: string | undefined;

  calls(): Required<Pick<WorkControl, 'fetchCache' | 'keepCache' | 'discardCache'>> {
    return {
      fetchCache: async ({ key, restoreKeys }, receive) => {
        this.fetched += 1;
        const found = [key,
          ...restoreKeys.flatMap((beginning) => [...this.kept.keys()].filter((each) => each.startsWith(beginning)))]
          .find((each) => this.kept.has(each));
        return this.reason ?? receive(this.#messages(found)).then(() => undefined, (error: Error) => error.message);
      },
      keepCache: async ({ key, content }) => {
        if (this.reason === undefined) this.kept.set(key, Buffer.concat(await Array.fromAsync(content())));
        return this.reason;
      },
      discardCache: async (key) => void this.kept.delete(key),
    };
  }

  async *#messages(key: string | undefined): AsyncGenerator<DownloadCacheResponse> {
    if (key === undefined) return;
    const content = this.kept.get(key)!;
    yield create(DownloadCacheResponseSchema, {
      body: {
        case: 'description',
        value: { key, size: BigInt(content.length), sha256: createHash('sha256').update(content).digest() },
      },
    });
    yield create(DownloadCacheResponseSchema, { body: { case: 'chunk', value: content } });
  }
}

interface Ran {
  readonly outcome: Outcome;
  readonly message: string | undefined;
  readonly said: string[];
  readonly kept: Record<string, string>;
  /** Names of those that may be executed. */
  readonly executable: readonly string[];
  readonly steps: unknown;
}

async function run(on: ExecutorBench, steps: readonly (string | StepInit)[], fields: object = {},
  answer: (name: string) => string | undefined = () => undefined, server?: CacheServer): Promise<Ran>
{
  const kept: Record<string, string> = {};
  const executable: string[] = [];
  const running = start(on.executor, assignmentOf(pipelineOf(steps), fields), undefined, {
    ...server?.calls(),
    keepArtifact: async ({ name, content, size, executable: isExecutable }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content()) pieces.push(piece);
      expect(Buffer.concat(pieces)).toHaveLength(size);
      const reason = answer(name);
      if (isExecutable) executable.push(name);
      if (reason === undefined) kept[name] = Buffer.concat(pieces).toString();
      return reason;
    },
  });
  const { outcome, error, steps: told } = await running.result;
  return { outcome, message: error?.message, said: running.text(), kept, executable, steps: told };
}

describe('artefacts', () => {
  it('are the files that a step names, also of one that fails; links are not', async () => {
    const step = {
      ...script(
        'mkdir -p out/deep; echo one > out/a.txt; echo two > out/deep/b.txt; ln -s /etc/passwd out/c.txt; chmod +x ' +
          'out/a.txt; exit 3',
      ),
      artifacts: ['out/**/*.txt', 'none/*'],
    };
    const ran = await run(bench(), [step]);
    expect(ran).toMatchObject({
      outcome: Outcome.FAILED,
      message: 'step s1 exited with code 3',
      kept: { 'out/a.txt': 'one\n', 'out/deep/b.txt': 'two\n' },
      executable: ['out/a.txt'],
    });
    expect(Object.keys(ran.kept)).toHaveLength(2);
    expect(ran.said).toEqual(['there are no files none/* to be kept', 'not kept as artefacts: 1 link (out/c.txt)',
      'kept 2 artefacts']);
    expect(ran.steps).toEqual([{
      name: 's1',
      startedMs: expect.any(Number),
      endedMs: expect.any(Number),
      outcome: 'failed',
      exitCode: 3,
      signal: null,
    }]);
  });

  it('are never read by way of a link', async () => {
    const step = { ...script('ln -s /etc secret'), artifacts: ['secret/passwd'] };
    expect(await run(bench(), [step])).toMatchObject({
      outcome: Outcome.SUCCEEDED,
      kept: {},
      said: ['there are no files secret/passwd to be kept'],
    });
  });

  it('whose names hold a secret are not kept', async () => {
    const step = { ...script('echo x > "of-$TOKEN_VALUE"'), artifacts: ['of-*'] };
    expect(await run(bench(), [step], { secrets: { TOKEN_VALUE: 'correct-horse' } })).toMatchObject({
      outcome: Outcome.FAILED,
      message: 'the artefacts of step s1 are not kept: of-***: its name holds a secret',
      kept: {},
    });
  });

  it('of a step that always runs are passed over when the run has to end, and its cache, too', async () => {
    const on = bench({ keep: { folder: keepFolder(), limit: 2 ** 30 } });
    const always = {
      ...script('echo x > left; echo cleaned'),
      always: true,
      artifacts: ['left'],
      cache: { key: 'k', paths: ['left'] },
    };
    const running = start(on.executor, assignmentOf(pipelineOf(['echo ready; sleep 1000', always])), undefined, {
      keepArtifact: async () => 'nobody asks',
    });
    await running.saw('ready');
    running.stop();
    expect(await running.result).toMatchObject({
      outcome: Outcome.CANCELLED,
      steps: [{ outcome: 'stopped' }, { name: 's2', outcome: 'succeeded' }],
    });
    expect(running.text()).toEqual(['ready', 'cleaned', 'the run had to end: the artefacts of this step are not kept']);
  });

  it('that are not kept because the run has to end leave no success behind', async () => {
    const running = start(bench().executor,
      assignmentOf(pipelineOf([{ ...script('echo x > left'), artifacts: ['left'] }])), undefined, {
      keepArtifact: async (_, ended) => {
        running.stop();
        return ended.aborted ? 'the run had to end' : 'it goes on';
      },
    });
    expect(await running.result).toMatchObject({
      outcome: Outcome.CANCELLED,
      steps: [{ name: 's1', outcome: 'succeeded' }],
    });
    expect(running.text()).toEqual(['the run had to end: the artefacts of this step are not kept']);
  });

  it('that the server does not keep fail the step', async () => {
    const step = { ...script('echo x > big'), artifacts: ['big'] };
    expect(await run(bench(), [step, 'echo never'], {}, () => 'it is too large')).toMatchObject({
      outcome: Outcome.FAILED,
      message: 'the artefacts of step s1 are not kept: big: it is too large',
      said: [],
    });
  });
});

const CACHE = { key: "deps-${{ hash('lock') }}", paths: ['deps', '~/.store'], restoreKeys: ['deps-'] };
const FILL =
  'cat deps/file "$HOME/.store/kept" 2>/dev/null || { mkdir -p deps "$HOME/.store"; echo filled > deps/file; echo ' +
  'home > "$HOME/.store/kept"; chmod 750 deps/file; echo made; }';

const step = (lock: string,
  text = FILL): StepInit[] => [script(`echo ${lock} > lock`), { ...script(text), cache: CACHE }];

describe('a cache', () => {
  it.each(
    [['none', true, {}], ['none', root, { runAs: 'separate', open: true }], ['bubblewrap', root && hasBubblewrap, {
      runAs: 'separate',
      open: true,
    }], ['namespaces', hasNamespaces, { runAs: 'separate', open: true }]] as const,
  )('of one run is there in the next, in the sandbox %s', async (sandbox, isThere, options) => {
    if (!isThere) return;
    const on = bench({ sandbox, ...options, keep: { folder: keepFolder(), limit: 2 ** 30 } });
    const first = await run(on, step('one'));
    expect(first.said, first.message).toEqual([expect.stringMatching(/^there is no cache deps-[0-9a-f]{32} yet$/),
      'made', expect.stringMatching(/^saved the cache deps-/)]);
    const second = await run(on, step('one', `${FILL}; stat -c "%a %u" deps/file; id -u`));
    const [restored, filled, home, mode, user] = second.said;
    expect([restored, filled, home]).toEqual([expect.stringMatching(/^restored the cache deps-/), 'filled', 'home']);
    expect(mode).toBe(`750 ${user}`);
    // Another key starts with the newest entry, and is saved under its own name.
    const third = await run(on, step('two'));
    expect(third.said).toEqual([expect.stringMatching(/^restored the cache deps-/), 'filled', 'home',
      expect.stringMatching(/^saved the cache deps-/)]);
    expect((await run(on, step('one'), { projectId: 'other' })).said[1]).toBe('made');
    expect(second.said).toHaveLength(5);
  });

  it('is saved after success alone, and is not half there after a crash', async () => {
    const folder = keepFolder();
    const keep = { folder, limit: 2 ** 30 };
    const on = bench({ keep });
    await run(on, step('one', `${FILL}; exit 1`));
    expect(readdirSync(join(folder, 'caches'))).toEqual([]);
    await run(on, step('one'));
    const [entry] = readdirSync(join(folder, 'caches'));
    writeFileSync(join(folder, 'caches', entry!, 'content.tar'), 'no archive');
    const broken = await run(on, step('one'));
    expect(broken).toMatchObject({
      outcome: Outcome.SHIP_ERROR,
      message: expect.stringContaining('could not be restored, and is removed'),
    });
    expect((await run(on, step('one'))).said[1]).toBe('made');
    writeFileSync(join(folder, 'new', 'left-over'), '');
    await bench({ keep }).executor.ready;
    expect(readdirSync(join(folder, 'new'))).toEqual([]);
  });

  it('has a limit of size, and none of it is taken from outside of the work folder', async () => {
    const folder = keepFolder();
    const on = bench({ keep: { folder, limit: 100_000 } });
    const large = await run(on, [{
      ...script('mkdir deps; head -c 200000 /dev/zero > deps/file'),
      cache: { ...CACHE, key: 'large' },
    }]);
    expect(large.said.at(-1)).toContain('is not saved: it is larger than all that the ship keeps');
    const secret = mkdtempSync(join(tmpdir(), 'quire-secret-'));
    cleanups.push(() => rmSync(secret, { recursive: true }));
    chmodSync(secret, 0o755);
    writeFileSync(join(secret, 'file'), 'secret');
    const linked = await run(on, [{
      ...script(`ln -s ${secret} deps`),
      cache: { key: 'linked', paths: ['deps/file'] },
    }]);
    expect(linked.said.at(-1)).toContain('there is a link on the way to deps/file');
    const unknown = await run(on, [{ ...script('true'), cache: { ...CACHE } }]);
    expect(unknown.said).toEqual(['the step runs without its cache: there is no file lock for its key']);
    expect(existsSync(join(folder, 'caches')) && readdirSync(join(folder, 'caches'))).toEqual([]);
  });

  it('that the server keeps is fetched by ships that do not have it, and sent by the one that saves it', async () => {
    const server = new CacheServer();
    const [one, other] = [bench({ keep: { folder: keepFolder(), limit: 2 ** 30 } }),
      bench({ keep: { folder: keepFolder(), limit: 2 ** 30 } })];
    const shared = (
      lock: string,
    ): StepInit[] => [script(`echo ${lock} > lock`), { ...script(FILL), cache: { ...CACHE, shared: true } }];
    expect((await run(one, shared('one'), {}, undefined, server)).said.slice(1)).toEqual(['made',
      expect.stringMatching(/^saved the cache deps-/)]);
    expect((await run(other, shared('one'), {}, undefined, server)).said).toEqual([
      expect.stringMatching(/^restored the cache deps-/),
      'filled',
      'home',
    ]);
    // By a restore key, and saved under its own key by this ship.
    expect((await run(other, shared('two'), {}, undefined, server)).said.at(-1)).toMatch(/^saved the cache deps-/);
    expect(server.kept.size).toBe(2);
    // What it has itself is not fetched.
    const { fetched } = server;
    await run(one, shared('one'), {}, undefined, server);
    expect(server.fetched).toBe(fetched);
    // One that is not shared asks nobody.
    expect(
      (await run(bench({ keep: { folder: keepFolder(), limit: 2 ** 30 } }), step('one'), {}, undefined, server))
        .said[1],
    ).toBe('made');
  });

  it('that cannot be restored is removed from the server, too; a server that fails costs only time', async () => {
    const server = new CacheServer();
    const shared = [script('echo one > lock'), { ...script(FILL), cache: { ...CACHE, shared: true } }];
    const fresh = (limit = 2 ** 30): ExecutorBench => bench({ keep: { folder: keepFolder(), limit } });
    await run(fresh(), shared, {}, undefined, server);
    const [key] = server.kept.keys();
    server.kept.set(key!, Buffer.from('no archive'));
    expect(await run(fresh(), shared, {}, undefined, server)).toMatchObject({
      outcome: Outcome.SHIP_ERROR,
      message: expect.stringContaining('could not be restored'),
    });
    expect(server.kept.size).toBe(0);
    server.reason = 'no connection';
    const alone = await run(fresh(), shared, {}, undefined, server);
    expect(alone).toMatchObject({ outcome: Outcome.SUCCEEDED });
    expect(alone.said).toEqual([
      expect.stringMatching(/^the cache deps-\w+ is not fetched from the server: no connection$/),
      expect.stringContaining('there is no cache'),
      'made',
      expect.stringContaining('saved'),
      expect.stringMatching(/^the server does not keep the cache deps-\w+: no connection$/),
    ]);
    server.reason = undefined;
    server.kept.set(key!, Buffer.alloc(200_000));
    expect((await run(fresh(100_000), shared, {}, undefined, server)).said[0]).toMatch(
      /is larger than all that the ship keeps/,
    );
  });

  it('is not there on a ship that keeps none', async () => {
    expect((await run(bench(), step('one'))).said).toEqual(['the step runs without its cache: this ship keeps none',
      'made']);
  });
});
