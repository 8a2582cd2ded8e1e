import { ServiceError } from '../../../errors/index.ts';
import { backoffDelay } from '../../../lib/clock.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { Loop } from '../../../lib/loop.ts';
import type { ProjectConfig } from '../../config/index.ts';
import type { RunRequest } from '../../definitions/index.ts';
import type { RunsEnvironment } from '../../environment.ts';
import type { ForgeApis } from '../../forge/index.ts';
import { ForgeError, type ForgeEvent, type ForgeIssue, isUnreachable } from '../../forge/port.ts';
import type { Enqueuer } from '../../runs/index.ts';
import { type Place, placeOf } from '../wanted.ts';
import { inputOfPipeline, inputOfRole } from './issue-input.ts';
import { delayIssue, type DueIssue, dueIssues, isNoted, noteFound, noteLabelled, noteUnlabelled,
  settleIssue } from './issue-rows.ts';

const CLAIM = 'ready-issues';
const EVERY_MS = 5000;
const BATCH = 50;
const BACKOFF = { initial: 5000, max: 3_600_000 };
/** A forge lists as many issues at once; where there are more, those that are not listed keep their state. */
const FULL_LISTS = 50;

/** An event of a project. */
export interface IssueEvent {
  readonly project: Pick<ProjectConfig, 'id' | 'issue' | 'issue_label'>;
  readonly event: Pick<ForgeEvent, 'name' | 'action' | 'label' | 'issue'>;
  /** The same for a delivery that is repeated. */
  readonly deliveryId: string;
}

interface ReadyIssuesDeps {
  readonly env: RunsEnvironment;
  readonly apis: ForgeApis;
  readonly enqueueOnce: Enqueuer['enqueueOnce'];
}

/** Queues a run for each issue that gets the label of its project, once for each time that it gets it. */
export class ReadyIssues {
  readonly #deps: ReadyIssuesDeps;
  readonly #loop: Loop;
  /** When each project is asked again, and the tag of the last list. */
  readonly #polled = new Map<string, { readonly nextMs: number; readonly etag: string; readonly key: string }>();

  constructor(deps: ReadyIssuesDeps) {
    const { timer, log } = (this.#deps = deps).env;
    this.#loop = new Loop({
      name: 'ready issues',
      everyMs: EVERY_MS,
      failure: 'runs for issues could not be queued; trying again',
      timer,
      log,
    }, (signal) => this.#round(signal));
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  settled(): Promise<void> {
    return this.#loop.settled();
  }

  /** Resolves when the event is recorded; may be called for it again. */
  async onEvent({ project, event: { name, action, label, issue }, deliveryId }: IssueEvent): Promise<void> {
    if (name !== 'issue' || issue === undefined || !isConfigured(project)) return;
    if (!['opened', 'labeled', 'unlabeled'].includes(action)) return;
    const { sql, clock } = this.#deps.env;
    const { id, issue_label: ready } = project;
    if ((label ?? ready) !== ready) return;
    await sql.transaction(async (tx) => {
      // GitHub names the label that was added or removed; else the event says which ones the issue has now.
      if (!(label === undefined ? issue.labels.includes(ready) : action === 'labeled'))
        await noteUnlabelled(tx, id, issue.number, clock.now());
      else if (label !== undefined) await noteLabelled(tx, id, issue.number, deliveryId, clock.now());
      else if (!(await isNoted(tx, id, issue.number))) await noteLabelled(tx, id, issue.number, '', clock.now());
    });
    this.#loop.wake();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { sql, clock, config } = this.#deps.env;
    const projects = config.current().config.projects.filter((project) => project.enabled && isConfigured(project));
    if (projects.length === 0 || !(await sql.peers?.claim(CLAIM) ?? true)) return;
    for (const project of projects) {
      if (signal.aborted) return;
      if (project.poll !== '') await this.#poll(project);
    }
    for (const issue of await dueIssues(sql, clock.now(), BATCH)) {
      if (signal.aborted) return;
      await this.#start(issue);
    }
  }

  async #poll(project: ProjectConfig): Promise<void> {
    const { env: { sql, clock, config, log }, apis } = this.#deps;
    const place = placeOf(config.current().config, project.id);
    const api = place && await apis.apiOf(place.forge);
    if (place === undefined || api === undefined) return;
    const key = JSON.stringify([place.forge, place.repository, project.issue_label]);
    const before = this.#polled.get(project.id);
    const askedMs = clock.now();
    if (before?.key === key && before.nextMs > askedMs && before.nextMs - askedMs <= parseDuration(project.poll)!)
      return;
    const next = { nextMs: askedMs + parseDuration(project.poll)!, key };
    const etag = before?.key === key ? before.etag : '';
    this.#polled.set(project.id, { ...next, etag });
    try {
      const found = await api.issuesWith(place.repository, project.issue_label, etag);
      if (found === undefined) return;
      const numbers = found.issues.map(({ number }) => number);
      await sql.transaction((tx) =>
        noteFound(tx, project.id, numbers, { askedMs, isCut: numbers.length >= FULL_LISTS, nowMs: clock.now() })
      );
      this.#polled.set(project.id, { ...next, etag: found.etag });
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      log.warn({ project: project.id, err: error }, 'a forge cannot be asked for ready issues; trying again');
    }
  }

