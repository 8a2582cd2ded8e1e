import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type Operations, operations } from '../../../generated/runs/operations.ts';
import { createHttpApp, type HttpServer, nestedErrors, startHttpServer } from '../../api/http/index.ts';
import { readSpecification } from '../../app/specification.ts';
import { silentLog } from '../../lib/log.ts';
import { createInvoker } from '../../operations/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import type { RunRef } from '../queue/port.ts';
import { line, lines, LogFixture, SHIP } from './test-fixture.ts';

interface ServerEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: { readonly message?: string; readonly state?: string; readonly attempt?: number;
    readonly next_offset?: number };
  readonly comment?: string;
}

/** A client of server-sent events that can stop reading. */
class EventReader {
  readonly incoming: IncomingMessage;
  readonly events: ServerEvent[] = [];
  /** True once the stream is over, whether with `end` or by disconnection. */
  over = false;
  #rest = '';
  #news = Promise.withResolvers<void>();

  constructor(incoming: IncomingMessage) {
    this.incoming = incoming;
    incoming.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    incoming.on('error', () => {}).on('close', () => {
      this.over = true;
      this.#news.resolve();
    });
  }

  static open(url: string, path: string, lastEventId?: string): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      request(`${url}/api/v1/runs/${path}`, { headers, agent: false }).on('error', reject).on('response',
        (incoming) => resolve(new EventReader(incoming))).end();
    });
  }

  /** Waits for the wanted events; rejects if the stream is over before. */
  async until(wanted: (events: readonly ServerEvent[]) => boolean): Promise<void> {
    while (!wanted(this.events)) {
      if (this.over) throw new Error(`the stream is over after ${JSON.stringify(this.events.slice(-3))}`);
      await this.#news.promise;
      this.#news = Promise.withResolvers<void>();
    }
  }

  async end(): Promise<void> {
    await this.until(() => this.over).catch(() => undefined);
  }

  get messages(): string[] {
    return this.events.filter(({ event }) => event === 'log').map(({ data }) => data!.message!);
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  /** Offsets of the events of all attempts. */
  get offsets(): number[] {
    return this.events.flatMap(({ id }) => (id === undefined ? [] : [Number(id.split('-')[1])]));
  }

  close(): void {
    this.incoming.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    this.events.push(...blocks.map(parseEvent));
    this.#news.resolve();
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = Object.fromEntries(block.split('\n').map((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon) || 'comment', text.slice(colon + 1).trim()];
  }));
  return {
    ...(fields['id'] === undefined ? {} : { id: fields['id'] }),
    ...(fields['event'] === undefined ? {} : { event: fields['event'] }),
    ...(fields['data'] === undefined ? {} : { data: JSON.parse(fields['data']) as NonNullable<ServerEvent['data']> }),
    ...(fields['comment'] === undefined ? {} : { comment: fields['comment'] }),
  };
}

const open: { fixture: LogFixture; server: HttpServer }[] = [];
const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  for (const { fixture, server } of open.splice(0)) {
    await fixture.logs.stop();
    await server.stop(100);
    await fixture.sql.close();
  }
});

async function started() {
  const timer = new ManualTimer();
  const fixture = await LogFixture.open({}, { timer });
  const specification = await readSpecification('runs');
  const invoke = createInvoker<Operations>({
    operations,
    inputs: specification.inputs,
    handlers: fixture.handlers,
    mode: () => 'wr',
  });
  const app = await createHttpApp<Operations>({
    title: 'logs',
    specification,
    operations,
    invoke,
    errors: nestedErrors,
    log: silentLog,
    maxBodyBytes: 1000,
    corsOrigins: [],
    validateResponses: true,
  });
  const server = await startHttpServer(app.callback(), { host: '127.0.0.1', port: 0 }, nestedErrors);
  open.push({ fixture, server });
  const read = async (path: string, lastEventId?: string) => {
    const reader = await EventReader.open(server.url, path, lastEventId);
    readers.push(reader);
    return reader;
  };
  return { fixture, timer, server, read, ref: await fixture.newRun() };
}

const messagesOf = (all: readonly { message: string }[]) => all.map(({ message }) => message);
const states = (reader: EventReader) => reader.events.filter(({ event }) => event === 'state').map(({ data }) => data);

