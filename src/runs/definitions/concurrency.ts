import { createHash } from 'node:crypto';
import type { PipelineConfig } from '../config/index.ts';
import type { Concurrency, RunRequest } from './definition.ts';
import { forkSpace } from './fork-space.ts';

/** Characters of a group's name; the rest of a longer one is replaced by a hash. */
const MAX_NAME = 200;

/**
 * The group of a run, from the template of its pipeline; undefined if there is no template. Values that the run does
 * not have become empty.
 */
export function concurrencyOf({ name, concurrency }: PipelineConfig, request: RunRequest): Concurrency | undefined {
  const { group: template, cancel_in_progress: cancels, pending } = concurrency;
  if (template === '') return undefined;
  const filled = template.replaceAll(/\{([^{}]+)\}/g, (_, place: string) => valueOf(place, name, request));
  // Runs for a fork neither wait for others nor cancel them, whatever its author puts into the values.
  const group = `${forkSpace(request.forge)}${filled}`;
  return {
    group: shortened(group),
    others: cancels ? 'cancel_all' : pending === 'newest' ? 'cancel_waiting' : 'first',
  };
}

function valueOf(place: string, pipeline: string, { projectId, input, gitRef, forge }: RunRequest): string {
  if (place === 'project') return projectId;
  if (place === 'pipeline') return pipeline;
  if (place === 'event') return forge?.event ?? '';
  if (place === 'pull_request') return forge?.pullRequest === undefined ? '' : String(forge.pullRequest.number);
  if (place === 'branch') return branchOf(forge);
  if (place === 'ref' && gitRef !== undefined) return gitRef;
  if (place === 'input') return textOf(input);
  const member = place === 'ref' ? place : place.slice('input.'.length);
  return typeof input === 'object' && Object.hasOwn(input, member) ? textOf(input[member]) : '';
}

/**
 * Names of branches of pull requests are chosen by their authors, so that those of forks could be names of the
 * repository's own.
 */
function branchOf(forge: RunRequest['forge']): string {
  return forge?.pullRequest === undefined ? forge?.branch ?? '' : `pull/${forge.pullRequest.number}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME - 65).toWellFormed()}#${createHash('sha256').update(name).digest('hex')}`;
}
