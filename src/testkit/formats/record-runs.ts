// `node src/testkit/formats/record-runs.ts` records what a run queue and one of its ships store when both are killed,
// for the test that every later version can open it. Run it when a migration has been added.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RUN_QUEUE_MIGRATIONS } from '../../storage/index.ts';
import { OWN_USER } from '../runs-executor.ts';
import { livingSteps } from '../runs-faults/steps.ts';
import { RecordedProgram } from './recorded-program.ts';
import { keepRecording } from './recording.ts';
import { API_TOKEN, keyOf, type RecordedRun, requestOf, RUNS, SHIP, storyConfig, UNUSED_TOKEN } from './runs-story.ts';

/** Folders of work and of clones, and files that only a running process needs. */
const LEFT_OUT = /^runs\.yaml$|^data\/(work|cache|spool)\/|^far\/(work|cache|spool)\/|(^|\/|\.)lock$|-shm$/;

const folder = await mkdtemp(join(tmpdir(), 'quire-format-'));
const config = join(folder, 'runs.yaml');
const data = join(folder, 'data');
const programs: RecordedProgram[] = [];

function start(...args: string[]): RecordedProgram {
  const program = new RecordedProgram(args, { RUNS_API_TOKEN: API_TOKEN });
  programs.push(program);
  return program;
}

/** The service, with the address of its API and the one at which ships join. */
async function serve(): Promise<{ service: RecordedProgram; url: string; enrol: string }> {
  await writeFile(config, storyConfig(data));
  const service = start('runs', '--config', config);
  const url = (await service.wrote(/service listening on (http:\S+)/))[1]!;
  const enrol = (await service.wrote(/join at (\S+)/))[1]!;
  await service.wrote(/try next:/);
  return { service, url: `${url}/api/v1`, enrol };
}

/** The API of the service: each function throws unless the response is a success. */
class Api {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send<T>(method: string, path: string, body?: object, key: string = crypto.randomUUID()): Promise<T> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { 'Authorization': `Bearer ${API_TOKEN}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: T }).data;
  }

  async until(what: string, look: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !await look(); tries++) {
      if (tries > 1000) throw new Error(`waited in vain: ${what}`);
      await setTimeout(50);
    }
  }

  async reaches(id: string, state: string): Promise<void> {
    await this.until(`${id} is ${state}`,
      async () => (await this.send<{ state: string }>('GET', `/runs/${id}`)).state === state);
  }

  async logs(id: string, line: string): Promise<void> {
    await this.until(`${id} logs ${line}`,
      async () =>
        (await this.send<{ message: string }[]>('GET', `/runs/${id}/logs`)).some(({ message }) => message === line));
  }
}

/**
 * Queues a run and brings it into the state that the recording shall have, except for a cancellation under way, which
 * comes last.
 */
async function play(api: Api, run: RecordedRun): Promise<string> {
  const { id } = await api.send<{ id: string }>('POST', '/runs', requestOf(run), keyOf(run));
  if (run.state === 'cancelled') await api.send('POST', `/runs/${id}/cancel`);
  if (run.line !== undefined) await api.logs(id, run.line);
  if (run.state !== 'cancelling') await api.reaches(id, run.state);
  return id;
}

async function record(): Promise<string[]> {
  const { service, url, enrol } = await serve();
  const api = new Api(url);
  const { token } = await api.send<{ token: string }>('POST', '/ships/tokens', {
    name: SHIP.name,
    labels: [SHIP.label],
  });
  await api.send('POST', '/ships/tokens', { name: UNUSED_TOKEN });
  await start('ship', 'join', '--server', enrol, '--name', SHIP.name, '--token', token, '--data-dir',
    join(folder, 'far')).succeeded();
  await api.send('POST', '/schedules/alpha/nightly/pause');
  const ids: string[] = [];
  let ship: RecordedProgram | undefined;
  for (const run of RUNS) {
    if (run.task === 'distant') {
      ship = start('ship', 'run', '--data-dir', join(folder, 'far'), '--sandbox', 'none', '--run-as', OWN_USER);
      await ship.wrote(/connected/);
    }
    ids.push(await play(api, run));
  }
  await start('runs', 'backup', join(folder, 'backup'), '--config', config).succeeded();
  await api.send('POST', `/runs/${ids.at(-1)!}/cancel`);
  await service.end('SIGKILL');
  await ship!.end('SIGKILL');
  return ids;
}

/** Steps that ignore signals outlive the processes that started them. */
function killSteps(ids: readonly string[]): void {
  for (const pid of ids.flatMap((id) => livingSteps([`QUIRE_RUN_ID=${id}`]))) process.kill(pid, 'SIGKILL');
}

try {
  killSteps(await record());
  const format = RUN_QUEUE_MIGRATIONS.length;
  console.log(`format ${format} recorded: ${await keepRecording('runs', format, folder, LEFT_OUT)} bytes`);
} finally {
  for (const program of programs) await program.end('SIGKILL');
  await rm(folder, { recursive: true });
}
