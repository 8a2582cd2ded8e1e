import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FakeForge } from '../../runs/forge/api/test-fixture.ts';
import { Origin } from '../git-origin.ts';

/** Key of the webhooks, and token of the API. */
export const HOOK_KEY = 'the-key-of-webhooks';
export const API_TOKEN = 'the-token-of-the-api';
const REPOSITORY = 'org/app';

/** A push that the service has been told of. */
export interface Push {
  readonly id: string;
  readonly branch: string;
  /** The commit of the branch before it; zeros for none. */
  readonly before: string;
  readonly commit: string;
  readonly title: string;
}

/**
 * A forge as docs.gitea.com describes Gitea ("Webhooks", and `repoCreateStatus` of the API), with a repository of one
 * pipeline. It sends each push until somebody answers that it has been received, and remembers the statuses of commits
 * in their order.
 */
export class PushingForge {
  /** By commit. */
  readonly shown = new Map<string, { readonly context: string; readonly state: string }[]>();
  readonly #folder = mkdtempSync(join(tmpdir(), 'quire-pushing-'));
  readonly #last = new Map<string, string>();
  readonly #fake: FakeForge;
  #pushes = 0;
  #isOver = false;

  /** `pipeline`: YAML of `.quire/test.yaml`. */
  constructor(pipeline: string) {
    const origin = new Origin();
    mkdirSync(join(origin.path, '.quire'));
    origin.commit(pipeline, '.quire/test.yaml');
    execFileSync('git', ['clone', '--quiet', '--bare', origin.path, this.#repository]);
    origin.remove();
    this.#fake = new FakeForge(new Proxy({}, { get: (_, line: string) => this.#answer(line) }));
  }

  async start(): Promise<this> {
    await this.#fake.start();
    return this;
  }

  get url(): string {
    return this.#fake.url;
  }

  /** Repositories of the forge, as `runtime.git_url_template`. */
  get repositories(): string {
    return `file://${this.#folder}/{repository}.git`;
  }

  /** Sends nothing any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Commits to a branch, and tells the service of it. */
  async push(branch: string, title: string, service: () => string): Promise<Push> {
    const last = this.#last.get(branch);
    const parent = last ?? 'main';
    const id = `delivery-${this.#pushes++}`;
    // The id makes commits of one second different.
    const commit = this.#git('commit-tree', '-p', parent, '-m', `${title}\n\n${id}`, `${parent}^{tree}`);
    this.#git('update-ref', `refs/heads/${branch}`, commit);
    this.#last.set(branch, commit);
    const push = { id, branch, before: last ?? '0'.repeat(40), commit, title };
    await this.send(push, service);
    return push;
  }

  /** Sends a push, also one that was sent before, until it is answered with 2xx. */
  async send({ id, branch, before, commit, title }: Push, service: () => string): Promise<void> {
    const body = JSON.stringify({
      ref: `refs/heads/${branch}`,
      before,
      after: commit,
      head_commit: { message: title },
      repository: { full_name: REPOSITORY },
      sender: { login: 'ada' },
    });
    const headers = {
      'Content-Type': 'application/json',
      'X-Gitea-Event': 'push',
      'X-Gitea-Delivery': id,
      'X-Gitea-Signature': createHmac('sha256', HOOK_KEY).update(body).digest('hex'),
    };
    while (!this.#isOver) {
      const isReceived = await fetch(`${service()}/api/v1/webhooks/gitea`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(10_000),
      }).then(({ ok }) => ok, () => false);
      if (isReceived) return;
      await setTimeout(100);
    }
  }

  get #repository(): string {
    return join(this.#folder, `${REPOSITORY}.git`);
  }

  #git(...args: string[]): string {
    return execFileSync('git', ['-C', this.#repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args],
      { encoding: 'utf8' }).trim();
  }

  #answer(line: string) {
    const commit = /^POST \/api\/v1\/repos\/org\/app\/statuses\/([0-9a-f]{40})$/.exec(line)?.[1];
    if (commit === undefined) return undefined;
    return ({ body }: { body: Record<string, unknown> }) => {
      const status = { context: String(body['context']), state: String(body['state']) };
      this.shown.set(commit, [...this.shown.get(commit) ?? [], status]);
      return { status: 201, json: { id: 1 } };
    };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#fake.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
