import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '../bare-environment.ts';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { MAIN, ROOT } from '../docs-process.ts';

const TOKEN = 'a-token-of-many-characters';

/** host:port as the pair that it is. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface QueueServerOptions {
  /** Projects, pipelines, the queue. */
  readonly yaml: string;
  /** Runs that it executes itself at once; 0 for a server with a fleet. */
  readonly local?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The run-queue service as a process; it can be killed and started again over the same data. */
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

  /** Where ships connect; another place after each start. */
  get fleet(): Place {
    return this.#fleet!;
  }

  /** Where ships join. */
  get enrol(): Place {
    return this.#enrol!;
  }

  get url(): string {
    return this.#url;
  }

  /** The most memory that its process has had so far, in bytes. */
  peakMemory(): number {
    const status = readFileSync(`/proc/${this.#process!.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024;
  }

  async start(): Promise<void> {
    const { local = 0, env } = this.#options;
    const child = spawn(process.execPath, [MAIN, 'runs', '--config', this.#config], { cwd: ROOT, env: { ...bareEnvironment(), RUNS_API_TOKEN: TOKEN, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
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

  /** Ends it in order. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Leaves nothing of it; safe at any time. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Calls the API; answers what is in `data`. */
  async api<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
    return (await this.#call<{ data: T }>(method, path, body, key)).data;
  }

  page<T>(path: string): Promise<{ data: T[]; next_cursor: string | null }> {
    return this.#call('GET', path);
  }

  /** Queues a run, again and again under one key until it is acknowledged: the server may be away. */
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
      headers: { authorization: `Bearer ${TOKEN}`, 'idempotency-key': key, ...(body && { 'content-type': 'application/json' }) },
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

/** Waits for what a process writes; rejects with all of it when it ends instead. */
function reading(child: ChildProcess): (pattern: RegExp) => Promise<RegExpExecArray> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return (pattern) => new Promise((resolve, reject) => {
    const look = (): void => {
      const match = pattern.exec(output);
      if (match !== null) resolve(match);
    };
    child.stdout!.on('data', look);
    child.once('close', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
    look();
  });
}
