import type { Operations } from '../../../generated/runs/operations.ts';
import type { Forge, ForgeOfProject, RunStatus } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Handlers } from '../../operations/index.ts';
import { mayAll } from '../auth/index.ts';
import type { ForgeConfig, ProjectConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { type ForgeApis, listDeliveries, presentDelivery, readPoll, type SecretReader } from '../forge/index.ts';
import type { Queue } from '../queue/port.ts';
import { requireRun } from '../runs/index.ts';
import { countPosts, type ForgeCounts, type Health, newestStatus, type PostProgress, postsOfRun,
  readHealth } from './post-rows.ts';
import { repositoryPath } from './repository-path.ts';

export interface StatusHandlerDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'config'>;
  readonly queue: Pick<Queue, 'get'>;
  readonly apis: ForgeApis;
  /** The current value of a secret; undefined if it is not set. */
  readonly secretValue: SecretReader;
}

export type StatusHandlers = Required<
  Pick<Handlers<Operations>, 'listForges' | 'getProjectForge' | 'listRunStatuses'>
>;

/** What clients learn of forges, and of what these show. */
export function createStatusHandlers(deps: StatusHandlerDeps): StatusHandlers {
  const { env: { sql, config }, queue } = deps;

  async function presentForges(forges: readonly ForgeConfig[]): Promise<Forge[]> {
    const [counts, health] = [await countPosts(sql), await readHealth(sql)];
    return Promise.all(
      forges.map((forge) => presentForge(forge, deps, counts.get(forge.name), health.get(forge.name))),
    );
  }

  return {
    async listForges() {
      return { data: await presentForges(config.current().config.forges) };
    },
    async getProjectForge({ id }, { identity }) {
      const { projects, forges } = config.current().config;
      const project = projects.find((each) => each.id === id);
      if (project === undefined)
        throw new ServiceError('project_not_found', `there is no project ${id.slice(0, 80).toWellFormed()}`);
      const [forge] = await presentForges(forges.filter(({ name }) => name === project.forge));
      // The last error may name the repository of another project.
      const shown = forge && (mayAll(identity) ? forge : { ...forge, last_error: null, last_error_at: null });
      return { data: await presentProject(project, shown ?? null, deps) };
    },
    async listRunStatuses({ id }) {
      await requireRun(queue, id);
      return { data: (await postsOfRun(sql, id)).map(presentPost) };
    },
  };
}

async function presentForge({ name, kind, url, webhook_secret: secret }: ForgeConfig,
  { env, apis, secretValue }: StatusHandlerDeps,
  { waiting, refused, refusal }: ForgeCounts = { waiting: 0, refused: 0, refusal: '' },
  { sentAt, failedAt, lastError }: Health = { sentAt: 0, failedAt: 0, lastError: '' }): Promise<Forge>
{
  // What has failed waits; a refusal alone says nothing about the forge.
  const usable = failedAt > 0 && waiting > 0 ? 'failing' : 'ok';
  const hasApi = await apis.apiOf(name) !== undefined;
  const takesWebhooks = secret !== '' && await secretValue(secret) !== undefined;
  const base = env.config.current().config.runtime.public_url.replace(/\/$/, '');
  return {
    name,
    kind,
    url: url || null,
    state: kind === 'git' ? 'no_api' : hasApi ? usable : 'no_token',
    waiting,
    refused,
    last_error: lastError || refusal || null,
    last_error_at: failedAt > 0 ? failedAt : null,
    last_sent_at: sentAt > 0 ? sentAt : null,
    webhook_url: takesWebhooks ? `${base}/api/v1/webhooks/${kind}?forge=${encodeURIComponent(name)}` : null,
  };
}

async function presentProject({ id, repository, poll }: ProjectConfig, forge: Forge | null,
  { env: { sql } }: StatusHandlerDeps): Promise<ForgeOfProject>
{
  const [delivery] = await listDeliveries(sql, { project: id }, undefined, 1);
  const [status, polled] = [await newestStatus(sql, id), await readPoll(sql, id)];
  const isOwn = (of: { readonly project_id: string }): boolean => of.project_id === id;
  const shown = delivery && presentDelivery(delivery);
  return {
    forge,
    repository: repositoryPath(repository, forge?.url ?? '') ?? null,
    poll: poll === '' ? null : { interval: poll, last_at: polled?.at ?? null, error: polled?.error || null },
    // Other projects may share the repository, and the caller may not see them.
    last_delivery: shown === undefined
      ? null
      : { ...shown, runs: shown.runs.filter(isOwn), skipped: shown.skipped.filter(isOwn) },
    last_status: status === undefined ? null : presentPost(status),
  };
}

function presentPost({ post, isSent, isLasting, error, nextMs, updatedMs }: PostProgress): RunStatus {
  const isFailing = !isSent && !isLasting && post.attempts > 0;
  return {
    run_id: post.runId || null,
    kind: post.kind,
    forge: post.forge,
    repository: post.repository,
    commit: post.commit || null,
    number: post.kind === 'status' ? null : post.wanted.number,
    context: post.kind === 'status' ? post.wanted.context : null,
    state: post.kind === 'status' ? post.wanted.state : null,
    description: post.kind === 'status' ? post.wanted.description : null,
    delivery: isSent ? 'delivered' : isLasting ? 'refused' : 'waiting',
    failures: post.attempts,
    error: error || null,
    updated_at: Math.floor(updatedMs / 1000),
    next_attempt_at: isFailing ? Math.floor(nextMs / 1000) : null,
  };
}
