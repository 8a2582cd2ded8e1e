// Programs beside the steps of a run: on the loopback interface, and as containers of a fake engine.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync,
  writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, type Running, script, start,
  type StepInit } from '../../../testkit/runs-executor.ts';
import { findProgram } from '../sandbox/index.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function bench(options: Parameters<typeof executorBench>[0] = {}): ExecutorBench {
  const made = executorBench(options);
  cleanups.push(() => made.close());
  return made;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-services-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const SOON = { intervalMs: 20n, timeoutMs: 5_000n, retries: 250 };
const run = (services: readonly object[], steps: readonly (string | StepInit)[], on = bench(), plan: object = {},
  fields: object = {}): Running =>
  start(on.executor, assignmentOf(pipelineOf(steps, {
    services: services.map((service) => ({ workingDir: '.', ...service })),
    ...plan,
  }), fields));

async function end(running: Running) {
  const result = await running.result;
  expect(await running.living(), running.text().join('\n')).toEqual([]);
  return { ...result, outcome: Outcome[result.outcome] };
}

/** A server on the port of the service `web` that answers with a text after a moment, and says when it is stopped. */
const server = (answer: string): { argv: string[] } => ({
  argv: [process.execPath, '-e', `const server = require('http').createServer((request, response) => {
      response.statusCode = request.url === '/ready' ? 200 : request.url === '/moved' ? 302 : 503;
      response.end(${JSON.stringify(answer)});
    });
    const { QUIRE_SERVICE_WEB_HOST: host, QUIRE_SERVICE_WEB_PORT: port } = process.env;
    setTimeout(() => server.listen(port, host, () => console.log('listens')), 100);
    process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });`],
});
const FETCH = `${process.execPath} -e 'fetch("http://" + process.env.QUIRE_SERVICE_WEB_HOST + ":" + ` +
  `process.env.QUIRE_SERVICE_WEB_PORT).then((r) => r.text()).then(console.log)'`;

