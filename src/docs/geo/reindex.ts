import type { Operations } from '../../../generated/docs/operations.ts';
import type { Context, InputOf, OutputOf } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import type { GeoView } from './geo-view.ts';
import { plainCountry, replacePostcodes } from './postcodes.ts';
import { readPostcodeFile } from './read-postcode-file.ts';

export interface ReindexDeps extends Pick<DocsEnvironment, 'sql'> {
  readonly view: Pick<GeoView, 'reindex'>;
  /** The only folder of postcode files. */
  readonly dataDir: string;
}

type Input = InputOf<Operations, 'reindexGeo'>;

/**
 * `POST /v1/geo-reindex`: loads postcodes, either all files or none, and rebuilds the places of one collection or of
 * all. Searches use the old places meanwhile. Throws `invalid_argument` for a file that cannot be used.
 */
export async function reindexGeo(deps: ReindexDeps, { collection = '', loadPostcodes = [] }: Input,
  context: Context): Promise<OutputOf<Operations, 'reindexGeo'>>
{
  const { sql, view, dataDir } = deps;
  const started = performance.now();
  const postcodesLoaded: Record<string, number> = {};
  const files = [];
  for (const [i, { country, csvPath }] of loadPostcodes.entries()) {
    context.signal.throwIfAborted();
    files.push({
      country: plainCountry(country),
      csvPath,
      ...(await readPostcodeFile(dataDir, csvPath, `loadPostcodes[${i}].csvPath`)),
    });
  }
  for (const { places, ...file } of files) {
    await context.requirePermission();
    await replacePostcodes(sql, file, places);
    postcodesLoaded[file.country] = places.size;
  }
  const names = collection === '' ? await allCollections(sql) : [collection];
  await context.requirePermission();
  const points = await view.reindex(names, context.signal);
  return { status: 'ok', points, collection, postcodesLoaded, durationMs: Math.round(performance.now() - started) };
}

export async function allCollections(sql: ReindexDeps['sql']): Promise<string[]> {
  return (await filledCollections(sql)).map(({ name }) => name);
}
