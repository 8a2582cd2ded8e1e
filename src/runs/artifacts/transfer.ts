import { create } from '@bufbuild/protobuf';
import { type ArtifactDescription, type DownloadArtifactsResponse, DownloadArtifactsResponseSchema,
  type UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Announced, type ContentStore, piecesOf, readAnnounced } from '../contents/index.ts';
import { FleetRefusal, requireRef } from '../fleet/index.ts';
import type { RunRef } from '../queue/port.ts';
import type { ArtifactRecord } from './port.ts';

const MAX_STEP = 256;

/** What a ship sends before the bytes of a file. */
export interface AnnouncedFile extends Announced {
  readonly ref: RunRef;
  readonly name: string;
  readonly step: string;
  /** Whether its owner may execute it. */
  readonly executable: boolean;
}

/** Returns the description, which must be the first message. Throws a `FleetRefusal` for anything else. */
export function readDescription(part: UploadArtifactRequest | undefined): AnnouncedFile {
  if (part?.body.case !== 'description') throw refusal('the first part must be the description');
  const { ref, name, step, size, sha256, executable }: ArtifactDescription = part.body.value;
  if (!isArtifactName(name))
    throw refusal('name must be a relative path without .. and control characters, of at most 1024 bytes');
  if (step.length > MAX_STEP || !step.isWellFormed()) throw refusal(`step must have at most ${MAX_STEP} characters`);
  return { ref: requireRef(ref), name, step, executable, ...readAnnounced({ size, sha256 }) };
}

const refusal = (message: string): FleetRefusal => new FleetRefusal('invalid_argument', message);

/** The messages by which files are sent. */
export async function* messagesOf(files: readonly ArtifactRecord[],
  store: ContentStore): AsyncGenerator<DownloadArtifactsResponse>
{
  for (const { name, step, size, sha256, executable } of files) {
    const content = await store.read(sha256, size);
    if (content === undefined) throw new Error(`the content of the artefact ${name} is missing`);
    yield create(DownloadArtifactsResponseSchema, {
      body: {
        case: 'description',
        value: { name, step, size: BigInt(size), sha256: Buffer.from(sha256, 'hex'), executable },
      },
    });
    for await (const value of piecesOf(content))
      yield create(DownloadArtifactsResponseSchema, { body: { case: 'chunk', value } });
  }
}

/** Bytes of a name: short enough for a path on every file system. */
const MAX_BYTES = 1024;
const MAX_PART = 255;

/** Whether a text is a valid artefact name: a relative path that cannot leave its folder on any system. */
export function isArtifactName(name: string): boolean {
  if (name === '' || !name.isWellFormed() || /[\u0000-\u001f\u007f\\]/.test(name) ||
    Buffer.byteLength(name) > MAX_BYTES) return false;
  return name.split('/').every((part) =>
    part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_PART
  );
}
