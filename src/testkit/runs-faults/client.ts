import type { LogEvent, Run, Ship } from '../../../generated/runs/sdk/types.gen.ts';
import { eventually } from './eventually.ts';
import { livingSteps } from './steps.ts';

export const TOKEN = 'a-token-of-many-characters';

export interface Answer<T> {
  readonly status: number;
  readonly body: { readonly data: T; readonly error?: { readonly code: string } } & Record<string, unknown>;
}

/** The API of the service, as used by tests of faults. */
export abstract class FaultsClient {
  /** Runs that it has queued. */
  protected readonly submitted: string[] = [];

  /** Address of the current service. */
  abstract get url(): string;

  async makeToken(name: string, labels: readonly string[] = []): Promise<string> {
    return (await this.data<{ token: string }>('POST', '/ships/tokens', { name, labels })).token;
  }

  /** Calls the API and returns the response, whatever it is. */
  async call<T>(method: string, path: string, body?: object, key: string = crypto.randomUUID()): Promise<Answer<T>> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      signal: AbortSignal.timeout(30_000),
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'idempotency-key': key,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() as Answer<T>['body'] };
  }

  /** Returns the contents of `data`; throws for an error. */
  async data<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.call<T>(method, path, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  /** The text of a file that the API returns. */
  async download(path: string): Promise<string> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      signal: AbortSignal.timeout(30_000),
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    return response.text();
  }

  async submit(project: string, task: string, input?: string): Promise<string> {
    const { id } = await this.data<Run>('POST', '/runs', {
      project_id: project,
      kind: 'pipeline',
      task,
      ...(input !== undefined && { input }),
    });
    this.submitted.push(id);
    return id;
  }

  run(id: string): Promise<Run> {
    return this.data('GET', `/runs/${id}`);
  }

  /** All listed runs. */
  allRuns(): Promise<Run[]> {
    return this.allPages('/runs', 7);
  }

  /** The whole of a list, page by page. */
  async allPages<T>(path: string, limit: number): Promise<T[]> {
    const entries: T[] = [];
    for (let before = '';;) {
      const { body } = await this.call<T[]>('GET', `${path}?limit=${limit}${before}`);
      entries.push(...body.data);
      if (body['next_cursor'] === null) return entries;
      before = `&before=${String(body['next_cursor'])}`;
    }
  }

  listShips(): Promise<Ship[]> {
    return this.data('GET', '/ships');
  }

  /** Waits until the run matches; fails if it ends otherwise. */
  async when(id: string, what: string, fits: (run: Run) => boolean): Promise<Run> {
    const seen: string[] = [];
    return eventually(`run ${id}: ${what}`, async () => {
      const run = await this.run(id);
      const state = `${run.state} (attempt ${run.attempt})`;
      if (seen.at(-1) !== state) seen.push(state);
      if (fits(run)) return run;
      if (run.finished_at !== null)
        throw new Error(`${what}: the run went ${seen.join(', ')}: ${JSON.stringify(run.error)}`);
      return undefined;
    });
  }

  reached(id: string, ...states: readonly Run['state'][]): Promise<Run> {
    return this.when(id, states.join(' or '), ({ state }) => states.includes(state));
  }

  /** Waits until an attempt's log has a line; fails if the attempt ends without it. */
  async logged(id: string, message: string, attempt = 1): Promise<void> {
    await eventually(`run ${id}: the line ${message}`, async () => {
      const run = await this.run(id);
      if ((await this.log(id, attempt)).some((line) => line.message === message)) return true;
      if (run.attempt > attempt || run.finished_at !== null)
        throw new Error(
          `the run is ${run.state} (attempt ${run.attempt}) without the line ${message}: ${
            JSON.stringify(await this.log(id, attempt))
          }`,
        );
      return undefined;
    });
  }

  /** The whole log of an attempt. */
  async log(id: string, attempt = 1): Promise<LogEvent[]> {
    const events: LogEvent[] = [];
    for (;;) {
      const { status, body } = await this.call<LogEvent[]>('GET',
        `/runs/${id}/logs?attempt=${attempt}&offset=${events.length}`);
      if (status !== 200) throw new Error(`log of ${id}: ${status} ${JSON.stringify(body)}`);
      if (body['next_offset'] !== events.length + body.data.length)
        throw new Error(
          `log of ${id}: next_offset is ${String(body['next_offset'])} after ${events.length} + ${body.data.length}`,
        );
      events.push(...body.data);
      if (body.data.length === 0) return events;
    }
  }

  /** The output of the steps of an attempt. */
  async output(id: string, attempt = 1): Promise<string[]> {
    return (await this.log(id, attempt)).filter(({ stream }) => stream !== 'system').map(({ message }) => message);
  }

  /** Living processes of a run's steps, of one attempt or of all. */
  stepsOf(id: string, attempt?: number): number[] {
    return livingSteps([`QUIRE_RUN_ID=${id}`, ...(attempt === undefined ? [] : [`QUIRE_ATTEMPT=${attempt}`])]);
  }
}
