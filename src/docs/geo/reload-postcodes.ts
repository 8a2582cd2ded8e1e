import type { DocsEnvironment } from '../environment.ts';
import type { GeoView } from './geo-view.ts';
import { keepLoadedFile, type LoadedFile, readLoadedFiles, replacePostcodes } from './postcodes.ts';
import { hashPostcodeFile, readPostcodeFile } from './read-postcode-file.ts';
import { allCollections, type ReindexDeps } from './reindex.ts';

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
