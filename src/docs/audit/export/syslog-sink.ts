import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { formatSyslogAddress, type SyslogAddress } from '../../../lib/setting-values.ts';
import type { Sink } from './sink.ts';
import { syslogMessage } from './syslog-message.ts';

/** Sends events to a syslog server (decisions, section 4.9). Over UDP, a message that was sent counts as accepted. */
export function syslogSink(address: SyslogAddress): Sink {
  const origin = { hostname: hostname(), processId: process.pid };
  const transport = address.protocol === 'udp' ? new Datagrams(address) : new Connection(address);
  return {
    name: 'syslog',
    target: formatSyslogAddress(address),
    send: (event, signal) => transport.send(Buffer.from(syslogMessage(event, origin), 'utf8'), signal),
    close: async () => transport.close(),
  };
}

/** One message in each datagram (RFC 5426). */
class Datagrams {
  readonly #address: SyslogAddress;
  #socket: DatagramSocket | undefined;

  constructor(address: SyslogAddress) {
    this.#address = address;
  }

  send(message: Buffer): Promise<void> {
    const { host, port } = this.#address;
    const socket = (this.#socket ??= this.#open());
    return new Promise((resolve, reject) =>
      socket.send(message, port, host, (error) => (error ? reject(error) : resolve()))
    );
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  #open(): DatagramSocket {
    const socket = createSocket(isIPv6(this.#address.host) ? 'udp6' : 'udp4');
    // A failure belongs to a message, whose callback receives it.
    socket.on('error', () => undefined);
    socket.unref();
    return socket;
  }
}

/**
 * Messages, each preceded by its length (octet counting, RFC 6587 section 3.4.1), over a connection that is reopened
 * when it is lost.
 */
class Connection {
  readonly #address: SyslogAddress;
  #socket: Socket | undefined;

  constructor(address: SyslogAddress) {
    this.#address = address;
  }

  async send(message: Buffer, signal: AbortSignal): Promise<void> {
    const socket = (this.#socket ??= await this.#connect(signal));
    const framed = Buffer.concat([Buffer.from(`${message.length} `, 'latin1'), message]);
    try {
      await written(socket, framed, signal);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connect(signal: AbortSignal): Promise<Socket> {
    const { host, port } = this.#address;
    const socket = connect({ host, port });
    try {
      await once(socket, 'connect', { signal });
    } catch (error) {
      socket.destroy();
      throw error;
    }
    socket.setKeepAlive(true, 60_000);
    socket.unref();
    socket.resume(); // a server may send data; if nothing read it, the end of the connection would not be noticed
    const forget = (): void => {
      if (this.#socket === socket) this.#socket = undefined;
      socket.destroy();
    };
    socket.on('error', forget).on('end', forget).on('close', forget);
    return socket;
  }
}

function written(socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    socket.write(bytes, (error) => {
      signal.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve();
    });
    return undefined;
  });
}
