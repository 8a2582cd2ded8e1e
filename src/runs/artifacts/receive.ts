import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ArtifactDescription, UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FleetRefusal } from '../fleet/port.ts';
import { requireRef } from '../fleet/refs.ts';
import type { RunRef } from '../queue/port.ts';
import { isArtifactName } from './artifact-name.ts';

const HASH_BYTES = 32;
const MAX_CHUNK = 1 << 20;
const MAX_STEP = 256;

/** What a ship sends before the bytes of a file. */
export interface AnnouncedFile {
  readonly ref: RunRef;
  readonly name: string;
  readonly step: string;
  readonly size: number;
  readonly sha256: string;
}

/** Returns the description, which must be the first message. Throws a `FleetRefusal` for anything else. */
export function readDescription(part: UploadArtifactRequest | undefined): AnnouncedFile {
  if (part?.body.case !== 'description') throw refusal('the first part must be the description');
  const { ref, name, step, size, sha256 }: ArtifactDescription = part.body.value;
  if (!isArtifactName(name)) throw refusal('name must be a relative path without .. and control characters, of at most 1024 bytes');
  if (step.length > MAX_STEP || !step.isWellFormed()) throw refusal(`step must have at most ${MAX_STEP} characters`);
  if (sha256.length !== HASH_BYTES) throw refusal(`sha256 must have ${HASH_BYTES} bytes, got ${sha256.length}`);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw refusal('size is too large');
  return { ref: requireRef(ref), name, step, size: Number(size), sha256: Buffer.from(sha256).toString('hex') };
}

/** Writes the bytes that follow to a file and flushes it to disk. Throws a `FleetRefusal` if they are not the announced bytes. */
export async function writeContent(file: FileHandle, parts: AsyncIterator<UploadArtifactRequest>, { size, sha256 }: AnnouncedFile): Promise<void> {
  const hash = createHash('sha256');
  let written = 0;
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { body } = next.value;
    if (body.case !== 'chunk') throw refusal('the parts after the description must be chunks');
    if (body.value.length > MAX_CHUNK) throw refusal(`a chunk must have at most ${MAX_CHUNK} bytes, got ${body.value.length}`);
    written += body.value.length;
    if (written > size) throw refusal(`the file has more than the ${size} bytes that were announced`);
    hash.update(body.value);
    await file.writeFile(body.value);
  }
  if (written !== size) throw refusal(`the file has ${written} bytes, ${size} were announced`);
  if (hash.digest('hex') !== sha256) throw refusal('the bytes do not have the hash that was announced');
  await file.sync();
}

const refusal = (message: string): FleetRefusal => new FleetRefusal('invalid_argument', message);
