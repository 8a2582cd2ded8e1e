import { parseDuration } from '../../../lib/duration.ts';
import { Loop } from '../../../lib/loop.ts';
import type { ProjectConfig } from '../../config/index.ts';
import type { RunsEnvironment } from '../../environment.ts';
import { GitFailure } from '../repository/index.ts';
import { type PollDeps, pollProject } from './poll-project.ts';
import { notePoll } from './poll-rows.ts';

const EVERY_MS = 5000;
const MOST_AT_ONCE = 4;
const CLAIM = 'forge polling';

interface PollingDeps extends PollDeps {
  readonly env: Pick<RunsEnvironment, 'clock' | 'timer' | 'log' | 'config'>;
  /** Deliveries were recorded. */
  readonly wake: () => void;
}

/** Asks git for what is new in projects with `poll`; of several servers over a store one does. */
export function createPolling(deps: PollingDeps): Pick<Loop, 'start' | 'stop' | 'wake'> {
  const { env: { clock, timer, log, config }, sql, wake } = deps;
  /** When each project is due, in milliseconds since 1970. */
  const due = new Map<string, number>();

  async function poll(project: ProjectConfig, signal: AbortSignal): Promise<void> {
    due.set(project.id, clock.now() + parseDuration(project.poll)!);
    const note = (error: string): Promise<void> =>
      sql.transaction((tx) => notePoll(tx, project.id, { at: deps.now(), error }));
    try {
      if (await pollProject(project, deps, signal) > 0) wake();
      await note('');
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ project: project.id, err: error }, 'a repository cannot be polled');
      // Messages of other errors may hold what callers must not see.
      await note(error instanceof GitFailure ? error.message.slice(0, 2000) : 'internal error');
    }
  }

  return new Loop({
    name: 'polling of repositories',
    everyMs: EVERY_MS,
    timer,
    log,
    failure: 'repositories could not be polled',
  }, async (signal) => {
    const polled = config.current().config.projects.filter((project) => project.enabled && project.poll !== '');
    if (polled.length === 0 || !(await sql.peers?.claim(CLAIM) ?? true)) return;
    const ready = polled.filter(({ id }) => (due.get(id) ?? 0) <= clock.now());
    for (let at = 0; at < ready.length && !signal.aborted; at += MOST_AT_ONCE)
      await Promise.all(ready.slice(at, at + MOST_AT_ONCE).map((project) => poll(project, signal)));
  });
}
