import type { Clock } from '../../../lib/clock.ts';
import type { ObjectStore } from '../../../net/objects.ts';
import type { Queries } from '../../../storage/index.ts';
import type { CheckpointFiles, Confirmation, StoredFile } from '../checkpoint-files.ts';
import type { Claims } from './claims.ts';
import { type Folders, foldersOf, type Manifest } from './manifest.ts';
import { RetiredSegments } from './retired.ts';
import { readShelf, shelve, type Shelved } from './shelf.ts';
import { type Sending, sendSegments, type TransferCounts } from './transfer.ts';

/** An index whose checkpoint is written to a shared place. */
export interface WrittenIndex {
  /** `view/collection`. */
  readonly name: string;
  readonly view: string;
  readonly collection: string;
  readonly files: CheckpointFiles;
}

export interface WriterDeps {
  readonly store: ObjectStore;
  readonly claims: Claims;
  readonly queries: Pick<Queries, 'get'>;
  readonly counts: TransferCounts;
  readonly clock: Clock;
}

interface Begun {
  readonly sent: Set<string>;
  readonly since: number;
}

/** Segments that no manifest names are removed after a time that is longer than this (`GRACE_MS`). */
export const LONGEST_UPLOAD_MS = 2 * 3_600_000;

/** Writes and removes checkpoints of indexes that this process has claimed, in the given epoch. */
export class CheckpointWriter {
  readonly #deps: WriterDeps;
  /** Uploads that have not been completed yet, by the name of the index. */
  readonly #begun = new Map<string, Begun>();
  readonly #retired: RetiredSegments;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    this.#retired = new RetiredSegments(deps.clock);
  }

  /**
   * Uploads the checkpoint file of an index, unless it or a later one is there; with `replace` in any case. Returns the
   * position up to which the checkpoint is valid that is there now; undefined if the index has no file, or another
   * process has claimed it.
   */
  async upload(index: WrittenIndex, epoch: number, signal: AbortSignal,
    { replace = false }: { readonly replace?: boolean } = {}): Promise<number | undefined>
  {
    const { store } = this.#deps;
    const file = await index.files.open(index.collection);
    if (file === undefined) return undefined;
    try {
      const folders = foldersOf(index.view, index.collection);
      const shelved = await readShelf(store, folders);
      const { current } = shelved;
      if (!replace && current !== undefined && await this.#isEnough(current, index, file)) return current.kept.lsn;
      const own = await this.#epochAbove(index.name, epoch, shelved);
      if (own === undefined) return undefined;
      const known = new Set(current?.segments.map(({ hash }) => hash));
      const { sent, check } = this.#begin(index.name, signal);
      // Before anything is stored, so that nothing of this checkpoint is removed.
      for (const hash of this.#retired.due(index.name))
        if (!known.has(hash) && !sent.has(hash)) await store.remove(`${folders.segments}${hash}`);
      const { counts } = this.#deps;
      const segments = await sendSegments(store, folders, file, { known, sent, counts, check });
      const { header } = file;
      const kept = { lsn: header.lsn, at: header.at };
      const { node: owner } = this.#deps.claims;
      await shelve(store, folders, { magic: index.files.magic, header, kept, owner, epoch: own, segments },
        shelved.listed);
      this.#begun.delete(index.name);
      this.#retired.replaced(index.name, known, new Set(segments.map(({ hash }) => hash)));
      return kept.lsn;
    } finally {
      await file.close();
    }
  }

  /**
   * Records that the checkpoint of an index is still valid at a later position; uploads the file if that is another
   * one. Returns as `upload`.
   */
  async confirm(index: WrittenIndex, epoch: number, { lsn, at, written }: Confirmation,
    signal: AbortSignal): Promise<number | undefined>
  {
    const folders = foldersOf(index.view, index.collection);
    const shelved = await readShelf(this.#deps.store, folders);
    const { current, listed } = shelved;
    if (current?.header.lsn !== written.lsn || current.header.at !== written.at)
      return this.upload(index, epoch, signal);
    if (current.kept.lsn >= lsn) return current.kept.lsn;
    const own = await this.#epochAbove(index.name, epoch, shelved);
    if (own === undefined) return undefined;
    const { node: owner } = this.#deps.claims;
    await shelve(this.#deps.store, folders, { ...current, kept: { lsn, at }, owner, epoch: own }, listed);
    return lsn;
  }

  /** Removes the checkpoints of an index with their segments; with `plain`, only those that are not encrypted. */
  async remove(index: WrittenIndex, { plain }: { readonly plain: boolean }): Promise<void> {
    const { store } = this.#deps;
    const folders = foldersOf(index.view, index.collection);
    const { current, listed } = await readShelf(store, folders);
    const stays = plain && current?.header.sealed === true;
    for (const { path, epoch } of listed) if (!stays || epoch !== current.epoch) await store.remove(path);
    const named = new Set(stays ? current.segments.map(({ hash }) => hash) : []);
    this.#begun.delete(index.name);
    this.#retired.forget(index.name);
    for (const name of await segmentsOf(store, folders))
      if (!named.has(name.slice(folders.segments.length))) await store.remove(name);
  }

  /** Goes on with an upload that failed a short time ago, or begins one. */
  #begin(name: string, signal: AbortSignal): Pick<Sending, 'sent' | 'check'> {
    const { clock } = this.#deps;
    const former = this.#begun.get(name);
    const isRecent = former !== undefined && clock.now() - former.since < LONGEST_UPLOAD_MS;
    const { sent, since } = isRecent ? former : { sent: new Set<string>(), since: clock.now() };
    this.#begun.set(name, { sent, since });
    return {
      sent,
      check() {
        signal.throwIfAborted();
        if (clock.now() - since >= LONGEST_UPLOAD_MS) throw new Error('the upload of a checkpoint takes too long');
      },
    };
  }

  /** Whether the checkpoint that is there is the file, or a later one of the same feed that can be read here. */
  async #isEnough({ magic, header }: Manifest, { files }: WrittenIndex, file: StoredFile): Promise<boolean> {
    if (magic !== files.magic || header.sealed !== file.header.sealed) return false;
    if (header.lsn === file.header.lsn) return header.at === file.header.at;
    if (header.lsn < file.header.lsn) return false;
    const last = header.newest ?? header;
    const found = await this.#deps.queries.get<{ at: number }>('SELECT at FROM changes WHERE lsn = ?', [last.lsn]);
    return found?.at === last.at;
  }

  /**
   * The epoch of this process, raised above those of others that are in the store: the database may have been restored
   * to an earlier time. Undefined if another process has the claim now.
   */
  async #epochAbove(name: string, epoch: number, { current, listed }: Shelved): Promise<number | undefined> {
    const { claims } = this.#deps;
    const highest = Math.max(0, ...listed.map((each) => each.epoch));
    const isOwn = highest === epoch && current?.owner === claims.node;
    if (highest < epoch || isOwn) return epoch;
    return await claims.raise(name, epoch, highest + 1) ? highest + 1 : undefined;
  }
}

async function segmentsOf(store: ObjectStore, { segments }: Folders): Promise<string[]> {
  const names: string[] = [];
  for (let from: string | undefined;;) {
    const page = await store.list(from, segments);
    names.push(...page.objects.map(({ name }) => name));
    from = page.next;
    if (from === undefined) return names;
  }
}
