import { afterEach, describe, expect, it } from 'vitest';
import { type Operations, operations } from '../../../generated/runs/operations.ts';
import { createHttpApp, type HttpServer, nestedErrors, startHttpServer } from '../../api/http/index.ts';
import { readSpecification } from '../../app/specification.ts';
import { silentLog } from '../../lib/log.ts';
import { createInvoker } from '../../operations/index.ts';
import { HttpClient } from '../../testkit/http-client.ts';
import { line, lines, LogFixture, SHIP } from './test-fixture.ts';

const open: { fixture: LogFixture; server: HttpServer; client: HttpClient }[] = [];
afterEach(async () => {
  for (const { fixture, server, client } of open.splice(0)) {
    client.close();
    await fixture.close();
    await server.stop(100);
  }
});

async function started() {
  const fixture = await LogFixture.open();
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
  const client = new HttpClient(server.url);
  open.push({ fixture, server, client });
  const get = async (path: string) => {
    const { status, json } = await client.get(`/api/v1/runs/${path}`);
    return {
      status,
      ...json<{ data: { message: string }[]; next_offset: number; complete: boolean; error: { code: string } }>(),
    };
  };
  return { fixture, get, ref: await fixture.newRun() };
}

describe('GET /api/v1/runs/{id}/logs', () => {
  it('returns pages of at most 100, always with the next offset, and says when nothing follows', async () => {
    const { fixture, get, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(250));
    const first = await get(`${ref.runId}/logs`);
    expect([first.status, first.data.length, first.next_offset, first.complete]).toEqual([200, 100, 100, false]);
    const odd = await get(`${ref.runId}/logs?offset=137`);
    expect(odd.data.map(({ message }) => message)).toEqual(lines(100, 137).map(({ message }) => message));
    expect([odd.next_offset, odd.complete]).toEqual([237, false]);
    expect(await get(`${ref.runId}/logs?offset=250`)).toEqual({
      status: 200,
      data: [],
      next_offset: 250,
      complete: false,
    });
    expect(await get(`${ref.runId}/logs?offset=9007199254740991`)).toMatchObject({
      status: 200,
      data: [],
      next_offset: 9007199254740991,
    });
    await fixture.end(ref, 'succeeded');
    expect(await get(`${ref.runId}/logs?offset=250`)).toMatchObject({ next_offset: 251, complete: true });
    expect(await get(`${ref.runId}/logs?offset=151`)).toMatchObject({ next_offset: 251, complete: true });
    expect(await get(`${ref.runId}/logs?offset=150`)).toMatchObject({ next_offset: 250, complete: false });
    expect(await get(`${ref.runId}/logs?offset=999`)).toEqual({
      status: 200,
      data: [],
      next_offset: 999,
      complete: true,
    });
  });

  it('returns the current attempt, or the one that is asked for', async () => {
    const { fixture, get, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, [line('one')]);
    const second = await fixture.end(ref, 'queued');
    expect(await get(`${ref.runId}/logs`)).toEqual({ status: 200, data: [], next_offset: 0, complete: false });
    await fixture.logs.append(second, SHIP, 0, [line('two')]);
    expect((await get(`${ref.runId}/logs`)).data[0]!.message).toBe('two');
    expect(await get(`${ref.runId}/logs?attempt=1`)).toMatchObject({ data: [{ message: 'one' }, {}], complete: true });
    for (const attempt of ['0', '-1', '3', '1.5', 'x', '']) {
      expect(await get(`${ref.runId}/logs?attempt=${attempt}`), attempt).toEqual({
        status: 400,
        error: { code: 'invalid_attempt' },
      });
    }
  });

  it('refuses offsets that are none, and runs that are none', async () => {
    const { get, ref } = await started();
    for (const offset of ['-1', '0.5', 'x', '', '9007199254740992', '1e300']) {
      expect(await get(`${ref.runId}/logs?offset=${offset}`), offset).toEqual({
        status: 400,
        error: { code: 'invalid_offset' },
      });
    }
    for (const id of ['xyz', '0'.repeat(32), ref.runId.toUpperCase(), `${ref.runId}0`]) {
      expect(await get(`${id}/logs`), id).toEqual({ status: 404, error: { code: 'run_not_found' } });
      expect(await get(`${id}/logs/stream`), id).toEqual({ status: 404, error: { code: 'run_not_found' } });
    }
    for (const [query, code] of [['offset=-1', 'invalid_offset'], ['attempt=2', 'invalid_attempt']]) {
      expect(await get(`${ref.runId}/logs/stream?${query}`)).toEqual({ status: 400, error: { code } });
    }
  });

  it('returns 500 logs_unavailable for a part that is damaged or missing, and the rest as ever', async () => {
    const { fixture, get, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(350));
    const broken = { status: 500, error: { code: 'logs_unavailable' } };
    const damage = async (sql: string, params: (string | number)[]) =>
      void (await fixture.sql.transaction((tx) => tx.run(sql, params)));
    await damage('DELETE FROM log_chunks WHERE run_id = ? AND first_offset = 100', [ref.runId]);
    const body =
      (await fixture.sql.get<{ body: Uint8Array }>('SELECT body FROM log_chunks WHERE first_offset = 300'))!.body;
    for (let i = 0; i < body.length; i++) {
      const flipped = body.with(i, body[i]! ^ 0x10);
      await fixture.sql.transaction((tx) =>
        tx.run('UPDATE log_chunks SET body = ? WHERE first_offset = 300', [flipped])
      );
      const { status, data } = await get(`${ref.runId}/logs?offset=300`).catch(() => broken as never);
      // A few bits of a frame have no meaning; the response must be right nevertheless.
      if (status === 200)
        expect(data.map(({ message }) => message)).toEqual(lines(50, 300).map(({ message }) => message));
      else expect(status).toBe(500);
    }
    await damage('UPDATE log_chunks SET body = zeroblob(10) WHERE run_id = ? AND first_offset = 300', [ref.runId]);
    expect(await get(`${ref.runId}/logs?offset=100`)).toEqual(broken);
    expect(await get(`${ref.runId}/logs?offset=50`)).toEqual(broken);
    expect(await get(`${ref.runId}/logs?offset=300`)).toEqual(broken);
    expect(await get(`${ref.runId}/logs/stream?offset=300`)).toEqual(broken);
    expect((await get(`${ref.runId}/logs?offset=200`)).data).toHaveLength(100);
    // Events after the damaged part are stored and readable.
    await fixture.logs.append(ref, SHIP, 350, lines(10, 350));
    expect((await get(`${ref.runId}/logs?offset=350`)).data.map(({ message }) => message)).toEqual(
      lines(10, 350).map(({ message }) => message),
    );
  });
});
