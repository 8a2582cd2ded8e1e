import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { AuditEvent } from '../../../../generated/docs/sdk/types.gen.ts';
import { formatSyslogAddress, type SyslogAddress } from '../../../lib/setting-values.ts';
import { Refused, type Sink } from './exporter.ts';

interface WebhookSinkOptions {
  readonly url: string;
  readonly header?: { readonly name: string; readonly value: string } | undefined;
  /** Version of this build, for `User-Agent`. */
  readonly version: string;
}

/** Client error statuses after which a retry may succeed. */
const PASSING = new Set([408, 425, 429]);

/**
 * Posts each event to a URL (decisions, section 4.9). The operator configures it, so private addresses are allowed;
 * redirects are not followed.
 */
export function webhookSink({ url, header, version }: WebhookSinkOptions): Sink {
  const { username, password, ...target } = partsOf(url);
  // `fetch` refuses URLs with credentials.
  const basic: Record<string, string> = username === ''
    ? {}
    : { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': `svc-webhook/${version}`,
    ...basic,
    ...(header && { [header.name]: header.value }),
  };
  return {
    name: 'webhook',
    target: target.shown,
    async send(event: AuditEvent, signal: AbortSignal) {
      const response = await fetch(target.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(event),
        redirect: 'manual',
        signal,
      });
      await response.body?.cancel();
      if (response.ok) return;
      const problem = `HTTP status ${response.status}`;
      throw response.status >= 500 || PASSING.has(response.status) ? new Error(problem) : new Refused(problem);
    },
    close: async () => undefined,
  };
}

function partsOf(text: string): { url: string; shown: string; username: string; password: string } {
  const url = new URL(text);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = url.password = '';
  const shown = new URL(url);
  // The query may contain a token; the path is needed to identify the target.
  shown.search = shown.hash = '';
  return { url: url.href, shown: shown.href, username, password };
}

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

interface SyslogOrigin {
  readonly hostname: string;
  readonly processId: number;
}

/** Facility `local0` (decisions, section 4.9). */
const FACILITY = 16;
const INFORMATIONAL = 6;
const WARNING = 4;

/** 32473 is the enterprise number for examples (RFC 5612): this program has no number of its own. */
const STRUCTURE = 'audit@32473';

/**
 * An event as a syslog message (RFC 5424): its fields as structured data, and the whole event as JSON, written in ASCII
 * so that every receiver can read it.
 */
export function syslogMessage(event: AuditEvent, { hostname, processId }: SyslogOrigin): string {
  const priority = FACILITY * 8 + (event.result === 'ok' ? INFORMATIONAL : WARNING);
  const timestamp = new Date(event.ts / 1e6).toISOString();
  const fields = Object.entries({
    actor: event.actor,
    action: event.action,
    resource: event.resource,
    result: event.result,
    ip: event.ip,
    userAgent: event.userAgent,
    collection: event.collection,
    key: event.key,
    lang: event.lang,
  });
  const data = fields.filter((field): field is [string, string] => field[1] !== undefined).map(([name, value]) =>
    `${name}="${escaped(value)}"`
  ).join(' ');
  return `<${priority}>1 ${timestamp} ${printable(hostname, 255)} quire ${processId} audit [${STRUCTURE} ${data}] ${
    ascii(JSON.stringify(event))
  }`;
}

/** Section 6.3.3: in a value, `"`, `\` and `]` are escaped. Control characters would break the lines of receivers. */
function escaped(value: string): string {
  return value.replace(/["\\\]]/g, '\\$&').replace(/\p{Cc}/gu, ' ');
}

function printable(text: string, length: number): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, length) || '-';
}

function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
