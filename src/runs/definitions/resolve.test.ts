import { fromJson, toJson } from '@bufbuild/protobuf';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AssignmentSchema, type PipelinePlan } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { silentLog } from '../../lib/log.ts';
import { parseRunsConfig } from '../config/index.ts';
import type { ForgeOrigin } from '../forge/port.ts';
import type { Claim } from '../queue/port.ts';
import { assignmentOf } from './assignment-of.ts';
import type { RunRequest } from './definition.ts';
import { gitUrl } from './remote.ts';
import { resolveRun } from './resolve.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-definitions-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configured = (more = '') =>
  parseRunsConfig(`
data_dir: ${JSON.stringify(folder)}
queue: {max_attempts: 4, cancel_grace: 7s}
secrets: [{name: REGISTRY_TOKEN, env: HOST_TOKEN}, {name: OTHER, env: OTHER}]
projects:
  - {id: alpha, repository: org/alpha, runs_on: [os=linux, gpu=a100], issue_label: ready, priority: 3}
pipelines:
  - name: build
    runs_on: [disk=ssd, os=linux]
    checkout: shallow
    timeout: 90m
    max_attempts: 2
    retry: {on: [step_failed, timeout]}
    on_partition: continue
    sandbox: container
    image: node:24
    env: {CI: "true"}
    secrets: [REGISTRY_TOKEN, OTHER]
    steps:
      - {name: test, run: npm test, env: {A: "1"}, timeout: 20m, working_dir: sub}
      - {name: pack, exec: [npm, pack], continue_on_error: true}
      - {name: clean, run: "rm -rf x", shell: [/bin/bash, -c], always: true}
ai:
  roles:
    - {name: writer, endpoint: 'https://ai.example.org/v1', model: some-model, api_key_env: WRITER_KEY, system_prompt: Be brief., timeout: 60s, first_byte_timeout: 9s, max_tokens: 100, temperature: 0.5}
    - {name: filed, endpoint: 'https://ai.example.org/v1', model: m, system_prompt_file: prompt.txt}
    - {name: foreign, endpoint: 'https://ai.example.org/v1', model: m, projects: []}
${more}`);

const resolve = (request: Partial<RunRequest>, more?: string) =>
  resolveRun(configured(more), { projectId: 'alpha', kind: 'diagnostic', task: '', ...request }, {
    keyVariableAvailable: (name) => name === 'WRITER_KEY',
    log: silentLog,
  });
const RUN = { origin: { by: null } } as Claim['run'];
const claimOf = async (request: Partial<RunRequest>, input: string | null = null): Promise<Claim> => {
  const { definition } = await resolve(request);
  return { ref: { runId: 'a'.repeat(32), attempt: 2, fence: 7 }, input, definition, run: RUN };
};
const LIMITS = { max_line: 16_384, attempt_budget: 16_777_216, attempt_events: 200_000 };

describe('steps of a run that an event has started', () => {
  it('know of it by variables', async () => {
    const claim = await claimOf({ kind: 'pipeline', task: 'build' });
    const forge = {
      forge: 'hub',
      event: 'pull_request',
      action: 'opened',
      branch: 'main',
      title: 'T',
      author: 'ada',
      pullRequest: { number: 7, base: 'main', head: 'f', isFork: true },
    } as ForgeOrigin;
    const { env } = assignmentOf({ ...claim, run: { ...RUN, origin: { by: null, forge } } }, () => 'value', LIMITS);
    expect(env).toMatchObject({
      QUIRE_EVENT: 'pull_request',
      QUIRE_PULL_REQUEST: '7',
      QUIRE_HEAD_BRANCH: 'f',
      QUIRE_BASE_BRANCH: 'main',
      QUIRE_FORK: 'true',
      QUIRE_AUTHOR: 'ada',
      QUIRE_ISSUE: '',
    });
  });
});

