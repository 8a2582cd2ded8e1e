import { ServiceError } from '../../../errors/index.ts';
import type { RunsConfig } from '../../config/index.ts';
import { deliveriesOfPullRequest, type Delivery, NO_OUTCOME, type Outcome } from '../deliveries/rows.ts';
import type { ForgeApi, ForgeEvent, ProjectEvent } from '../port.ts';
import type { HandleDeps, Part } from '../processing/handle.ts';
import { startPipelines } from '../processing/start-pipelines.ts';
import { type Command, commandsIn } from './commands.ts';

type Result = Omit<Part, 'refs'>;

const ignored = (reason: string): Result => ({ state: 'ignored', reason, outcome: NO_OUTCOME });

const MAY: ReadonlySet<string> = new Set(['write', 'admin']);

/**
 * Does what a comment on a pull request asks for, if its author may write to the repository, which the forge is asked.
 * A fork's run stays what it is: restricted, or waiting for an approval.
 */
export async function runCommands(delivery: Delivery, about: ProjectEvent, deps: HandleDeps,
  config: RunsConfig): Promise<Result>
{
  const { event, forge, project } = about;
  const commands = commandsIn(event.comment?.body ?? '');
  if (commands.length === 0) return ignored('it has no command');
  const api = await deps.apis.apiOf(forge);
  if (api === undefined) return ignored('commands need the token of the forge, which says who may write');
  if (event.author === '' || !MAY.has(await api.permissionOf(event.repository, event.author)))
    return ignored(`${event.author || 'its author'} may not write to the repository`);
  const parts: Outcome[] = [];
  for (const [at, command] of commands.entries())
    parts.push(
      await runCommand(command, `${delivery.id}:${delivery.generation}:${at}`, delivery, about, api, deps, config),
    );
  const outcome = {
    runs: parts.flatMap(({ runs }) => runs),
    skipped: parts.flatMap(({ skipped }) => skipped),
  };
  return { state: 'done', reason: outcome.runs.length === 0 ? `nothing to do in ${project.id}` : null, outcome };
}

async function runCommand(command: Command, key: string, delivery: Delivery, about: ProjectEvent, api: ForgeApi,
  deps: HandleDeps, config: RunsConfig): Promise<Outcome>
{
  if (command.kind === 'retry') return retryFailed(key, delivery, about, deps);
  const event = await eventOfRequest(about.event, api);
  return startPipelines({ ...about, event, key, forgeDelivery: delivery.deliveryId, only: command.pipeline }, {
    config,
    repositories: deps.repositories,
    enqueueOnce: deps.runs.enqueueOnce,
    onRejected: (rejected, pipeline, reason) => deps.onRejected({ ...rejected, pipeline, reason }),
  });
}

/** The pull request of a comment as it is now, in the form of an event of it. */
async function eventOfRequest(event: ForgeEvent, api: ForgeApi): Promise<ForgeEvent> {
  const request = await api.pullRequest(event.repository, event.issue!.number);
  return {
    ...event,
    name: 'comment',
    ref: request.headRef,
    branch: request.base,
    commit: request.headCommit,
    title: request.title,
    url: request.url,
    pullRequest: request,
  };
}

/** Retries the failed and cancelled runs of the newest commit of the pull request. */
async function retryFailed(key: string, { lane }: Delivery, { event, project }: ProjectEvent,
  { env, runs }: HandleDeps): Promise<Outcome>
{
  const before = await deliveriesOfPullRequest(env.sql, lane, event.issue!.number);
  const newest = before.find(({ outcome }) => outcome.runs.some((run) => run.project === project.id));
  const retried: Outcome['runs'][number][] = [];
  for (const run of newest?.outcome.runs ?? []) {
    if (run.project !== project.id) continue;
    const again = await runs.retryOnce('forge', `${key}:${run.runId}`, run.runId).catch((error: unknown) => {
      // It has not failed, or is gone.
      if (error instanceof ServiceError && error.status < 500) return undefined;
      throw error;
    });
    if (again !== undefined) retried.push({ ...run, runId: again.run.id });
  }
  return { runs: retried, skipped: [] };
}
