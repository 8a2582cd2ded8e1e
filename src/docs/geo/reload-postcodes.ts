import type { Operations } from '../../../generated/docs/operations.ts';
import type { Context, InputOf, OutputOf } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import type { GeoView } from './geo-view.ts';
import { hashPostcodeFile, keepLoadedFile, type LoadedFile, plainCountry, readLoadedFiles, readPostcodeFile,
  replacePostcodes } from './postcodes.ts';

interface ReindexDeps extends Pick<DocsEnvironment, 'sql'> {
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

async function allCollections(sql: ReindexDeps['sql']): Promise<string[]> {
  return (await filledCollections(sql)).map(({ name }) => name);
}

export interface ReloadDeps extends ReindexDeps, Pick<DocsEnvironment, 'log'> {
  readonly view: Pick<GeoView, 'reindex' | 'settled'>;
}

/**
 * Reloads the postcode files that have changed since they were loaded, and rebuilds all places if there are any. If a
 * file is missing, or can no longer be used, the known postcodes of its country are kept. Never rejects; failures are
 * logged.
 */
export async function reloadPostcodes(deps: ReloadDeps, signal: AbortSignal): Promise<void> {
  const { sql, log, view } = deps;
  try {
    const changed: LoadedFile[] = [];
    for (const file of await readLoadedFiles(sql)) {
      if (signal.aborted) return;
      changed.push(...(await reload(deps, file)));
    }
    if (changed.length === 0) return;
    await view.settled();
    await view.reindex(await allCollections(sql), signal);
    // Not before: a step that a crash interrupts is repeated at the next start.
    await sql.transaction(async (tx) => {
      for (const file of changed) await keepLoadedFile(tx, file);
    });
  } catch (error) {
    if (!signal.aborted)
      log.error({ err: error }, 'postcode files that have changed could not be loaded; geo-reindex does it again');
  }
}

/**
 * The file with its new hash, which the database does not have yet; none if the hash is the same, or the file cannot be
 * loaded.
 */
async function reload({ sql, log, dataDir }: ReloadDeps, file: LoadedFile): Promise<LoadedFile[]> {
  const { country, csvPath } = file;
  const hash = await hashPostcodeFile(dataDir, csvPath);
  if (hash === undefined || hash === file.sha256) return [];
  try {
    const { places, sha256 } = await readPostcodeFile(dataDir, csvPath, csvPath);
    await replacePostcodes(sql, file, places);
    log.info({ country, postcodes: places.size }, 'a postcode file has changed and was loaded again');
    return [{ country, csvPath, sha256 }];
  } catch (error) {
    log.warn({ err: error, country },
      'a postcode file has changed and cannot be loaded; the postcodes stay as they were');
    return [];
  }
}
