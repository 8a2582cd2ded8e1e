import type { ObjectStore } from '../../../net/objects.ts';
import { type Folders, type Manifest, manifestPath, parseManifestPath, readManifest,
  writeManifest } from './manifest.ts';

/** A manifest that is in the store, by its path. */
export interface ListedManifest {
  readonly path: string;
  /** `view/hash` of the folder. */
  readonly index: string;
  readonly epoch: number;
  /** When it was written, by the clock of the store, in milliseconds since 1970. */
  readonly putAt: number;
}

/** The manifest of an index that counts, and all that are there. */
export interface Shelved {
  /** Undefined if there is none, or the newest one is damaged. */
  readonly current: Manifest | undefined;
  readonly listed: readonly ListedManifest[];
}

/** All manifests below a folder, and the paths of what is none. */
export async function listManifests(store: ObjectStore,
  under: string): Promise<{ readonly listed: ListedManifest[]; readonly others: { name: string; putAt: number }[] }>
{
  const listed: ListedManifest[] = [];
  const others: { name: string; putAt: number }[] = [];
  for (let from: string | undefined;;) {
    const page = await store.list(from, under);
    for (const { name, putAt } of page.objects) {
      const parsed = parseManifestPath(name);
      if (parsed === undefined) others.push({ name, putAt });
      else listed.push({ path: name, putAt, ...parsed });
    }
    from = page.next;
    if (from === undefined) return { listed, others };
  }
}

/** Of several manifests of one index, the one that counts. */
export function newest(listed: readonly ListedManifest[]): ListedManifest | undefined {
  return listed.toSorted((a, b) => b.epoch - a.epoch)[0];
}

/** The manifest at a path; undefined if it is missing or damaged. */
export async function manifestAt(store: ObjectStore, path: string): Promise<Manifest | undefined> {
  const bytes = await store.get(path);
  return bytes && readManifest(bytes);
}

export async function readShelf(store: ObjectStore, folders: Folders): Promise<Shelved> {
  const { listed } = await listManifests(store, folders.manifests);
  const first = newest(listed);
  return { listed, current: first && await manifestAt(store, first.path) };
}

/** Writes a manifest, and removes those of earlier epochs. Its segments must be in the store. */
export async function shelve(store: ObjectStore, folders: Folders, manifest: Manifest,
  listed: readonly ListedManifest[]): Promise<void>
{
  await store.put(manifestPath(folders, manifest.epoch), writeManifest(manifest));
  for (const { epoch, path } of listed) if (epoch < manifest.epoch) await store.remove(path);
}
