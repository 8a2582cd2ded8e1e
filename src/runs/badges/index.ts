import { createHash } from 'node:crypto';
import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Handlers, Reply } from '../../operations/index.ts';
import type { Queries } from '../../storage/index.ts';
import type { RunsEnvironment } from '../environment.ts';

/** How long clients may cache a badge, in seconds: pages with badges are opened often. */
const MAX_AGE = 30;

export const LAST_ENDED =
  `SELECT state, finished_at FROM runs WHERE project_id = ? AND task = ? AND kind = 'pipeline' AND state IN ('succeeded', 'failed') AND parent_id IS NULL
  ORDER BY finished_at DESC LIMIT 1`;

export const LAST_ENDED_AT_REF =
  `SELECT state, finished_at FROM runs WHERE project_id = ? AND task = ? AND git_ref = ? AND kind = 'pipeline' AND state IN ('succeeded', 'failed')
  AND parent_id IS NULL AND git_ref IS NOT NULL ORDER BY finished_at DESC LIMIT 1`;

/** Badges of projects: the outcome of the last run of a pipeline. */
export function createBadges(
  { sql, config }: Pick<RunsEnvironment, 'sql' | 'config'>,
): { readonly handlers: Required<Pick<Handlers<Operations>, 'getBadge'>> } {
  return {
    handlers: {
      async getBadge({ id, pipeline, ref }) {
        const { projects, pipelines } = config.current().config;
        if (!projects.some((project) => project.id === id))
          throw new ServiceError('project_not_found', `there is no project ${id.slice(0, 80)}`);
        const own = pipelines.filter(({ projects: only }) => only === null || only.includes(id)).map(({ name }) =>
          name
        );
        const state = await stateOf(sql, id, pipeline === '' ? own : own.filter((name) => name === pipeline), ref);
        // Names that are not configured are not shown: otherwise anyone could put text under the name of this server.
        const content = badgePicture(own.includes(pipeline) ? pipeline : id, state);
        const tag = createHash('sha256').update(content).digest('base64url').slice(0, 22);
        return new Reply({ contentType: 'image/svg+xml', content }, {
          'Cache-Control': `max-age=${MAX_AGE}`,
          'ETag': `"${tag}"`,
          'Content-Security-Policy': "default-src 'none'",
        });
      },
    },
  };
}

/** The run that ended last in one of these pipelines, at this ref if one is passed. */
async function stateOf(from: Queries, projectId: string, pipelines: readonly string[],
  ref: string): Promise<BadgeState>
{
  let last: { readonly state: string; readonly finished_at: number } | undefined;
  for (const name of pipelines) {
    const found = await from.get<{ state: string; finished_at: number }>(ref === '' ? LAST_ENDED : LAST_ENDED_AT_REF, [
      projectId,
      name,
      ...(ref === '' ? [] : [ref]),
    ]);
    if (found !== undefined && (last === undefined || found.finished_at > last.finished_at)) last = found;
  }
  if (last === undefined) return 'no runs';
  return last.state === 'succeeded' ? 'passing' : 'failing';
}

type BadgeState = 'passing' | 'failing' | 'no runs';

const COLOURS: Readonly<Record<BadgeState, string>> = {
  'passing': '#2f7d32',
  'failing': '#b3261e',
  'no runs': '#6b6b6b',
};

/** Characters of a name that are shown. */
const MAX_NAME = 40;

/** Approximate pixels of a character at this text size, and of the margin on each side of a text. */
const CHARACTER = 6.6;
const MARGIN = 12;

/** A badge: plain shapes and text, so it can neither run code nor load anything. */
export function badgePicture(name: string, state: BadgeState): string {
  const shown = [...name].length > MAX_NAME ? `${[...name].slice(0, MAX_NAME - 1).join('')}…` : name;
  const left = widthOf(shown);
  const right = widthOf(state);
  const width = left + right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${
      escaped(`${shown}: ${state}`)
    }">`,
    `<rect width="${left}" height="20" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${COLOURS[state]}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">',
    `<text x="${left / 2}" y="14">${escaped(shown)}</text>`,
    `<text x="${left + right / 2}" y="14">${state}</text>`,
    '</g></svg>',
  ].join('');
}

const widthOf = (text: string): number => Math.ceil([...text].length * CHARACTER) + MARGIN;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
