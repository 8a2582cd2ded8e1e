import { createHash } from 'node:crypto';
import type { UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type ArtifactExchange, readDescription } from '../artifacts/index.ts';
import { FleetRefusal } from '../fleet/port.ts';
import { FORMATS, type ReportFormat } from './formats/index.ts';

const refusal = (message: string): FleetRefusal => new FleetRefusal('invalid_argument', message);

/** A report that a ship announces; its bytes follow. */
export interface AnnouncedReport {
  readonly file: ReturnType<typeof readDescription>;
  readonly format: ReportFormat;
}

/** Throws a `FleetRefusal` for a description that is none of a report. */
export function readReportDescription(part: UploadArtifactRequest): AnnouncedReport {
  const file = readDescription(part);
  const given = part.body.case === 'description' ? part.body.value.reportFormat : '';
  const format = FORMATS.find((each) => each === given);
  if (format === undefined) throw refusal(`report_format must be one of ${FORMATS.join(', ')}`);
  return { file, format };
}

/** The announced bytes, in memory. Throws a `FleetRefusal` if others come. */
export async function readReport(parts: AsyncIterator<UploadArtifactRequest>,
  { size, sha256 }: { readonly size: number; readonly sha256: string }): Promise<Buffer>
{
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { body } = next.value;
    if (body.case !== 'chunk') throw refusal('the parts after the description must be chunks');
    length += body.value.length;
    if (length > size) throw refusal(`the file has more than the ${size} bytes that were announced`);
    pieces.push(body.value);
  }
  if (length !== size) throw refusal(`the file has ${length} bytes, ${size} were announced`);
  const bytes = Buffer.concat(pieces);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw refusal('the bytes do not have the hash that was announced');
  return bytes;
}

/** Ships send reports as they send artefacts; the description says which of both a file is. */
export function routeUploads(artifacts: ArtifactExchange,
  reports: Pick<ArtifactExchange, 'receive'>): ArtifactExchange
{
  return {
    async receive(shipId, parts) {
      const iterator = parts[Symbol.asyncIterator]();
      const first = await iterator.next();
      const isReport = !first.done && first.value.body.case === 'description' &&
        first.value.body.value.reportFormat !== '';
      return (isReport ? reports : artifacts).receive(shipId, again(first, iterator));
    },
    send: (shipId, ref) => artifacts.send(shipId, ref),
  };
}

async function* again<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}
