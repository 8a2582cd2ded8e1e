import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { ForgeDelivery, Run } from '../../../generated/runs/sdk/types.gen.ts';
import { Origin } from '../../testkit/git-origin.ts';
import type { Answer } from '../../testkit/http-client.ts';
import { RunsApi } from '../../testkit/runs-api.ts';

export const KEY = 'the-key-of-webhooks';
export const SECRETS = { HOOK: KEY, DEPLOY: 'deploy-secret', TEST: 'test-secret' };

export const sign = (body: string, key = KEY): string => createHmac('sha256', key).update(body).digest('hex');

/** A repository, its project, and the API of runs with the forges `bare` (git) and `tea` (gitea). */
export class ForgeBench {
  readonly origin = new Origin();
  readonly dataDir = mkdtempSync(join(tmpdir(), 'quire-forge-'));
  api!: RunsApi;

  static async start(project = '', pipelines = '[]', path?: string): Promise<ForgeBench> {
    const bench = new ForgeBench();
    bench.api = await RunsApi.start({
      config: bench.config(project, pipelines),
      secrets: SECRETS,
      ...(path && { path }),
    });
    bench.api.forge.start();
    return bench;
  }

  /** `project`: further keys of the project `alpha`. */
  config(project = '', pipelines = '[]'): string {
    return `
data_dir: ${this.dataDir}
local: {git_protocols: [file]}
secrets: [{name: HOOK, env: HOOK}, {name: DEPLOY, env: DEPLOY}, {name: TEST, env: TEST}]
forges:
  - {name: bare, kind: git, webhook_secret: HOOK}
  - {name: tea, kind: gitea, url: 'https://tea.example.org', webhook_secret: HOOK}
projects:
  - {id: alpha, repository: '${this.origin.url}', forge: tea${project === '' ? '' : `, ${project}`}}
  - {id: bare, repository: '${this.origin.url}', forge: bare${project === '' ? '' : `, ${project}`}}
pipelines: ${pipelines}
`;
  }

  /** The payload of a push in Gitea's form. */
  push(after: string, before = '0'.repeat(40), fields: object = {}): object {
    return {
      ref: 'refs/heads/main',
      before,
      after,
      ...this.repository,
      head_commit: { message: 'Fix it\n\nbody' },
      ...fields,
    };
  }

  get repository(): object {
    return {
      repository: { full_name: 'org/alpha', clone_url: this.origin.url, html_url: 'https://tea.example.org/org/alpha' },
      sender: { login: 'ada' },
    };
  }

  /** The payload of a pull request; `from`: the repository that its branch is in. */
  pullRequest(sha: string, from = 'stranger/alpha', fields: object = {}): object {
    return {
      action: 'opened',
      number: 7,
      ...this.repository,
      pull_request: {
        number: 7,
        title: 'Improve',
        html_url: 'https://tea.example.org/org/alpha/pulls/7',
        head: { ref: 'main', sha, repo: { full_name: from } },
        base: { ref: 'main', repo: { full_name: 'org/alpha' } },
        labels: [{ name: 'ready' }],
      },
      ...fields,
    };
  }

  send(event: string, payload: object, id: string, headers: Record<string, string> = {}): Promise<Answer> {
    const body = JSON.stringify(payload);
    return this.api.send('POST', '/webhooks/gitea', {
      body,
      headers: {
        'Authorization': '',
        'X-Gitea-Event': event,
        'X-Gitea-Delivery': id,
        'X-Gitea-Signature': sign(body),
        ...headers,
      },
    });
  }

  /** Sends an event, and waits until it is processed. */
  async deliver(event: string, payload: object, id: string): Promise<ForgeDelivery> {
    const answer = await this.send(event, payload, id);
    if (answer.status >= 300) throw new Error(answer.text);
    return this.settled(answer.json<{ data: ForgeDelivery }>().data.id);
  }

  async delivery(id: string): Promise<ForgeDelivery> {
    return (await this.api.send('GET', `/webhooks/deliveries/${id}`)).json<{ data: ForgeDelivery }>().data;
  }

  settled(id: string): Promise<ForgeDelivery> {
    return vi.waitFor(async () => {
      const found = await this.delivery(id);
      if (found.state === 'pending') throw new Error(`pending: ${found.reason}`);
      return found;
    }, { timeout: 20_000, interval: 20 });
  }

  async run(id: string): Promise<Run> {
    return (await this.api.send('GET', `/runs/${id}`)).json<{ data: Run }>().data;
  }

  async runs(): Promise<Run[]> {
    return (await this.api.send('GET', '/runs')).json<{ data: Run[] }>().data;
  }

  async stop(): Promise<void> {
    await this.api.stop();
    this.origin.remove();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
