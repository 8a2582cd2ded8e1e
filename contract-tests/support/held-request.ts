import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Credential } from './access-server.ts';
import type { WireRequest } from './example-requests.ts';

/** A request of which the server has the head and all of the body but its end. */
export class HeldRequest {
  readonly #socket: Socket;
  readonly #rest: Uint8Array;
  #received = '';

  private constructor(socket: Socket, rest: Uint8Array) {
    this.#socket = socket;
    this.#rest = rest;
    socket.setEncoding('latin1').on('data', (text: string) => (this.#received += text));
    // A server that refuses a request may close its connection.
    socket.on('error', () => undefined);
  }

  /** Resolves when the server has read the head. */
  static async open(url: string, { method, target, contentType, body = new Uint8Array() }: WireRequest,
    credential: Credential): Promise<HeldRequest>
  {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    // What follows the last delimiter of a form is no part of it: the form is complete with its delimiter.
    const sent = Math.max(0, body.length - (contentType?.startsWith('multipart/') ? 10 : 1));
    const held = new HeldRequest(socket, body.subarray(sent));
    const headers = {
      Host: host,
      ...credential,
      ...(contentType !== undefined && { 'Content-Type': contentType }),
      'Content-Length': String(body.length),
      Connection: 'close',
      Expect: '100-continue',
    };
    socket.write(
      `${method} ${target} HTTP/1.1\r\n${
        Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')
      }\r\n`,
    );
    socket.write(body.subarray(0, sent));
    while (!held.#received.startsWith('HTTP/1.1 ')) await once(socket, 'data');
    return held;
  }

  /** Sends the rest, and resolves with the answer; `status` 0 if the server closed the connection without one. */
  async finish(): Promise<{ status: number; text: string }> {
    // A server that has closed the connection already makes writing an error.
    const closed = this.#socket.closed ? undefined : new Promise((resolve) => this.#socket.once('close', resolve));
    if (this.#socket.writable) this.#socket.write(this.#rest);
    await closed;
    const answer = this.#received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
    return {
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0),
      text: answer.slice(answer.indexOf('\r\n\r\n') + 4),
    };
  }
}
