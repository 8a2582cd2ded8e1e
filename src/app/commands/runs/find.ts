import { listRuns, listShips } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Ship } from '../../../../generated/runs/sdk/types.gen.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { CommandError } from '../shared/command-error.ts';
import { listed, type RunsClient } from './client.ts';

const FULL_ID = /^[0-9a-f]{32}$/;
/** Shorter parts of an id would match too many runs. */
const PART_OF_ID = /^[0-9a-f]{4,31}$/;
/** The newest runs that are searched for a part of an id. */
const SEARCHED = 2000;

/**
 * Returns the id of the run that an argument names: a whole id, or the beginning or end of one among the newest 2,000
 * runs. Ids that were made at the same time have the same beginning, so ends are shorter to type.
 * @throws {CommandError} if no run or several runs match.
 */
export async function findRun(client: RunsClient, text: string): Promise<string> {
  const part = text.toLowerCase();
  if (FULL_ID.test(part) || !PART_OF_ID.test(part)) return text;
  const { items } = await listed((query) => client.ask(() => listRuns({ client: client.sdk, query })), SEARCHED);
  const found = new Set(items.map(({ id }) => id).filter((id) => id.startsWith(part) || id.endsWith(part)));
  if (found.size === 0) throw new CommandError(`no id of the newest ${SEARCHED} runs begins or ends with ${part}`);
  if (found.size > 1)
    throw new CommandError(
      `${found.size} runs match ${part}: ${[...found].slice(0, 5).join(', ')}${found.size > 5 ? ', ...' : ''}`,
    );
  return [...found][0]!;
}

/**
 * Returns the ship that an argument names: by its name, its id, or the beginning of its id. Of several with the same
 * name, the one that is not revoked.
 * @throws {CommandError} if no ship or several ships match.
 */
export async function findShip(client: RunsClient, text: string): Promise<Ship> {
  const { data: ships } = await client.ask(() => listShips({ client: client.sdk }));
  const named = ships.filter(({ name }) => name === text);
  const live = named.filter(({ revoked }) => !revoked);
  const candidates = live.length > 0
    ? live
    : named.length > 0
    ? named
    : ships.filter(({ id }) => /^[0-9a-f]{4,32}$/i.test(text) && id.startsWith(text.toLowerCase()));
  if (candidates.length === 1) return candidates[0]!;
  if (candidates.length > 1)
    throw new CommandError(`${candidates.length} ships match ${text}: ${candidates.map(({ id }) => id).join(', ')}`);
  const names = ships.filter(({ revoked }) => !revoked).map(({ name }) => name);
  throw new CommandError(
    `no ship ${text}${
      names.length === 0
        ? '; none has joined'
        : `; there are: ${names.slice(0, 10).join(', ')}${didYouMean(text, names)}`
    }`,
  );
}

/** Names of ships by their ids; empty if the token may not read them. */
export async function shipNames(client: RunsClient): Promise<ReadonlyMap<string, string>> {
  try {
    const { data } = await client.ask(() => listShips({ client: client.sdk }));
    return new Map(data.map(({ id, name }) => [id, name]));
  } catch {
    return new Map();
  }
}
