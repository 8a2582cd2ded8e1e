import { Lru } from '../../../lib/caches.ts';
import type { Annotation, CommitStatus, StatusDetails } from '../port.ts';
import { type Asking, bodyOf, failureOf, field, idOf, listOf, plainId, segmentsOf, textOf } from './answers.ts';

const STATES: Readonly<Record<CommitStatus['state'], { readonly status: string; readonly conclusion?: string }>> = {
  pending: { status: 'queued' },
  running: { status: 'in_progress' },
  success: { status: 'completed', conclusion: 'success' },
  failure: { status: 'completed', conclusion: 'failure' },
  error: { status: 'completed', conclusion: 'failure' },
  cancelled: { status: 'completed', conclusion: 'cancelled' },
};

/** Most annotations in one request, by the documentation; more are sent by further requests, which add theirs. */
const ANNOTATIONS = 50;
const MAX_ANNOTATIONS = 500;
/** Most characters of `summary`, of `message` and of `title`, by the documentation. */
const MAX_SUMMARY = 65_535;
const MAX_TITLE = 255;
const REPOSITORIES = 1000;
/** `external_id` of our checks: another App may have one of the same name, which this token cannot change. */
const OURS = 'quire';

/**
 * Check runs of GitHub ("REST API endpoints for check runs"). Only tokens of GitHub Apps can create them: what is
 * refused with 403 is remembered for its repository until the next start, or the next change of the configuration.
 */
export class GithubChecks {
  readonly #github: Asking;
  readonly #refused = new Lru<string, true>(REPOSITORIES);

  constructor(github: Asking) {
    this.#github = github;
  }

  /** False if the token cannot create check runs in this repository. */
  async set(repository: string, commit: string, status: CommitStatus, details: StatusDetails): Promise<boolean> {
    if (this.#refused.get(repository) !== undefined) return false;
    const path = `/repos/${segmentsOf(repository)}`;
    const found = await this.#find(path, commit, status.context);
    const { status: state, conclusion } = STATES[status.state];
    // A finished check does not begin again: a new run is a new check, and GitHub shows the latest.
    const isOver = found !== undefined && field(found, 'status') === 'completed';
    const isNew = found === undefined || (isOver && conclusion === undefined);
    // A finished check has its annotations: those of a request that is repeated would be added to them.
    const annotations = (isOver && !isNew ? [] : details.annotations.slice(0, MAX_ANNOTATIONS)).map(annotationOf);
    const body = {
      status: state,
      ...(conclusion === undefined ? {} : { conclusion }),
      ...(status.targetUrl === '' ? {} : { details_url: status.targetUrl }),
    };
    const output = (from: number) => ({
      output: {
        title: status.description.slice(0, MAX_TITLE) || status.state,
        summary: (details.summary || status.description).slice(0, MAX_SUMMARY),
        annotations: annotations.slice(from, from + ANNOTATIONS),
      },
    });
    const request = isNew
      ? {
        method: 'POST',
        path: `${path}/check-runs`,
        body: { name: status.context, head_sha: commit, external_id: OURS, ...body, ...output(0) },
      } as const
      : {
        method: 'PATCH',
        path: `${path}/check-runs/${plainId(idOf(found))}`,
        body: { ...body, ...output(0) },
      } as const;
    const answer = await this.#github.call(request);
    if (answer.status === 403 && failureOf(answer, request).isLasting) {
      this.#refused.set(repository, true);
      return false;
    }
    const id = plainId(idOf(bodyOf(answer, request)));
    for (let from = ANNOTATIONS; from < annotations.length; from += ANNOTATIONS)
      await this.#github.ask({ method: 'PATCH', path: `${path}/check-runs/${id}`, body: output(from) });
    return true;
  }

  /** Our latest check of this name; undefined if there is none, or if the token may not read checks. */
  async #find(path: string, commit: string, name: string): Promise<unknown> {
    const query = new URLSearchParams({ check_name: name, filter: 'latest' });
    const request = {
      method: 'GET',
      path: `${path}/commits/${encodeURIComponent(commit)}/check-runs?${query.toString()}`,
    } as const;
    const answer = await this.#github.call(request);
    if (answer.status === 403 && failureOf(answer, request).isLasting) return undefined;
    return listOf(field(bodyOf(answer, request), 'check_runs')).find((check) =>
      textOf(check, 'name') === name && textOf(check, 'external_id') === OURS
    );
  }
}

const annotationOf = ({ path, line, level, title, message }: Annotation) => ({
  path,
  start_line: Math.max(line, 1),
  end_line: Math.max(line, 1),
  annotation_level: level,
  title: title.slice(0, MAX_TITLE),
  message: message.slice(0, MAX_SUMMARY) || title || level,
});
