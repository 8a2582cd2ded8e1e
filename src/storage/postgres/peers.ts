import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { ServiceError } from '../../errors/index.ts';
import type { Peers } from '../port.ts';
import { openClient } from './connections.ts';
import { requireSessions } from './sessions.ts';

/** Each schema has messages and locks of its own. */
const CHANNEL = "'quire_' || md5(current_schema())";
/** Held by every process that has the database open. */
const PRESENCE = 'hashtextextended(current_schema(), 1)';
const CLAIM = "SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ':' || $1, 2)) AS is";
const IS_CLAIMED = `
  SELECT EXISTS (
    SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND ((classid::bigint << 32) | objid::bigint) = hashtextextended(current_schema() || ':' || $1, 2)) AS is`;
/** Messages of this many milliseconds are sent together, because each notification is a commit of its own. */
const GATHER_MS = 5;
/** Maximum bytes in a message; PostgreSQL allows less than 8,000 in a notification. */
const MAX_BYTES = 7500;
const AGAIN_MS = 500;

/**
 * Messages by NOTIFY, outside the transactions that they report: a transaction with a notification of its own would
 * delay the commits of all others. The one connection for messages also holds a lock that shows that this process is
 * running.
 */
export class PostgresPeers implements Peers {
  readonly first: boolean;
  readonly #url: string;
  readonly #id = randomUUID();
  readonly #listeners = new Set<(message: string | undefined) => void>();
  readonly #closing = new AbortController();
  readonly #names = new Set<string>();
  #client: Client | undefined;
  #waiting: string[] = [];
  #sending: Promise<void> | undefined;
  #connecting: Promise<void> | undefined;

  private constructor(url: string, client: Client, first: boolean) {
    this.#url = url;
    this.first = first;
    this.#attach(client);
  }

  static async open(url: string): Promise<PostgresPeers> {
    const client = await openClient(url);
    try {
      await requireSessions(client, () => openClient(url));
      const { rows: [alone] } = await client.query<{ is: boolean }>(`SELECT pg_try_advisory_lock(${PRESENCE}) AS is`);
      await enter(client);
      if (alone!.is) await client.query(`SELECT pg_advisory_unlock(${PRESENCE})`);
      return new PostgresPeers(url, client, alone!.is);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async claim(name: string): Promise<boolean> {
    const { rows: [taken] } = await this.#connected().query<{ is: boolean }>(CLAIM, [name]);
    if (taken!.is) this.#names.add(name);
    return taken!.is;
  }

  async isClaimed(name: string): Promise<boolean> {
    const { rows: [found] } = await this.#connected().query<{ is: boolean }>(IS_CLAIMED, [name]);
    return found!.is;
  }

  notify(message: string): void {
    if (Buffer.byteLength(message) > MAX_BYTES)
      throw new ServiceError('internal', `a message to other servers has at most ${MAX_BYTES} bytes`);
    this.#waiting.push(message);
    this.#sending ??= this.#send();
  }

  listen(listener: (message: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#sending;
    this.#closing.abort();
    await this.#connecting;
    await this.#client?.end().catch(() => {});
  }

  /** Never rejects: a process that misses a message finds the change by itself. */
  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      await setTimeout(GATHER_MS);
      for (const batch of batches(this.#waiting.splice(0))) {
        await this.#client?.query(`SELECT pg_notify(${CHANNEL}, $1)`, [JSON.stringify([this.#id, ...batch])]).catch(
          () => {},
        );
      }
    }
    this.#sending = undefined;
  }

  #connected(): Client {
    if (this.#client === undefined) throw new ServiceError('unavailable', 'the database cannot be reached');
    return this.#client;
  }

  #attach(client: Client): void {
    this.#client = client;
    client.on('notification', ({ payload = '[]' }) => {
      const [from, ...messages] = JSON.parse(payload) as string[];
      if (from !== this.#id) { for (const message of messages) this.#publish(message); }
    });
    client.on('error', () => {}); // `end` follows
    client.once('end', () => {
      this.#client = undefined;
      if (!this.#closing.signal.aborted) this.#connecting ??= this.#reconnect();
    });
  }

  /** Retries until there is a connection again; then every listener looks for what was missed. */
  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await setTimeout(AGAIN_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      let client: Client | undefined;
      try {
        client = await openClient(this.#url);
        await enter(client);
        for (const name of this.#names) await client.query(CLAIM, [name]);
        this.#attach(client);
        this.#publish(undefined);
        break;
      } catch {
        client?.on('error', () => {});
        await client?.end().catch(() => {});
      }
    }
    this.#connecting = undefined;
  }

  #publish(message: string | undefined): void {
    for (const listener of this.#listeners) listener(message);
  }
}

async function enter(client: Client): Promise<void> {
  await client.query(`SELECT pg_advisory_lock_shared(${PRESENCE})`);
  const { rows: [found] } = await client.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`);
  await client.query(`SET synchronous_commit = off; LISTEN ${found!.channel}`);
}

/** Splits messages into groups that each fit into one notification. */
function batches(messages: readonly string[]): string[][] {
  const all: string[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message)) + 1;
    if (bytes + size > MAX_BYTES) {
      all.push([]);
      bytes = 64;
    }
    all.at(-1)!.push(message);
    bytes += size;
  }
  return all;
}
