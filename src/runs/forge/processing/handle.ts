import type { RunsConfig } from '../../config/index.ts';
import type { RunsEnvironment } from '../../environment.ts';
import type { Runs } from '../../runs/index.ts';
import { runCommands } from '../comments/run-commands.ts';
import { type Delivery, type DeliveryState, NO_OUTCOME, type Outcome } from '../deliveries/rows.ts';
import type { ForgeApis, ProjectEvent, Rejection } from '../port.ts';
import type { Repositories } from '../repository/index.ts';
import { projectsOf } from './match.ts';
import { place } from './order.ts';
import type { HandledRef } from './refs.ts';
import { startPipelines } from './start-pipelines.ts';

/** What came of a delivery in a project, with the refs whose newest commit it was. */
export interface Part {
  readonly state: Exclude<DeliveryState, 'pending'>;
  readonly reason: string | null;
  readonly outcome: Outcome;
  readonly refs: readonly HandledRef[];
}

/** What came of a delivery in all projects whose repository it is about. */
export interface Handled extends Part {
  /** Their ids. */
  readonly projects: readonly string[];
}

export interface HandleDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'config'>;
  readonly repositories: Repositories;
  readonly runs: Pick<Runs, 'enqueueOnce' | 'retryOnce'>;
  readonly apis: ForgeApis;
  readonly onEvent: (event: ProjectEvent) => Promise<void>;
  readonly onRejected: (rejection: Rejection) => Promise<void>;
}

/** Events that start pipelines. */
const STARTING: ReadonlySet<string> = new Set(['push', 'tag', 'pull_request', 'release', 'issue']);

/** Starts what a delivery starts, in all projects of its repository. */
export async function handleDelivery(delivery: Delivery, deps: HandleDeps): Promise<Handled> {
  const { event, forge, id } = delivery;
  const { config } = deps.env.config.current();
  if (event === undefined) return { ...ignored('it starts nothing'), projects: [] };
  const projects = forge === ''
    ? config.projects.filter((project) => project.id === event.repository)
    : projectsOf(config, forge, event);
  if (projects.length === 0) return { ...ignored('no project has this repository any more'), projects: [] };
  const parts: Part[] = [];
  for (const project of projects) {
    // Polling finds what is new in the repository of the project's forge.
    const about: ProjectEvent = { project, forge: forge || project.forge, event, deliveryId: id };
    parts.push(
      event.name === 'comment'
        ? { ...await runCommands(delivery, about, deps, config), refs: [] }
        : await handleEvent(delivery, about, deps, config),
    );
    await deps.onEvent(about);
  }
  return { ...joined(parts), projects: projects.map((project) => project.id) };
}

const ignored = (reason: string): Part => ({ state: 'ignored', reason, outcome: NO_OUTCOME, refs: [] });

async function handleEvent(delivery: Delivery, about: ProjectEvent, deps: HandleDeps,
  config: RunsConfig): Promise<Part>
{
  const { project, event } = about;
  if (!STARTING.has(event.name)) return { state: 'done', reason: null, outcome: NO_OUTCOME, refs: [] };
  const placed = await place(event, project, {
    sql: deps.env.sql,
    repositories: deps.repositories,
    isRenewed: delivery.generation > 0,
  });
  if ('outdated' in placed) return ignored(placed.outdated);
  const outcome = await startPipelines({ ...about, event: placed.event, ...keysOf(delivery) }, {
    config,
    repositories: deps.repositories,
    enqueueOnce: deps.runs.enqueueOnce,
    onRejected: (rejected, pipeline, reason) => deps.onRejected({ ...rejected, pipeline, reason }),
  });
  return { state: 'done', reason: null, outcome, refs: placed.handled === undefined ? [] : [placed.handled] };
}

/** A delivery that is asked for anew starts its runs anew. */
export function keysOf({ id, deliveryId, generation }: Delivery): { forgeDelivery: string; key: string } {
  return { forgeDelivery: deliveryId, key: `${id}:${generation}` };
}

function joined(parts: readonly Part[]): Part {
  const done = parts.find(({ state }) => state !== 'ignored') ?? parts[0]!;
  return {
    ...done,
    outcome: {
      runs: parts.flatMap(({ outcome }) => outcome.runs),
      skipped: parts.flatMap(({ outcome }) => outcome.skipped).slice(0, 100),
    },
    refs: parts.flatMap(({ refs }) => refs),
  };
}
