import { create } from '@bufbuild/protobuf';
import { type AppendLogsResponse, type StreamLogsRequest, type StreamLogsResponse,
  StreamLogsResponseSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FleetRefusal, type LogStream } from './port.ts';

/** Most lines that are stored together, unless one message alone has more. */
const MOST_LINES = 500;

interface Waiting {
  readonly request: StreamLogsRequest;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores the messages of each attempt in order. Messages that arrive during a write are stored together, so a busy ship
 * causes one write for many lines.
 */
export class MergingLogStream implements LogStream {
  readonly #append: (request: StreamLogsRequest) => Promise<AppendLogsResponse>;
  readonly #answer: (response: StreamLogsResponse) => void;
  /**
   * By attempt: messages that are not being stored yet. An attempt has an entry while one of its messages is being
   * stored.
   */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(append: (request: StreamLogsRequest) => Promise<AppendLogsResponse>,
    answer: (response: StreamLogsResponse) => void)
  {
    this.#append = append;
    this.#answer = answer;
  }

  receive(request: StreamLogsRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const key = `${request.ref?.runId}.${request.ref?.attempt}.${request.ref?.fencingToken}`;
      const others = this.#waiting.get(key);
      if (others !== undefined) return void others.push({ request, resolve, reject });
      const waiting = [{ request, resolve, reject }];
      this.#waiting.set(key, waiting);
      void this.#store(key, waiting);
    });
  }

  /** Never rejects. */
  async #store(key: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const together = waiting.splice(0, joined(waiting));
      const request = { ...together[0]!.request, lines: together.flatMap(({ request: { lines } }) => lines) };
      try {
        this.#answer(await this.#stored(request, together.length));
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#waiting.delete(key);
  }

  async #stored(request: StreamLogsRequest, answered: number): Promise<StreamLogsResponse> {
    const response = create(StreamLogsResponseSchema, { ...(request.ref && { ref: request.ref }), answered });
    try {
      const { status, nextSeq } = await this.#append(request);
      return Object.assign(response, { status, nextSeq });
    } catch (error) {
      if (!(error instanceof FleetRefusal) || error.status !== 'invalid_argument') throw error;
      return Object.assign(response, { refused: error.message });
    }
  }
}

/** How many of the first messages follow each other without a gap and are few enough to be stored together. */
function joined(waiting: readonly Waiting[]): number {
  const [{ request: first }] = waiting as [Waiting];
  let [count, lines] = [1, first.lines.length];
  for (; count < waiting.length; count++) {
    const { firstSeq, lines: { length }, truncated } = waiting[count]!.request;
    if (firstSeq !== first.firstSeq + BigInt(lines) || truncated !== first.truncated || lines + length > MOST_LINES)
      break;
    lines += length;
  }
  return count;
}
