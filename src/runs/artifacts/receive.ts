import type { ArtifactDescription, UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Announced, readAnnounced } from '../contents/index.ts';
import { FleetRefusal } from '../fleet/port.ts';
import { requireRef } from '../fleet/refs.ts';
import type { RunRef } from '../queue/port.ts';
import { isArtifactName } from './artifact-name.ts';

const MAX_STEP = 256;

/** What a ship sends before the bytes of a file. */
export interface AnnouncedFile extends Announced {
  readonly ref: RunRef;
  readonly name: string;
  readonly step: string;
}

/** Returns the description, which must be the first message. Throws a `FleetRefusal` for anything else. */
export function readDescription(part: UploadArtifactRequest | undefined): AnnouncedFile {
  if (part?.body.case !== 'description') throw refusal('the first part must be the description');
  const { ref, name, step, size, sha256 }: ArtifactDescription = part.body.value;
  if (!isArtifactName(name))
    throw refusal('name must be a relative path without .. and control characters, of at most 1024 bytes');
  if (step.length > MAX_STEP || !step.isWellFormed()) throw refusal(`step must have at most ${MAX_STEP} characters`);
  return { ref: requireRef(ref), name, step, ...readAnnounced({ size, sha256 }) };
}

const refusal = (message: string): FleetRefusal => new FleetRefusal('invalid_argument', message);
