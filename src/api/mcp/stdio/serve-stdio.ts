import { type JSONRPCMessage, SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY,
  type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { decodeUtf8 } from '../../../lib/bytes.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { INVALID_REQUEST, McpFault, PARSE_ERROR } from '../core/fault.ts';
import { createStatelessServer } from '../faces/stateless-server.ts';
import { checkMessage, checkStateless, HANDSHAKE, isStatelessMessage, type Revisions } from '../messages.ts';

export interface StdioOptions {
  readonly core: McpCore;
  readonly revisions: Revisions;
  readonly input: Readable;
  readonly output: Writable;
  /** Most bytes of a message. */
  readonly maxBytes: number;
  readonly log: Log;
}

/** MCP over standard input and output. */
export interface StdioServer {
  /** Resolves when the client has closed the input and every request is answered. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Serves one client over a pair of streams, in the revision of its first message. */
export function serveOverStdio({ core, revisions, input, output, maxBytes, log }: StdioOptions): StdioServer {
  const ended = Promise.withResolvers<void>();
  const transport = new LineTransport({
    input,
    output,
    maxBytes,
    serverInfo: core.info,
    check: (message) => {
      if (isStatelessMessage(message)) checkStateless(message, revisions);
      return checkMessage(message);
    },
  });
  const handle = serveStdio(() => createStatelessServer(core, localSender), {
    transport,
    legacy: revisions.supported.includes(HANDSHAKE) ? 'serve' : 'reject',
    onerror: (error) => log.debug({ err: error }, 'MCP message was refused'),
  });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  return { ended: ended.promise, stop: () => handle.close() };
}

/** The user that started the server is its client, and could read its database directly as well. */
function localSender(): Sender {
  return { protocol: 'mcp', requestId: randomUUID().replaceAll('-', '').slice(0, 16), trustedAs: 'stdio' };
}

const NEWLINE = 10;

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Most bytes of a message; a longer one is answered with an error and skipped. */
  readonly maxBytes: number;
  /** The server's description in results. */
  readonly serverInfo: object;
  /**
   * Checks a message before it reaches a server, and returns the message to pass on; throws `McpFault` for errors that
   * are sent to the client.
   */
  readonly check: (message: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

type Id = string | number;

/**
 * MCP over a pair of streams, one JSON-RPC message on each line. Unlike the SDK's transport, it sends
 * an error for lines that are not messages. When the input ends, it first finishes the requests in progress, so that a
 * file of requests can be piped through the server.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #options: LineTransportOptions;
  readonly #pending = new Set<Id>();
  #begun: Buffer[] = [];
  #length = 0;
  #skipping = false;
  #ended = false;
  #closed = false;

  constructor(options: LineTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#onData);
    input.once('end', this.#onEnd);
    input.once('close', this.#onEnd);
    input.once('error', this.#onEnd);
    output.once('error', this.#onBroken);
  }

  /** Resolves when the reader accepts more, which gives back-pressure to the sender of responses. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    if (isEmptyAcknowledgement(message)) return this.#endSubscription(message);
    await this.#write(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { input, output } = this.#options;
    input.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd).off('error', this.#onEnd);
    output.off('error', this.#onBroken);
    input.pause();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end));
      const line = Buffer.concat(this.#begun);
      const skipped = this.#skipping;
      [this.#begun, this.#length, this.#skipping] = [[], 0, false];
      from = end + 1;
      if (!skipped) this.#read(line);
    }
    this.#take(chunk.subarray(from));
  };

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    const rest = Buffer.concat(this.#begun);
    if (!this.#skipping) this.#read(rest);
    this.#ended = true;
    if (this.#pending.size === 0) void this.close();
  };

  readonly #onBroken = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };

  /** Appends a piece of a line, unless the line is already too long. */
  #take(piece: Buffer): void {
    if (this.#skipping || piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.#options.maxBytes) {
      this.#begun.push(piece);
      return;
    }
    [this.#begun, this.#skipping] = [[], true];
    this.#answerFault(null,
      new McpFault(INVALID_REQUEST, `Invalid Request: the message is larger than ${this.#options.maxBytes} bytes`));
  }

  #read(line: Buffer): void {
    const text = decodeUtf8(line)?.trim();
    if (text === '') return;
    const message = text === undefined ? undefined : parse(text);
    if (message === undefined)
      return this.#answerFault(null, new McpFault(PARSE_ERROR, 'Parse error: the line is not JSON in UTF-8'));
    if (!isMessage(message))
      return this.#answerFault(null,
        new McpFault(INVALID_REQUEST, 'Invalid Request: the line must be one JSON-RPC message'));
    const id = 'method' in message ? message['id'] as Id | undefined : undefined;
    let checked: typeof message;
    try {
      checked = this.#options.check(message);
    } catch (error) {
      if (id !== undefined) this.#answerFault(id, error as McpFault);
      return;
    }
    if (id !== undefined) this.#pending.add(id);
    if (message['method'] === 'notifications/cancelled')
      this.#settle((message['params'] as { requestId?: Id } | undefined)?.requestId as Id);
    this.onmessage?.(checked as unknown as JSONRPCMessage);
  }

  #answerFault(id: Id | null, { code, message, data }: McpFault): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message, data } });
  }

  /** There is nothing to subscribe to, so a subscription ends as soon as it is acknowledged. */
  async #endSubscription(message: Acknowledgement): Promise<void> {
    const id = message.params._meta[SUBSCRIPTION_ID_META_KEY]!;
    await this.#write(message);
    // The SDK keeps the subscription until it is cancelled.
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    await this.#write({
      jsonrpc: '2.0',
      id,
      result: {
        resultType: 'complete',
        _meta: { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: this.#options.serverInfo },
      },
    });
    this.#settle(id);
  }

  #settle(id: Id): void {
    this.#pending.delete(id);
    if (this.#ended && this.#pending.size === 0) void this.close();
  }

  #write(message: object): Promise<void> {
    const { output } = this.#options;
    return new Promise((resolve) => {
      if (output.destroyed || output.write(`${JSON.stringify(message)}\n`)) resolve();
      else {
        const done = (): void => {
          output.off('drain', done).off('error', done).off('close', done);
          resolve();
        };
        output.once('drain', done).once('error', done).once('close', done);
      }
    });
  }
}

interface Acknowledgement {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params: { readonly notifications: object; readonly _meta: Readonly<Record<string, Id>> };
}

function isEmptyAcknowledgement(message: unknown): message is Acknowledgement {
  const { method, params } = message as Partial<Acknowledgement>;
  return method === 'notifications/subscriptions/acknowledged' && Object.keys(params?.notifications ?? {}).length === 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const { jsonrpc, method, id } = value as Record<string, unknown>;
  const idFits = id === undefined || typeof id === 'string' || Number.isInteger(id);
  return jsonrpc === '2.0' && idFits && (typeof method === 'string' || (method === undefined && id !== undefined));
}