describe('services, needs and images', () => {
  const PIPELINE = `
  - name: tested
    matrix: {version: ['17', '18']}
    max_parallel_steps: 2
    image: node:24
    services:
      db: {image: 'postgres:{matrix.version}', port: 5432, env: {PGUSER: test}}
      api: {run: serve, health: {http: /ready, interval: 2s, retries: 3}}
      quiet: {exec: [queue]}
    steps:
      - {name: lint, run: x, needs: []}
      - {name: test, run: x, needs: [], image: 'deno:{matrix.version}'}
      - {name: only-tags, run: x, needs: [lint], when: {event: tag}}
      - {name: pack, run: x, needs: [only-tags, test]}
`;

  it('are in the plan of a ship, with the values of the matrix and without skipped steps', async () => {
    const whole = parseRunsConfig(`pipelines:\n${PIPELINE}`);
    const { cells } = await resolveRun({ ...configured(), pipelines: whole.pipelines }, {
      projectId: 'alpha',
      kind: 'pipeline',
      task: 'tested',
    }, { keyVariableAvailable: () => true, log: silentLog });
    const assignment = fromJson(AssignmentSchema, cells![1]!.definition.assignment);
    expect(assignment.plan.value).toMatchObject({
      image: 'node:24',
      maxParallelSteps: 2,
      services: [
        {
          name: 'db',
          image: 'postgres:18',
          port: 5432,
          env: { PGUSER: 'test' },
          argv: [],
          script: '',
          health: { tcp: true, http: '', intervalMs: 1000n, timeoutMs: 5000n, retries: 60 },
        },
        {
          name: 'api',
          script: 'serve',
          port: 0,
          health: { tcp: false, http: '/ready', intervalMs: 2000n, retries: 3 },
        },
        { name: 'quiet', argv: ['queue'] },
      ],
      steps: [
        { name: 'lint', needs: { names: [] }, image: '' },
        { name: 'test', needs: { names: [] }, image: 'deno:18' },
        { name: 'pack', needs: { names: ['lint', 'test'] } },
      ],
    });
    // Without a port or a check it is ready when it has started.
    expect((assignment.plan.value as PipelinePlan).services[2]!.health).toBeUndefined();
  });
});

describe('a pipeline', () => {
  it('becomes steps with arguments, the environment, and the address of the repository', async () => {
    const { definition, ...rest } = await resolve({ kind: 'pipeline', task: 'build' });
    expect(rest).toEqual({
      runsOn: ['disk=ssd', 'gpu=a100', 'os=linux'],
      maxAttempts: 2,
      priority: 3,
      isRestricted: false,
    });
    expect(definition).toEqual({
      secrets: ['REGISTRY_TOKEN', 'OTHER'],
      retryOn: ['step_failed', 'timeout'],
      timeoutMs: 5_400_000,
      keyVariable: '',
      assignment: {
        projectId: 'alpha',
        repository: 'org/alpha',
        issueLabel: 'ready',
        timeoutMs: '5400000',
        cancelGraceMs: '7000',
        alwaysGraceMs: '30000',
        env: { CI: 'true' },
        pipeline: {
          name: 'build',
          checkout: 'shallow',
          submodules: 'none',
          gitUrl: 'https://github.com/org/alpha.git',
          sandbox: 'container',
          image: 'node:24',
          steps: [{
            name: 'test',
            workingDir: 'sub',
            env: { A: '1' },
            timeoutMs: '1200000',
            script: 'npm test',
          }, { name: 'pack', argv: ['npm', 'pack'], workingDir: '.', timeoutMs: '1200000', continueOnError: true }, {
            name: 'clean',
            argv: ['/bin/bash', '-c', 'rm -rf x'],
            workingDir: '.',
            timeoutMs: '1200000',
            always: true,
          }],
        },
      },
    });
  });

  it('takes the priority and the least score of the request', async () => {
    expect(await resolve({ kind: 'pipeline', task: 'build', priority: 0, minScore: 70 })).toMatchObject({
      priority: 0,
      definition: { minScore: 70 },
    });
  });
});

describe('a diagnostic run', () => {
  it('probes the roles of the project, and stops when its ship is cut off', async () => {
    const { definition, maxAttempts } = await resolve({ task: 'disk' });
    expect([maxAttempts, definition.assignment]).toEqual([4, expect.objectContaining({
      stopOnPartition: true,
      diagnostic: {
        check: 'disk',
        gitUrl: 'https://github.com/org/alpha.git',
        roles: [{ role: 'writer', endpoint: 'https://ai.example.org/v1', apiKeyEnv: 'WRITER_KEY' }, {
          role: 'filed',
          endpoint: 'https://ai.example.org/v1',
        }],
      },
    })]);
  });
});

