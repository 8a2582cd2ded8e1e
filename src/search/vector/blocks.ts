import { BlockReader } from '../../lib/checked-blocks.ts';
import { VectorCheckpointError } from './errors.ts';

export { block, u32 } from '../../lib/checked-blocks.ts';

/** Reads exact numbers of bytes, and blocks, from a checkpoint. */
export class ByteReader extends BlockReader {
  constructor(source: AsyncIterable<Uint8Array>) {
    super(source, (problem) => new VectorCheckpointError(problem));
  }
}
