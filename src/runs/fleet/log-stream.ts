import { create } from '@bufbuild/protobuf';
import { type AppendLogsResponse, type StreamLogsRequest, type StreamLogsResponse,
  StreamLogsResponseSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { Batcher } from '../../lib/batcher.ts';
import { FleetRefusal, type LogStream } from './port.ts';

/** Most lines that are stored together, unless one message alone has more. */
const MOST_LINES = 500;

/**
 * Stores the messages of each attempt in order. Messages that arrive during a write are stored together, so a busy ship
 * causes one write for many lines.
 */
export class MergingLogStream implements LogStream {
  readonly #append: (request: StreamLogsRequest) => Promise<AppendLogsResponse>;
  readonly #answer: (response: StreamLogsResponse) => void;
  /** The messages of each attempt of which one is being stored. */
  readonly #attempts = new Map<string, Batcher<StreamLogsRequest, void>>();

  constructor(append: (request: StreamLogsRequest) => Promise<AppendLogsResponse>,
    answer: (response: StreamLogsResponse) => void)
  {
    this.#append = append;
    this.#answer = answer;
  }

  receive(request: StreamLogsRequest): Promise<void> {
    const key = `${request.ref?.runId}.${request.ref?.attempt}.${request.ref?.fencingToken}`;
    let messages = this.#attempts.get(key);
    if (messages === undefined) {
      messages = new Batcher({
        process: (together) => this.#store(together),
        joining: withoutGap,
        onIdle: () => this.#attempts.delete(key),
      });
      this.#attempts.set(key, messages);
    }
    return messages.add(request);
  }

  async #store(messages: readonly StreamLogsRequest[]): Promise<void[]> {
    const request = { ...messages[0]!, lines: messages.flatMap(({ lines }) => lines) };
    this.#answer(await this.#stored(request, messages.length));
    return [];
  }

  async #stored(request: StreamLogsRequest, answered: number): Promise<StreamLogsResponse> {
    const response = create(StreamLogsResponseSchema, { ref: request.ref, answered });
    try {
      const { status, nextSeq } = await this.#append(request);
      return Object.assign(response, { status, nextSeq });
    } catch (error) {
      if (!(error instanceof FleetRefusal) || error.status !== 'invalid_argument') throw error;
      return Object.assign(response, { refused: error.message });
    }
  }
}

/** Messages that follow each other without a gap and have few enough lines to be stored together. */
function withoutGap(): (request: StreamLogsRequest) => boolean {
  let [first, lines, isOver]: [StreamLogsRequest | undefined, number, boolean] = [undefined, 0, false];
  return (request) => {
    first ??= request;
    isOver ||= request.firstSeq !== first.firstSeq + BigInt(lines) || request.truncated !== first.truncated ||
      (request !== first && lines + request.lines.length > MOST_LINES);
    lines += request.lines.length;
    return !isOver;
  };
}