describe('a run of an AI role', () => {
  it('names the variable with the key, never the key', async () => {
    const { definition } = await resolve({ kind: 'ai_text', task: 'writer', input: 'Write.' });
    expect(definition).toMatchObject({
      keyVariable: 'WRITER_KEY',
      timeoutMs: 60_000,
      assignment: {
        aiText: {
          role: 'writer',
          endpoint: 'https://ai.example.org/v1',
          model: 'some-model',
          apiKeyEnv: 'WRITER_KEY',
          systemPrompt: 'Be brief.',
          maxTokens: 100,
          temperature: 0.5,
          firstByteTimeoutMs: '9000',
        },
      },
    });
  });

  it('reads its system prompt when it is queued, and cannot be queued without', async () => {
    const request = { kind: 'ai_text', task: 'filed', input: 'Write.' };
    await expect(resolve(request)).rejects.toMatchObject({ code: 'model_or_input_unavailable' });
    await writeFile(join(folder, 'prompt.txt'), 'From a file.');
    expect(await resolve(request)).toMatchObject({
      definition: { keyVariable: '', assignment: { aiText: { systemPrompt: 'From a file.' } } },
    });
    await writeFile(join(folder, 'prompt.txt'), Buffer.from([0xff]));
    await expect(resolve(request)).rejects.toMatchObject({ code: 'model_or_input_unavailable' });
  });

  it('is refused to projects that may not use the role', async () => {
    await expect(resolve({ kind: 'ai_text', task: 'foreign', input: 'x' })).rejects.toMatchObject({
      code: 'model_or_input_unavailable',
    });
  });
});

describe('the address of a repository', () => {
  it.each([['org/name', 'https://host/org/name.git'], ['o$&rg/na$1me', 'https://host/o$&rg/na$1me.git'], [
    'https://git.example.org/a/b.git',
    'https://git.example.org/a/b.git',
  ], ['ssh://git@host/a/b', 'ssh://git@host/a/b'], ['git@host:org/name.git', 'git@host:org/name.git']])('of %s is %s',
    (repository, url) => {
      expect(gitUrl(repository, 'https://host/{repository}.git')).toBe(url);
    });
});

describe('an assignment', () => {
  it('is the definition with attempt, input, limits and the secrets of this moment', async () => {
    const claim = await claimOf({ kind: 'pipeline', task: 'build' }, 'größer');
    const assignment = assignmentOf(claim, (name) => (name === 'REGISTRY_TOKEN' ? 'the-secret' : 'another'), LIMITS);
    expect(assignment.ref).toMatchObject({ runId: 'a'.repeat(32), attempt: 2, fencingToken: 7n });
    expect(new TextDecoder().decode(assignment.input)).toBe('größer');
    expect(assignment.secrets).toEqual({ REGISTRY_TOKEN: 'the-secret', OTHER: 'another' });
    expect(assignment.limits).toMatchObject({ maxLine: 16_384, maxBytes: 16_777_216n, maxEvents: 200_000n });
    expect(assignment.plan.case).toBe('pipeline');
    expect(JSON.stringify(claim.definition)).not.toContain('the-secret');
  });

  it('of two claims of one definition have nothing in common', async () => {
    const claim = await claimOf({ kind: 'pipeline', task: 'build' });
    assignmentOf(claim, () => 'the-secret', LIMITS);
    const second = assignmentOf(claim, () => 'another', LIMITS);
    expect([second.secrets['REGISTRY_TOKEN'], second.input.length]).toEqual(['another', 0]);
  });

  it('is not made where secrets have no value', async () => {
    const claim = await claimOf({ kind: 'pipeline', task: 'build' });
    expect(() => assignmentOf(claim, (name) => (name === 'OTHER' ? 'x' : undefined), LIMITS)).toThrow(
      /no value for the secret REGISTRY_TOKEN:/,
    );
  });

  it('comes back from its stored text unchanged', async () => {
    for (const request of [{}, { kind: 'pipeline', task: 'build' }, { kind: 'ai_text', task: 'writer', input: 'x' }]) {
      const { definition } = await resolve(request);
      const stored = JSON.parse(JSON.stringify(definition.assignment)) as typeof definition.assignment;
      expect(toJson(AssignmentSchema, fromJson(AssignmentSchema, stored))).toEqual(definition.assignment);
    }
  });
});
