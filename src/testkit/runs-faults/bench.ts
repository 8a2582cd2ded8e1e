import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinShip } from '../../app/ship/join-ship.ts';
import { OWN_USER } from '../runs-executor.ts';
import { TcpProxy } from '../ship/tcp-proxy.ts';
import { FaultsClient, TOKEN } from './client.ts';
import { Program, type ProgramOptions } from './program.ts';

/** Settings of the queue; everything except the lease is short. */
export const leases = (ttl: string): string =>
  `queue: {lease_ttl: ${ttl}, heartbeat: 300ms, cancel_grace: 600ms, backoff: {initial: 50ms, max: 100ms}}`;

/** A lease that does not expire while a server restarts, however busy the machine is. */
export const LONG_LEASES = leases('60s');

/** A lease of some seconds, of which two are left for delays on a busy machine. */
export const QUICK = leases('8s');

export interface BenchOptions {
  /** YAML: pipelines, projects and other differences. */
  yaml(folder: string): string;
  /** Steps are not isolated, neither here nor on ships, because the test observes their effects from outside. */
  readonly local?: boolean;
  /** `runtime.shutdown_grace`. */
  readonly grace?: string;
  /** `runtime.git_url_template`: repositories at file:/// of this address, which ships may fetch then. */
  readonly repositories?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `node_id`; `test` unless given. */
  readonly name?: string;
}

/** A ship as a process, behind its own network, which can be cut. */
export interface ShipProgram {
  readonly name: string;
  readonly id: string;
  readonly folder: string;
  readonly proxy: TcpProxy;
  program: Program;
  /** Starts a new process of it, which is connected. */
  restart(options?: ProgramOptions): Promise<void>;
}

/**
 * The run-queue service as a process, ships as processes, and TCP proxies between them, through which each ship reaches
 * a server that was restarted on other ports.
 */
export class FaultBench extends FaultsClient {
  readonly folder: string;
  readonly ships: ShipProgram[] = [];
  /** HTTP, through a network that can be cut; the address stays the same over restarts. */
  #http: TcpProxy | undefined;
  #server: Program | undefined;
  #url = '';
  #fleet: { readonly port: number; readonly enrol: string } | undefined;
  readonly #options: BenchOptions;
  readonly #programs: Program[] = [];

  constructor(options: BenchOptions) {
    super();
    this.folder = mkdtempSync(join(tmpdir(), 'quire-faults-'));
    this.#options = options;
    const { local = false, grace = '2s', name = 'test', repositories } = options;
    const template = repositories === undefined ? '' : `, git_url_template: '${repositories}'`;
    const protocols = repositories === undefined ? '' : ', git_protocols: [file]';
    writeFileSync(this.file, `# A comment that stays.
version: 1
listen: 127.0.0.1:0
data_dir: ${join(this.folder, 'server')}
node_id: ${name}
runtime: {api_token_env: RUNS_API_TOKEN, shutdown_grace: ${grace}${template}}
local: {enabled: ${local}, capacity: 4, sandbox: none, run_as: ${OWN_USER}${protocols}}
fleet: {enabled: ${!local}, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1}
${options.yaml(this.folder)}`);
  }

  /** The configuration of the server. */
  get file(): string {
    return join(this.folder, 'runs.yaml');
  }

  /** Touches the configuration file without changing the configuration, which makes the server check its schedules. */
  touch(): void {
    appendFileSync(this.file, '# touched\n');
  }

  get server(): Program {
    return this.#server!;
  }

  /** Address of the server itself, without a proxy. */
  get url(): string {
    return this.#url;
  }

  /** Address through the proxy. */
  get stableUrl(): string {
    return `http://127.0.0.1:${this.http.port}`;
  }

  get http(): TcpProxy {
    return this.#http!;
  }

  /** Address at which ships connect to the server itself. */
  get fleetPort(): number {
    return this.#fleet!.port;
  }

  get enrol(): string {
    return this.#fleet!.enrol;
  }

  /** Runs `quire ...`, which ends with the bench at the latest. */
  start(args: readonly string[], options: ProgramOptions = {}): Program {
    const program = new Program(args, options);
    this.#programs.push(program);
    return program;
  }

  /** Starts the server, or another process of it over the same data. */
  async serve({ env, ...options }: ProgramOptions = {}): Promise<void> {
    const server = this.start(['runs', '--config', this.file], {
      env: { RUNS_API_TOKEN: TOKEN, ...this.#options.env, ...env },
      ...options,
    });
    this.#server = server;
    this.#url = (await server.wrote(/service listening on (http:\S+)/))[1]!;
    await server.wrote('try next:');
    const target = { host: '127.0.0.1', port: Number(new URL(this.#url).port) };
    this.#http ??= await TcpProxy.start(target);
    this.#http.target = target;
    const fleet = /connect to \S+:(\d+), join at (\S+)/.exec(server.output);
    if (fleet === null) return;
    this.#fleet = { port: Number(fleet[1]), enrol: fleet[2]! };
    for (const { proxy } of this.ships) proxy.target = { host: '127.0.0.1', port: this.#fleet.port };
  }

  /** Kills the server with SIGKILL, and all connections to it. */
  async killServer(): Promise<void> {
    await this.server.signal('SIGKILL').ended;
  }

  /** A ship that has joined and is connected. */
  async ship(name: string, labels: readonly string[] = [], options: ProgramOptions = {}): Promise<ShipProgram> {
    const folder = join(this.folder, name);
    const identity = await joinShip({
      server: this.enrol,
      name,
      token: await this.makeToken(name, labels),
      capacity: 4,
      dataDir: folder,
    }, {});
    const proxy = await TcpProxy.start({ host: '127.0.0.1', port: this.#fleet!.port });
    writeFileSync(join(folder, 'identity.json'),
      JSON.stringify({ ...identity, fleetAddress: `127.0.0.1:${proxy.port}` }));
    const start = async (given: ProgramOptions): Promise<Program> => {
      const program = this.start(['ship', 'run', '--data-dir', folder, '--sandbox', 'none', '--run-as', OWN_USER,
        ...(this.#options.repositories === undefined ? [] : ['--git-protocols', 'file'])], given);
      await program.wrote('connected');
      return program;
    };
    const ship: ShipProgram = {
      name,
      id: identity.shipId,
      folder,
      proxy,
      program: await start(options),
      restart: async (given = options) => void (ship.program = await start(given)),
    };
    this.ships.push(ship);
    return ship;
  }

  /** Ends everything that it has started, and everything that is left of it. */
  async close(): Promise<void> {
    for (const { proxy } of this.ships) proxy.heal();
    await Promise.all(this.#programs.map((program) => program.signal('SIGKILL').ended));
    this.submitted.flatMap((id) => this.stepsOf(id)).forEach(killQuietly);
    for (const { proxy } of this.ships) await proxy.close();
    await this.#http?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