describe('GET /api/v1/runs/{id}/logs/stream', () => {
  it('sends the state, what is there, what comes, the last state and the end', async () => {
    const { fixture, read, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(250));
    const reader = await read(`${ref.runId}/logs/stream`);
    expect(reader.incoming.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    await reader.until(() => reader.messages.length === 250);
    for (let i = 0; i < 5; i++) await fixture.logs.append(ref, SHIP, 250 + i * 10, lines(10, 250 + i * 10));
    await reader.until(() => reader.messages.length === 300);
    await fixture.end(ref, 'succeeded');
    await reader.end();
    expect(reader.messages).toEqual([...messagesOf(lines(300)), 'the attempt has ended: succeeded']);
    expect(reader.events.filter(({ event }) => event === 'log').map(({ id }) => id)).toEqual(
      Array.from({ length: 301 }, (_, i) => `1-${i}`),
    );
    expect(reader.events[0]).toEqual({ event: 'state', data: { state: 'running', attempt: 1 } });
    expect(reader.events.slice(-2)).toEqual([{ event: 'state', data: { state: 'succeeded', attempt: 1 } }, {
      event: 'end',
      data: { next_offset: 301, attempt: 1 },
    }]);
    expect(reader.events.find(({ id }) => id === '1-7')!.data).toEqual((await fixture.list(ref, 7)).data[0]);
  });

  it('of one attempt ends at once when that has ended, and with it when the run begins another', async () => {
    const { fixture, read, ref } = await started();
    const first = await read(`${ref.runId}/logs/stream?attempt=1`);
    await first.until(({ length }) => length > 0);
    const second = await fixture.end(ref, 'queued');
    await first.end();
    expect(states(first)).toEqual([{ state: 'running', attempt: 1 }, { state: 'running', attempt: 2 }]);
    expect(first.events.at(-1)).toEqual({ event: 'end', data: { next_offset: 1, attempt: 1 } });
    const again = await read(`${ref.runId}/logs/stream?attempt=1&offset=1`);
    await again.end();
    expect(again.events).toEqual([{ event: 'state', data: { state: 'running', attempt: 2 } }, {
      event: 'end',
      data: { next_offset: 1, attempt: 1 },
    }]);
    await fixture.end(second, 'cancelled');
    const last = await read(`${ref.runId}/logs/stream`);
    await last.end();
    expect(last.messages).toEqual(['the attempt has ended: cancelled']);
  });

  it('goes on with the attempts that follow, and loses nothing for a client that comes back when one of them has begun', async () => {
    const { fixture, read, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(10));
    const whole = await read(`${ref.runId}/logs/stream`);
    const broken = await read(`${ref.runId}/logs/stream`);
    for (const reader of [whole, broken]) await reader.until(() => reader.messages.length === 10);
    broken.close();
    await fixture.logs.append(ref, SHIP, 10, lines(5, 10));
    const second = await fixture.end(ref, 'queued');
    await fixture.logs.append(second, SHIP, 0, lines(3));
    await fixture.end(second, 'succeeded');
    const first = await fixture.list({ ...ref, attempt: 1 }, 0);
    const all = [...messagesOf(first.data), ...messagesOf(lines(3)), 'the attempt has ended: succeeded'];
    await whole.end();
    expect(whole.messages).toEqual(all);
    const rest = await read(`${ref.runId}/logs/stream`, broken.lastId);
    await rest.end();
    expect([...broken.messages, ...rest.messages]).toEqual(all);
    expect(rest.lastId).toBe('2-3');
    expect(rest.events.at(-1)).toEqual({ event: 'end', data: { next_offset: 4, attempt: 2 } });
    // An attempt in the request overrides the one of the id.
    const named = await read(`${ref.runId}/logs/stream?attempt=2`, '1-14');
    await named.end();
    expect(named.messages).toHaveLength(4);
  });

  it('loses and repeats nothing for clients that break off and come back while lines arrive', async () => {
    const { fixture, read, ref } = await started();
    const total = 3000;
    const writing = (async () => {
      for (let seq = 0; seq < total;) {
        const count = Math.min(1 + (seq % 37), total - seq);
        await fixture.logs.append(ref, SHIP, seq, lines(count, seq));
        seq += count;
      }
      await fixture.end(ref, 'succeeded');
    })();
    const got = await Promise.all([1, 2, 3].map(async (client) => {
      const ids: number[] = [];
      for (let last: string | undefined, stop = 1;; stop += 137 * client) {
        const reader: EventReader = await read(`${ref.runId}/logs/stream`, last);
        await reader.until(() => (reader.offsets.at(-1) ?? -1) >= stop).catch(() => undefined);
        const whole = reader.over;
        reader.close();
        ids.push(...reader.offsets);
        last = reader.lastId ?? last;
        if (whole) return ids;
      }
    }));
    await writing;
    for (const ids of got) expect(ids).toEqual(Array.from({ length: total + 1 }, (_, i) => i));
  });

  it('takes Last-Event-ID before offset, and refuses one that is none', async () => {
    const { fixture, read, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(10));
    await fixture.end(ref, 'failed');
    const reader = await read(`${ref.runId}/logs/stream?offset=2`, '1-7');
    await reader.end();
    expect(reader.messages).toEqual(['line 8', 'line 9', 'the attempt has ended: failed']);
    expect((await read(`${ref.runId}/logs/stream`, '-1')).incoming.statusCode).toBe(400);
    expect((await read(`${ref.runId}/logs/stream`, '1-9007199254740992')).incoming.statusCode).toBe(400);
  });

  it('sends a comment every 15 seconds', async () => {
    const { timer, read, ref } = await started();
    const reader = await read(`${ref.runId}/logs/stream`);
    for (let i = 1; i <= 3; i++) {
      await reader.until(({ length }) => length === i);
      await timer.elapse();
    }
    await reader.until(({ length }) => length === 4);
    expect(reader.events.slice(1)).toEqual(Array(3).fill({ comment: 'nothing new' }));
    expect(timer.sleeps.filter((milliseconds) => milliseconds === 15_000).length).toBeGreaterThanOrEqual(3);
  });

  it('finds what another node wrote when the comment is due', async () => {
    const { fixture, timer, read, ref } = await started();
    const reader = await read(`${ref.runId}/logs/stream`);
    await reader.until(({ length }) => length === 1);
    const other = new LogFixture(fixture.sql, {}, timer);
    await other.logs.append(ref, SHIP, 0, lines(3));
    await other.end(ref, 'succeeded');
    await timer.elapse();
    await reader.end();
    expect(reader.messages).toEqual([...messagesOf(lines(3)), 'the attempt has ended: succeeded']);
    expect(reader.events.at(-1)).toEqual({ event: 'end', data: { next_offset: 4, attempt: 1 } });
  });

  it('disconnects a reader that falls behind, and it misses nothing when it reconnects', async () => {
    const { fixture, read, ref } = await started();
    const reader = await read(`${ref.runId}/logs/stream`);
    await fixture.logs.append(ref, SHIP, 0, lines(1));
    await reader.until(() => reader.messages.length === 1);
    reader.incoming.pause();
    const sent = await flood(fixture, ref);
    reader.incoming.resume();
    await reader.end();
    expect(reader.events.at(-1)!.event).toBe('log');
    expect(reader.messages.length).toBeLessThan(sent);
    const rest = await read(`${ref.runId}/logs/stream`, reader.lastId);
    await rest.until(() => rest.lastId === `1-${sent - 1}`);
    expect([...reader.messages, ...rest.messages].map((message) => Number(/\d+/.exec(message)![0]))).toEqual(
      Array.from({ length: sent }, (_, i) => i),
    );
  });

  it('breaks off where a part is damaged or has expired meanwhile, without saying that the log has ended', async () => {
    const { fixture, read, server, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(250));
    await fixture.sql.transaction((tx) => tx.run('DELETE FROM log_chunks WHERE first_offset = 200'));
    const reader = await read(`${ref.runId}/logs/stream`);
    await reader.end();
    expect([reader.lastId, reader.events.at(-1)!.event, reader.incoming.complete]).toEqual(['1-199', 'log', false]);
    expect(
      (await fetch(`${server.url}/api/v1/runs/${ref.runId}/logs/stream`, { headers: { 'Last-Event-ID': '1-199' } }))
        .status,
    ).toBe(500);
    const live = await read(`${ref.runId}/logs/stream?offset=250`);
    await live.until(({ length }) => length === 1);
    await fixture.tamper(ref, 'UPDATE log_attempts SET phase = 1');
    await fixture.end(ref, 'succeeded');
    await live.end();
    expect(live.events).toHaveLength(1);
    expect((await fetch(`${server.url}/api/v1/runs/${ref.runId}/logs/stream`)).status).toBe(410);
  });

  it('ends all streams when the service stops, without saying that the log has', async () => {
    const { fixture, read, ref } = await started();
    const streams = await Promise.all([1, 2, 3].map(() => read(`${ref.runId}/logs/stream`)));
    for (const stream of streams) await stream.until(({ length }) => length === 1);
    await fixture.logs.stop();
    for (const stream of streams) {
      await stream.end();
      expect(stream.events.at(-1)!.event).toBe('state');
    }
    const late = await read(`${ref.runId}/logs/stream`);
    await late.end();
    expect(states(late)).toHaveLength(1);
  });
});

/** More lines than the sockets of both sides buffer. Returns the number of lines after that. */
async function flood(fixture: LogFixture, ref: RunRef): Promise<number> {
  for (let seq = 1; seq < 15 * 64;) {
    const batch = Array.from({ length: 30 }, (_, i) => line(`line ${seq + i} `.padEnd(16_000, '-')));
    seq = (await fixture.logs.append(ref, SHIP, seq, batch)).nextSeq;
  }
  return fixture.logs.nextSeq(ref.runId, ref.attempt);
}