describe('services', () => {
  it.each([['tcp', { tcp: true }], ['http', { http: '/ready' }], ['a command', script(FETCH)]])(
    'are ready before the first step, as their check by %s says, and are ended after the last one',
    async (_, check) => {
      const running = run([{ name: 'web', ...server('hello'), health: { ...SOON, ...check } }], [FETCH, 'exit 3', {
        ...script(FETCH),
        always: true,
      }]);
      expect(await end(running)).toMatchObject({
        outcome: 'FAILED',
        error: { step: 's2', exitCode: 3 },
        steps: [{ name: 's1' }, { name: 's2' }, { name: 's3', outcome: 'succeeded' }],
      });
      expect(running.text('stdout')).toEqual(['listens', 'hello', 'hello', 'stopped']);
      expect(running.text('system')[0]).toMatch(/^service web is ready after \d+\.\d s, at 127\.0\.0\.1:\d+$/);
      expect(running.lines.filter(({ message }) => message === 'stopped')[0]!.step).toBe('web');
      expect(
        running.stepLines.filter(({ step }) => step === 'web').map(({ stepState, message }) => [stepState, message]),
      ).toEqual([['running', 'service web begins'], ['succeeded', 'service web ends with the run']]);
    },
  );

  it.each([
    ['ends before', { ...script('echo broken >&2; exit 4'), health: { ...SOON, tcp: true } }, {
      code: 'step_failed',
      exitCode: 4,
      message: 'the service web is not ready: it exited with code 4',
    }],
    ['accepts no connection', { ...script('sleep 100'), port: 1, health: { ...SOON, tcp: true, retries: 1 } }, {
      code: 'step_failed',
      message: 'the service web is not ready: it accepts no connection on 127.0.0.1:1 (checked 2 times)',
    }],
    ['fails its command', { ...script('sleep 100'), health: { ...SOON, ...script('echo why; exit 2'), retries: 0 } }, {
      code: 'step_failed',
      message: 'the service web is not ready: its check exited with code 2: why (checked 1 time)',
    }],
    ['never answers its command', {
      ...script('sleep 100'),
      health: { ...SOON, ...script('sleep 100'), timeoutMs: 50n, retries: 0 },
    }, {
      code: 'step_failed',
      message: 'the service web is not ready: its check did not end within 0.05 s (checked 1 time)',
    }],
    ['is only an image', { image: 'postgres:18' }, {
      code: 'spawn_failed',
      message: "the service web can't start: it is what an image starts, and the sandbox of this ship is none",
    }],
    ['has no program', { argv: ['no-such-program'] }, {
      code: 'spawn_failed',
      message: "the service web can't start: there is no program no-such-program",
    }],
  ])('that are not ready fail the run: one that %s', async (_, service, error) => {
    const running = run([{ name: 'web', ...service }], ['echo never', { ...script('echo cleanup'), always: true }]);
    expect(await end(running)).toMatchObject({ outcome: 'FAILED', error: { step: 'web', ...error } });
    expect(running.text('stdout')).toEqual(['cleanup']);
  });

  it('are not ready while their port answers with an error', async () => {
    const answering = createServer((request, response) => {
      response.statusCode = request.url === '/moved' ? 302 : 503;
      response.end();
    }).listen(0, '127.0.0.1');
    cleanups.push(() => answering.close());
    await once(answering, 'listening');
    const { port } = answering.address() as AddressInfo;
    const withPath = (http: string): Running =>
      run([{ name: 'web', ...script('sleep 100'), port, health: { ...SOON, http, retries: 1 } }], ['echo up']);
    expect(await end(withPath('/no'))).toMatchObject({
      error: {
        code: 'step_failed',
        step: 'web',
        message: `the service web is not ready: http://127.0.0.1:${port}/no answers 503 (checked 2 times)`,
      },
    });
    expect(await end(withPath('/moved'))).toMatchObject({ outcome: 'SUCCEEDED' });
  });

  it('that end before the steps do are a warning, and the steps go on', async () => {
    const on = bench();
    const running = run([{ name: 'web', ...script('while [ ! -e file ]; do sleep 0.01; done; exit 4') }], [
      'touch file; while [ ! -e seen ]; do sleep 0.01; done; echo on',
    ], on);
    await running.saw('before the end of the run');
    writeFileSync(join(on.workDir, `${running.assignment.ref!.runId}.1`, 'src', 'seen'), '');
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.lines).toContainEqual(expect.objectContaining({
      level: 'warn',
      step: 'web',
      message: 'the service web exited with code 4 before the end of the run',
    }));
    expect(running.text('stdout')).toEqual(['on']);
  });

  it('find each other, have variables of the run, and are stopped while they are not ready yet', async () => {
    const running = run([{
      name: 'one-db',
      ...script(
        'echo "$QUIRE_SERVICE_ONE_DB_PORT $QUIRE_SERVICE_TWO_HOST $QUIRE_SERVICE_TWO_PORT $OWN $OWN_TOKEN $KEY"; sleep 100',
      ),
      port: 4711,
      env: { OWN: 'own', OWN_TOKEN: 'another-secret' },
      health: { ...SOON, ...script('false'), retries: 10_000 },
    }, { name: 'two', ...script('sleep 100') }], ['echo never'], bench(), {}, { secrets: { KEY: 'a-secret-value' } });
    await running.saw('4711');
    running.stop();
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text('stdout').join()).toMatch(/^4711 127\.0\.0\.1 \d+ own \*\*\* \*\*\*$/);
  });

  it('show no part of a secret of which the output of a check has only the end', async () => {
    const health = { ...SOON, ...script('printf "%s" "$KEY"; printf "%0295d" 0; exit 1'), retries: 0 };
    const { error } = await end(run([{ name: 'web', ...script('sleep 100'), health }], ['true'], bench(), {}, {
      secrets: { KEY: 'beginning-and-ending' },
    }));
    expect(error!.message).toMatch(/its check exited with code 1: \**0{295} \(checked 1 time\)$/);
  });

  it('say in the log that steps do not use their images where the sandbox is no container', async () => {
    const running = run([], ['true', { ...script('true'), image: 'deno:2' }], bench(), { image: 'node:24' });
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.text()).toEqual([
      'the sandbox of this ship is none, so steps do not use the images node:24, deno:2',
    ]);
  });
});

