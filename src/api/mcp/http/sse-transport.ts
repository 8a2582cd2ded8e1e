import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage, type MessageExtraInfo,
  type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { ServerResponse } from 'node:http';
import { whenClosed } from '../../../lib/responses.ts';
import type { Session } from './sessions.ts';

/** Milliseconds between two comments that prevent intermediaries from closing an idle connection. */
const KEEP_ALIVE_MS = 15_000;

/** Unread bytes above which a client is disconnected, because its responses would accumulate without limit. */
const MAX_UNREAD_BYTES = 16 * 2 ** 20;

/**
 * The transport of revision 2024-11-05: responses and notifications are sent over one stream of server-sent events,
 * messages arrive by POST. The SDK has such a transport, too, but it lets unread responses accumulate without limit.
 */
export class SseTransport implements Transport {
  readonly sessionId: string;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #response: ServerResponse;
  readonly #endpoint: string;
  readonly #session: Pick<Session, 'begin'>;
  /** Requests without a response yet, each with the function that ends it for the session. */
  readonly #pending = new Map<RequestId, () => void>();
  #keepAlive: NodeJS.Timeout | undefined;
  #closed = false;

  /** `endpoint`: the path to which the client must post its messages. */
  constructor(session: Pick<Session, 'id' | 'begin'>, response: ServerResponse, endpoint: string) {
    this.sessionId = session.id;
    this.#session = session;
    this.#response = response;
    this.#endpoint = endpoint;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    });
    whenClosed(this.#response, () => void this.close());
    if (this.#closed) return;
    this.#write(`event: endpoint\ndata: ${this.#endpoint}\n\n`);
    this.#keepAlive = setInterval(() => this.#write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
  }

  /** Receives a message that was posted. */
  receive(message: JSONRPCMessage, extra: MessageExtraInfo): void {
    if (isJSONRPCRequest(message)) {
      this.#settle(message.id);
      this.#pending.set(message.id, this.#session.begin());
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#settle(message.params?.['requestId'] as RequestId); // a cancelled request has no response
    }
    this.onmessage?.(message, extra);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('the client has gone');
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#keepAlive);
    for (const id of [...this.#pending.keys()]) this.#settle(id);
    this.#response.end();
    this.onclose?.();
  }

  #settle(id: RequestId): void {
    this.#pending.get(id)?.();
    this.#pending.delete(id);
  }

  #write(text: string): void {
    this.#response.write(text);
    if (this.#response.writableLength <= MAX_UNREAD_BYTES) return;
    this.onerror?.(new Error(`the client has left more than ${MAX_UNREAD_BYTES} bytes unread`));
    this.#response.destroy();
    void this.close();
  }
}
