import { create } from '@bufbuild/protobuf';
import { type RunRef, type UploadArtifactRequest,
  UploadArtifactRequestSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { ArtifactFile } from '../execute/port.ts';

/** The messages of a file: its description, then its bytes. */
export async function* artifactParts(ref: RunRef,
  { name, step, size, sha256, content }: ArtifactFile): AsyncGenerator<UploadArtifactRequest>
{
  yield create(UploadArtifactRequestSchema, {
    body: { case: 'description', value: { ref, name, step, size: BigInt(size), sha256 } },
  });
  for await (const chunk of content())
    yield create(UploadArtifactRequestSchema, { body: { case: 'chunk', value: chunk } });
}