const postgres = findProgram('postgres', process.env['PATH'] ?? '', '/');
const initdb = findProgram('initdb', process.env['PATH'] ?? '', '/');
const root = process.getuid?.() === 0;
const hasNamespaces = root && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;

describe.skipIf(postgres === undefined || initdb === undefined || !root).each(
  [['none', true], ['namespaces', hasNamespaces]] as const,
)('PostgreSQL as a service in the sandbox %s', (sandbox, isThere) => {
  it.skipIf(!isThere)('accepts connections of the steps, and ends with them', async () => {
    const on = bench({ sandbox, runAs: 'separate', open: true, env: { PATH: process.env['PATH'] } });
    // The answer to a request for SSL, which is N here. The sandbox may not see Node.
    const connects = `bash -c 'exec 3<>"/dev/tcp/$QUIRE_SERVICE_DB_HOST/$QUIRE_SERVICE_DB_PORT"
      printf "\\0\\0\\0\\10\\4\\322\\26\\57" >&3; echo "SSL: $(head -c1 <&3)"'`;
    const running = run([{
      name: 'db',
      ...script(
        'initdb -D "$TMPDIR/db" -U test -A trust >/dev/null; exec postgres -D "$TMPDIR/db" -h ' +
          '"$QUIRE_SERVICE_DB_HOST" -p "$QUIRE_SERVICE_DB_PORT" -k "$TMPDIR"',
      ),
      health: { ...SOON, intervalMs: 100n, retries: 250, tcp: true },
    }], [{ ...script(connects), needs: { names: [] } }, { ...script(connects), needs: { names: [] } }, connects], on);
    const { outcome, error } = await end(running);
    expect([outcome, error], running.text().join('\n')).toEqual(['SUCCEEDED', undefined]);
    expect(running.text('stdout').filter((line) => line.startsWith('SSL'))).toEqual(['SSL: N', 'SSL: N', 'SSL: N']);
    expect(running.text('stderr').join('\n')).toContain('database system is shut down');
    expect(on.left()).toEqual([]);
  });
});

/** An engine that keeps a record of its calls, and runs containers as processes of this machine. */
function fakeEngine(): { readonly path: string; calls(): string[] } {
  const folder = newFolder();
  const [program, record] = [join(folder, 'docker'), join(folder, 'calls')];
  writeFileSync(program, `#!/bin/sh
echo "$*" >> ${record}
case "$1 $2" in
  "info ") ;;
  "network create") [ ! -e ${folder}/refuse ] || { echo "pool exhausted" >&2; exit 1; }; touch ${folder}/network ;;
  "network rm") rm ${folder}/network ;;
  "network ls") ls ${folder} | grep -x network || true ;;
  "ps --all") echo c1; echo c2 ;;
  "inspect --format") shift 3; [ -e ${folder}/up-$1 ] && echo "true 127.0.0.1" || { echo "no container" >&2; exit 1; } ;;
  "exec "*) shift 2; exec "$@" ;;
  "run "*)
    while [ "$1" != --name ]; do shift; done; name=$2; touch ${folder}/up-$name
    while [ "$1" != --entrypoint ]; do shift; [ $# -gt 1 ] || exec sleep 100; done
    entry=$2; shift 3; exec "$entry" "$@" ;;
esac
`);
  chmodSync(program, 0o755);
  return {
    path: `${folder}:${process.env['PATH']}`,
    calls: () => (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []),
  };
}

