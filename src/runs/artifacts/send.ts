import { create } from '@bufbuild/protobuf';
import { type DownloadArtifactsResponse,
  DownloadArtifactsResponseSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Sql } from '../../storage/index.ts';
import { type ContentStore, piecesOf } from '../contents/index.ts';
import type { Queue } from '../queue/port.ts';
import { listOfAttempt } from './artifact-rows.ts';
import type { ArtifactRecord, ArtifactSender } from './port.ts';

export interface SenderOptions {
  readonly sql: Sql;
  readonly queue: Pick<Queue, 'holds'>;
  readonly store: ContentStore;
}

export function createSender({ sql, queue, store }: SenderOptions): ArtifactSender {
  return {
    async send(shipId, ref) {
      if (!await sql.transaction((tx) => queue.holds(tx, ref, shipId))) return undefined;
      return messagesOf(await listOfAttempt(sql, ref.runId, ref.attempt), store);
    },
  };
}

async function* messagesOf(files: readonly ArtifactRecord[],
  store: ContentStore): AsyncGenerator<DownloadArtifactsResponse>
{
  for (const { name, step, size, sha256 } of files) {
    const content = await store.read(sha256, size);
    if (content === undefined) throw new Error(`the content of the artefact ${name} is missing`);
    yield create(DownloadArtifactsResponseSchema, {
      body: { case: 'description', value: { name, step, size: BigInt(size), sha256: Buffer.from(sha256, 'hex') } },
    });
    for await (const value of piecesOf(content))
      yield create(DownloadArtifactsResponseSchema, { body: { case: 'chunk', value } });
  }
}
