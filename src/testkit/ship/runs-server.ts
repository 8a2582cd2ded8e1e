import { setTimeout } from 'node:timers/promises';
import type { RunningRunQueueService } from '../../app/runs-service.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { OWN_USER } from '../runs-executor.ts';
import { API_TOKEN, serveRuns } from '../runs-server.ts';

export interface RunsServerOptions {
  /** Folder of its data; another server in the same folder continues with it. */
  readonly folder: string;
  /** YAML of pipelines, and other differences. */
  readonly yaml?: string;
  readonly local?: boolean;
  /**
   * How steps of the local ship are isolated; by default they are not, because tests observe their effects from
   * outside.
   */
  readonly fence?: string;
  readonly shipCertTtl?: string;
  readonly minShipVersion?: string;
  readonly log?: Log;
}

interface Run {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly error?: { readonly code: string };
}

/** The complete run-queue service on loopback, with a fleet. */
export class RunsServer {
  readonly service: RunningRunQueueService;

  private constructor(service: RunningRunQueueService) {
    this.service = service;
  }

  static async start(
    { folder, yaml = '', local = false, fence = `sandbox: none, run_as: ${OWN_USER}`, shipCertTtl = '720h',
      minShipVersion = '', log = silentLog }: RunsServerOptions,
  ): Promise<RunsServer> {
    const { service } = await serveRuns({
      folder,
      log,
      yaml: `
local: {enabled: ${local}, capacity: 2, ${fence}}
fleet: {enabled: ${!local}, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1, ship_cert_ttl: ${shipCertTtl}, min_ship_version: '${minShipVersion}'}
projects: [{id: alpha, repository: org/alpha}]
${yaml}`,
    });
    return new RunsServer(service);
  }

  /** Calls the API; returns the contents of `data`. */
  async api<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.service.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${API_TOKEN}`,
        'idempotency-key': crypto.randomUUID(),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json() as { data: T };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  async makeToken(name: string, labels: readonly string[] = []): Promise<string> {
    return (await this.api<{ token: string }>('POST', '/ships/tokens', { name, labels })).token;
  }

  async submit(task: string, input?: string): Promise<string> {
    return (await this.api<Run>('POST', '/runs', {
      project_id: 'alpha',
      kind: 'pipeline',
      task,
      ...(input !== undefined && { input }),
    })).id;
  }

  run(id: string): Promise<Run> {
    return this.api('GET', `/runs/${id}`);
  }

  /** Waits until a run is in one of these states. */
  async reached(id: string, ...states: readonly string[]): Promise<Run> {
    for (;;) {
      const run = await this.run(id);
      if (states.includes(run.state)) return run;
      if (['succeeded', 'failed', 'cancelled'].includes(run.state))
        throw new Error(`the run is ${run.state}: ${JSON.stringify(run)}`);
      await setTimeout(20);
    }
  }

  /** All log lines that the steps of a run wrote. */
  async output(id: string, attempt = 1): Promise<string[]> {
    const lines: string[] = [];
    for (let offset = 0;;) {
      const page = await this.api<{ stream: string; message: string }[]>('GET',
        `/runs/${id}/logs?attempt=${attempt}&offset=${offset}`);
      if (page.length === 0) return lines;
      offset += page.length;
      lines.push(...page.filter(({ stream }) => stream !== 'system').map(({ message }) => message));
    }
  }
}