describe('services in containers', () => {
  it('share a private network with the steps, each with its own image, and it is removed', async () => {
    const engine = fakeEngine();
    const on = bench({ sandbox: 'container', env: { PATH: engine.path } });
    const running = run([{ name: 'db', image: 'postgres:18', port: 5432, health: { ...SOON, ...script('echo check') } },
      { name: 'api', ...script('sleep 100') }], [
      { ...script('echo "$QUIRE_SERVICE_DB_HOST:$QUIRE_SERVICE_DB_PORT $QUIRE_SERVICE_API_PORT"'), image: 'deno:2' },
      'echo two',
    ], on, { image: 'node:24' });
    expect(await end(running), running.text().join('\n')).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.text('stdout')).toEqual(['db:5432 20001', 'two']);
    const { runId } = running.assignment.ref!;
    const calls = engine.calls();
    const network = `quire-${runId}-1-7-network`;
    const label = `--label quire.attempt=${runId}.1`;
    expect(calls.filter((call) => call.startsWith('network'))).toEqual([`network create ${label} ${network}`,
      `network rm ${network}`]);
    const [db, api, one, two] = ['service-0', 'service-1', '0', '1'].map((unit) =>
      calls.find((call) => call.startsWith(`run --rm --init --name quire-${runId}-1-7-${unit} `))!
    );
    for (const call of [db, api, one, two]) expect(call).toContain(` ${label} --network ${network} `);
    expect(db).toContain('--network-alias db ');
    // Without a command it is what its image starts, as the user of the run.
    expect(db).toMatch(/ --env QUIRE_SERVICE_API_PORT postgres:18$/);
    expect(api).toMatch(/--network-alias api .* --entrypoint \/bin\/sh node:24 -eu -c sleep 100$/);
    expect(one).toMatch(/ --entrypoint \/bin\/sh deno:2 -eu /);
    expect(two).toMatch(/ --entrypoint \/bin\/sh node:24 -eu /);
    expect([one, two].join()).not.toContain('alias');
    expect(calls).toContain(`exec quire-${runId}-1-7-service-0 /bin/sh -eu -c echo check`);
    expect(calls.indexOf(`rm --force quire-${runId}-1-7-service-0`)).toBeLessThan(
      calls.indexOf(`network rm ${network}`),
    );
  });

  it('whose network cannot be created are a failure of the ship', async () => {
    const engine = fakeEngine();
    writeFileSync(join(engine.path.split(':')[0]!, 'refuse'), '');
    const on = bench({ sandbox: 'container', env: { PATH: engine.path } });
    expect(await end(run([{ name: 'db', image: 'a' }], ['true'], on, { image: 'b' }))).toMatchObject({
      outcome: 'SHIP_ERROR',
      error: { code: 'ship_error', message: 'the network of the services cannot be created: pool exhausted' },
    });
  });

  it('that a dead ship has left are removed by the next one, with their network', async () => {
    const engine = fakeEngine();
    writeFileSync(join(engine.path.split(':')[0]!, 'network'), '');
    const { workDir } = bench();
    const left = join(workDir, `${'d'.repeat(32)}.2`);
    mkdirSync(join(left, 'src'), { recursive: true });
    writeFileSync(join(left, '.owner'), '1 0');
    mkdirSync(`${left}.etc`);
    writeFileSync(join(`${left}.etc`, 'engine'), '');
    await bench({ workDir, env: { PATH: engine.path } }).executor.ready;
    const label = `label=quire.attempt=${'d'.repeat(32)}.2`;
    expect(engine.calls()).toEqual([`ps --all --quiet --filter ${label}`, 'rm --force c1 c2',
      `network ls --quiet --filter ${label}`, 'network rm network']);
    expect(readdirSync(workDir)).toEqual([]);
  });

  it('and steps need an image', async () => {
    const engine = fakeEngine();
    const on = bench({ sandbox: 'container', env: { PATH: engine.path } });
    expect(await end(run([{ name: 'db', ...script('x') }], [{ ...script('true'), image: 'a' }], on))).toMatchObject({
      error: {
        code: 'spawn_failed',
        step: 'db',
        message: "the service db can't start: the sandbox container needs an image, and none is named",
      },
    });
  });
});
