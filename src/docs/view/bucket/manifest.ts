import { createHash } from 'node:crypto';
import type { CheckpointHeader, FeedPlace } from '../checkpoint-files.ts';

/** A part of the index, an object that is called by the SHA-256 of its bytes. */
export interface Segment {
  readonly hash: string;
  /** In bytes. */
  readonly length: number;
}

/** What a checkpoint in a shared place consists of. */
export interface Manifest {
  /** The first bytes of the view's checkpoint files: the kind of the index and the version of its layout. */
  readonly magic: string;
  readonly header: CheckpointHeader;
  /** The position up to which no later change concerns the collection; at least that of the header. */
  readonly kept: FeedPlace;
  /** The process that wrote it, and its epoch: that of the highest epoch counts. */
  readonly owner: string;
  readonly epoch: number;
  /** The index, in order. */
  readonly segments: readonly Segment[];
}

const HASH = /^[0-9a-f]{64}$/;
const EPOCH_DIGITS = 14;

/** The object of a manifest: the SHA-256 of the JSON in hexadecimal digits, a line feed, the JSON. */
export function writeManifest(manifest: Manifest): Buffer {
  const json = JSON.stringify(manifest);
  return Buffer.from(`${digest(json)}\n${json}`);
}

/** Undefined for bytes that are truncated, damaged, or no manifest. */
export function readManifest(bytes: Uint8Array): Manifest | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const json = text.slice(65);
  if (text.slice(0, 65) !== `${digest(json)}\n`) return undefined;
  const { header, kept, segments, ...rest } = JSON.parse(json) as Manifest;
  const isWhole = [header?.lsn, header?.at, kept?.lsn, kept?.at, rest.epoch].every(Number.isSafeInteger) &&
    Array.isArray(segments) && segments.every(({ hash, length }) => HASH.test(hash) && Number.isSafeInteger(length));
  return isWhole ? { ...rest, header, kept, segments } : undefined;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where the objects of one index are. */
export interface Folders {
  /** With a slash at the end, like the next one. */
  readonly manifests: string;
  readonly segments: string;
}

/** Names of collections may contain characters that paths cannot, so their folders are called by their hashes. */
export function foldersOf(view: string, collection: string): Folders {
  const own = `${view}/${digest(collection).slice(0, 32)}/`;
  return { manifests: `manifests/${own}`, segments: `segments/${own}` };
}

/** A manifest is called by its epoch, so that a writer of an earlier epoch cannot replace it. */
export function manifestPath({ manifests }: Folders, epoch: number): string {
  return `${manifests}${epoch.toString(16).padStart(EPOCH_DIGITS, '0')}`;
}

/** The folder of the index, as `view/hash`, and the epoch of the path of a manifest; undefined for other paths. */
export function parseManifestPath(path: string): { readonly index: string; readonly epoch: number } | undefined {
  const [, index, epoch] = /^manifests\/([a-z0-9-]+\/[0-9a-f]{32})\/([0-9a-f]{14})$/.exec(path) ?? [];
  return index === undefined ? undefined : { index, epoch: Number.parseInt(epoch!, 16) };
}
