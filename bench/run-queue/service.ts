import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { memoryOf, ROOT } from '../support/server.ts';

const TOKEN = 'a-token-of-many-characters';
const PROJECTS = 20;
const PIPELINES = 15;

/** The run-queue service as a separate process, with a fleet. */
export interface QueueService {
  /** Address at which ships join. */
  readonly enrol: string;
  post<T>(path: string, body: object): Promise<T>;
  /** Queues the n-th run; projects and pipelines take turns, which results in 300 lanes. */
  submit(n: number): Promise<{ readonly id: string }>;
  /** Of its process: processor time so far, in seconds, and bytes of memory. */
  usage(): { readonly cpu: number; readonly memory: number };
  stop(): Promise<void>;
}

export async function startQueueService(folder: string): Promise<QueueService> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'runs.yaml');
  writeFileSync(config, yaml(folder));
  const child = spawn(process.execPath, [join(ROOT, 'src/app/main.ts'), 'runs', '--config', config], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], RUNS_API_TOKEN: TOKEN },
  });
  const { url, enrol } = await addressesOf(child);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const post = <T>(path: string, body: object): Promise<T> => send(agent, `${url}/api/v1${path}`, body);
  return {
    enrol,
    post,
    submit: (n) =>
      post('/runs', {
        project_id: `p${n % PROJECTS}`,
        kind: 'pipeline',
        task: `t${n % PIPELINES}`,
        input: { ref: 'main' },
      }),
    usage: () => ({ cpu: processorSeconds(child.pid!), memory: memoryOf(child.pid!).now }),
    async stop() {
      agent.destroy();
      child.kill();
      await once(child, 'exit');
    },
  };
}

function yaml(folder: string): string {
  const projects = Array.from({ length: PROJECTS }, (_, n) => `  - {id: p${n}, repository: org/p${n}}`);
  const pipelines = Array.from({ length: PIPELINES },
    (_, n) => `  - {name: t${n}, steps: [{name: only, run: 'true'}]}`);
  return `version: 1
listen: 127.0.0.1:0
data_dir: ${join(folder, 'data')}
runtime: {api_token_env: RUNS_API_TOKEN, shutdown_grace: 2s}
local: {enabled: false}
fleet: {enabled: true, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1}
projects:
${projects.join('\n')}
pipelines:
${pipelines.join('\n')}
`;
}

function addressesOf(child: ChildProcess): Promise<{ url: string; enrol: string }> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /service listening on (http:\S+)[^]*join at (\S+)/.exec(output);
      if (found !== null) resolve({ url: found[1]!, enrol: found[2]! });
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
}

function send<T>(agent: Agent, url: string, body: object): Promise<T> {
  const bytes = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(bytes),
    'idempotency-key': crypto.randomUUID(),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (incoming.statusCode! > 299) reject(new Error(`${url} answered ${incoming.statusCode}: ${text}`));
        else resolve((JSON.parse(text) as { data: T }).data);
      });
    });
    outgoing.on('error', reject).end(bytes);
  });
}

/** User and kernel time; the kernel counts in hundredths of a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