  async #start(due: DueIssue): Promise<void> {
    const { sql, clock, log, config } = this.#deps.env;
    const fields = { project: due.projectId, issue: due.number };
    try {
      const place = placeOf(config.current().config, due.projectId);
      if (place === undefined) return await sql.transaction((tx) => settleIssue(tx, due, 'refused'));
      const { run } = await this.#queue(due, place);
      await sql.transaction((tx) => settleIssue(tx, due, 'queued'));
      log.info({ ...fields, run: run.id }, 'a run is queued for an issue');
    } catch (error) {
      const isLasting = error instanceof ServiceError
        ? error.status < 500 && !isUnreachable(error)
        : error instanceof ForgeError && error.isLasting;
      if (!isLasting && !(error instanceof ForgeError) && !(error instanceof ServiceError)) throw error;
      log.warn({ ...fields, err: error },
        isLasting ? 'no run can be queued for an issue' : 'an issue cannot be read yet');
      const pauseMs = Math.max(backoffDelay(due.attempts + 1, BACKOFF),
        error instanceof ForgeError ? error.retryAfterMs : 0);
      await sql.transaction((tx) =>
        isLasting ? settleIssue(tx, due, 'refused') : delayIssue(tx, due, clock.now() + pauseMs)
      );
    }
  }

  async #queue({ projectId, number, labelling, delivery }: DueIssue, { project, forge, repository }: Place) {
    const api = await this.#deps.apis.apiOf(forge);
    if (api === undefined) throw new ForgeError('the forge has no token', { isLasting: false });
    const issue = await api.issue(repository, number);
    const comments = await api.comments(repository, { on: 'issue', number });
    const { config } = this.#deps.env.config.current();
    const pipeline = config.pipelines.find(({ name }) => name === project.issue.pipeline);
    const request: RunRequest = {
      projectId,
      ...(project.issue.role === ''
        ? {
          kind: 'pipeline',
          task: project.issue.pipeline,
          input: inputOfPipeline(pipeline ?? { inputs: [] }, issue, comments),
        }
        : { kind: 'ai_text', task: project.issue.role, input: inputOfRole(issue, comments) }),
      forge: originOf(forge, issue, delivery),
    };
    return this.#deps.enqueueOnce('forge', `issue:${projectId}:${number}:${labelling}`, request);
  }
}

const isConfigured = ({ issue, issue_label: label }: Pick<ProjectConfig, 'issue' | 'issue_label'>): boolean =>
  label !== '' && (issue.pipeline !== '' || issue.role !== '');

const originOf = (forge: string, { number, title, url, author = '' }: ForgeIssue, delivery: string) =>
  ({
    forge,
    event: 'issue',
    action: 'labeled',
    delivery,
    ref: '',
    branch: '',
    tag: '',
    commit: '',
    before: '',
    title: title.slice(0, 500),
    author,
    url,
    issue: number,
  }) as const;
