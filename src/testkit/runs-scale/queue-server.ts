import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { bareEnvironment } from '../bare-environment.ts';
import { ROOT, START } from '../docs-process.ts';

const TOKEN = 'a-token-of-many-characters';

/** Splits host:port into a pair. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface QueueServerOptions {
  /** Projects, pipelines, the queue. */
  readonly yaml: string;
  /** Number of runs that it executes itself at once; 0 for a server with a fleet. */
  readonly local?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The run-queue service as a process, which can be killed and restarted over the same data. */
export class QueueServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'quire-scale-'));
  readonly #options: QueueServerOptions;
  #process: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;
  #url = '';
  #fleet: Place | undefined;
  #enrol: Place | undefined;

  constructor(options: QueueServerOptions) {
    this.#options = options;
    const { yaml, local = 0 } = options;
    writeFileSync(this.#config, `version: 1
listen: 127.0.0.1:0
data_dir: ${join(this.folder, 'data')}
node_id: test
runtime: {api_token_env: RUNS_API_TOKEN, shutdown_grace: 2s}
local: {enabled: ${local > 0}, capacity: ${Math.max(1, local)}}
fleet: {enabled: ${local === 0}, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1}
${yaml}`);
  }

  get #config(): string {
    return join(this.folder, 'runs.yaml');
  }

  get database(): string {
    return join(this.folder, 'data', 'runs.db');
  }

  /** Address at which ships connect; a different one after each start. */
  get fleet(): Place {
    return this.#fleet!;
  }

  /** Address at which ships join. */
  get enrol(): Place {
    return this.#enrol!;
  }

  get url(): string {
    return this.#url;
  }

  /** Peak memory of its process so far, in bytes. */
  peakMemory(): number {
    const status = readFileSync(`/proc/${this.#process!.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024;
  }

  async start(): Promise<void> {
    const { local = 0, env } = this.#options;
    const child = spawn(process.execPath, [...START, 'runs', '--config', this.#config], {
      cwd: ROOT,
      env: { ...bareEnvironment(), RUNS_API_TOKEN: TOKEN, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = { child, ended: once(child, 'close') };
    const wrote = reading(child);
    this.#url = (await wrote(/service listening on (http:\S+)/))[1]!;
    await wrote(/try next:/);
    if (local > 0) return;
    const [, fleet, enrol] = await wrote(/connect to (\S+), join at (\S+)/);
    this.#fleet = placeOf(fleet!);
    this.#enrol = placeOf(enrol!);
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it gracefully. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Kills it and removes its data; safe at any time. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Calls the API; returns the contents of `data`. */
  async api<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
    return (await this.#call<{ data: T }>(method, path, body, key)).data;
  }

  page<T>(path: string): Promise<{ data: T[]; next_cursor: string | null }> {
    return this.#call('GET', path);
  }

  /** Queues a run, repeatedly with the same key until it is acknowledged, because the server may be down. */
  async submit(body: object): Promise<Run> {
    const key = crypto.randomUUID();
    for (;;) {
      try {
        return await this.api<Run>('POST', '/runs', body, key);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #call<T>(method: string, path: string, body?: object, key: string = crypto.randomUUID()): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'idempotency-key': key,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json() as T;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#process?.child.kill(signal);
    await this.#process?.ended;
  }

  async makeToken(name: string): Promise<string> {
    return (await this.api<{ token: string }>('POST', '/ships/tokens', { name, labels: [] })).token;
  }
}

function placeOf(address: string): Place {
  const [host, port] = address.split(':');
  return { host: host!, port: Number(port) };
}

/** Waits for output of a process; rejects with all of its output if it ends before. */
function reading(child: ChildProcess): (pattern: RegExp) => Promise<RegExpExecArray> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return (pattern) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(output);
        if (match !== null) resolve(match);
      };
      child.stdout!.on('data', look);
      child.once('close', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
      look();
    });
}
