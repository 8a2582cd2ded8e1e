import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultBench, QUICK } from '../../../src/testkit/runs-faults/bench.ts';
import { ProgramClock } from '../../../src/testkit/runs-faults/clock.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { OVERLAP, pipelines, projects } from '../../../src/testkit/runs-faults/pipelines.ts';

const SECRET = 'correct-horse-battery-staple';
const ZONES = ['killed', 'once', 'frozen', 'deaf', 'race', 'revoked', 'skewed', 'masked'];

/**
 * A run with only one attempt, a step that splits the secret while it prints it, and a step that fails with the secret
 * in its message.
 */
const MORE = `
  - {name: once, max_attempts: 1, steps: [{name: only, run: 'echo "attempt $QUIRE_ATTEMPT"; sleep 1000'}]}
  - name: leak
    secrets: [PASSWORD]
    steps:
      - {name: split, run: 'printf %s correct-horse; sleep 0.2; printf "%s\\n" -battery-staple; printf %s "$PASSWORD" | base64; echo "$PASSWORD" >&2; echo "{\\"is\\": \\"$PASSWORD\\"}" > "$QUIRE_RESULT_FILE"'}
  - name: leak-in-error
    secrets: [PASSWORD]
    steps: [{name: fail, run: 'echo "cannot sign in with $PASSWORD" >&2; exit 3'}]
`;

let bench: FaultBench;

beforeAll(async () => {
  bench = new FaultBench({
    env: { PASSWORD_OF_TEST: SECRET },
    yaml: (folder) =>
      `${QUICK}\nsecrets: [{name: PASSWORD, env: PASSWORD_OF_TEST}]\n${projects(ZONES)}${pipelines(folder)}${MORE}`,
  });
  await bench.serve();
});
afterAll(() => bench.close());

const zone = (name: string): string[] => [`zone=${name}`];

/** Waits until all processes of an attempt have ended. */
async function noStepsOf(id: string, attempt?: number): Promise<void> {
  await eventually(`the steps of ${id} to be gone`, () => (bench.stepsOf(id, attempt).length === 0 ? true : undefined));
}

const resultOf = (id: string): Promise<{ content: string }> => bench.data('GET', `/runs/${id}/result`);

describe.concurrent('ships as processes', { timeout: 120_000 }, () => {
  it(
    'one that is killed takes its work with it and loses nothing: the runs are tried again elsewhere, their first ' +
      'logs stay',
    async () => {
      const first = await bench.ship('killed-1', zone('killed'));
      const [id, hidden] = [await bench.submit('killed', 'second'), await bench.submit('killed', 'deaf')];
      await Promise.all([bench.logged(id, 'attempt 1'), bench.logged(hidden, 'begun')]);
      await first.program.signal('SIGKILL').ended;
      await noStepsOf(id);
      await bench.ship('killed-2', zone('killed'));
      expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
      expect([await bench.output(id, 1), await bench.output(id, 2)]).toEqual([['attempt 1'], ['attempt 2']]);
      // A process that has hidden from the ship is found by the ship's next process.
      await first.restart();
      await noStepsOf(hidden, 1);
      await bench.call('POST', `/runs/${hidden}/cancel`);
      await bench.reached(hidden, 'cancelled');
      await noStepsOf(hidden);
    },
  );

  it('one that is killed costs a run without further attempts its life, as soon as the ship is back', async () => {
    const ship = await bench.ship('once', zone('once'));
    const id = await bench.submit('once', 'once');
    await bench.logged(id, 'attempt 1');
    await ship.program.signal('SIGKILL').ended;
    await ship.restart();
    expect(await bench.reached(id, 'failed')).toMatchObject({
      attempt: 1,
      error: { code: 'lease_lost', retryable: true },
    });
    await noStepsOf(id);
  });

  it("one that is frozen and thaws changes nothing any more: the second attempt's result stands", async () => {
    const frozen = await bench.ship('frozen-1', zone('frozen'));
    // One ends when the ship resumes; the other has ended meanwhile and is reported then.
    const [stopped, reported] = [await bench.submit('frozen', 'second'), await bench.submit('frozen', 'stubborn')];
    await Promise.all([bench.logged(stopped, 'attempt 1'), bench.logged(reported, 'attempt 1')]);
    frozen.program.signal('SIGSTOP');
    const other = await bench.ship('frozen-2', zone('frozen'));
    const ends = await Promise.all([stopped, reported].map((id) => bench.reached(id, 'succeeded')));
    expect(ends).toEqual([expect.objectContaining({ attempt: 2, ship_id: other.id }),
      expect.objectContaining({ attempt: 2, ship_id: other.id })]);
    // Only the watchdog of the frozen ship could end it, and it did so before the run was assigned again.
    expect(bench.stepsOf(stopped, 1)).toEqual([]);
    const thawedAt = Date.now();
    frozen.program.signal('SIGCONT');
    await Promise.all([noStepsOf(stopped), noStepsOf(reported)]);
    await eventually('the ship to be heard of, with nothing aboard', async () => {
      const { last_seen_at: seen, running } = (await bench.listShips()).find(({ id }) => id === frozen.id)!;
      return (seen ?? 0) * 1000 > thawedAt && running === 0 ? true : undefined;
    });
    expect(await Promise.all([stopped, reported].map((id) => bench.run(id)))).toEqual(ends);
    for (const id of [stopped, reported]) expect(JSON.parse((await resultOf(id)).content)).toEqual({ attempt: 2 });
    expect([await bench.output(stopped), await bench.output(reported)]).toEqual([['attempt 1'], ['attempt 1']]);
  });

  it('a step that ignores SIGTERM is cancelled all the same, with everything that it started', async () => {
    await bench.ship('deaf', zone('deaf'));
    const id = await bench.submit('deaf', 'deaf');
    await bench.logged(id, 'begun');
    expect(bench.stepsOf(id).length).toBeGreaterThan(2);
    expect((await bench.call('POST', `/runs/${id}/cancel`)).body.data).toMatchObject({ state: 'cancelling' });
    await bench.reached(id, 'cancelled');
    await noStepsOf(id);
    expect(await bench.call('POST', `/runs/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { error: { code: 'run_state_conflict' } },
    });
  });

  it('a success that races a cancel ends as the answer to the cancel implied', async () => {
    await bench.ship('race', zone('race'));
    const ends = await Promise.all(Array.from({ length: 10 }, async (_, i) => {
      const id = await bench.submit('race', 'short', String(10 + i * 3));
      await bench.when(id, 'to have begun', ({ state }) => state !== 'queued');
      const { status, body } = await bench.call<{ state: string }>('POST', `/runs/${id}/cancel`);
      const { state } = await bench.when(id, 'its end', ({ finished_at: end }) => end !== null);
      await noStepsOf(id);
      return [status, status === 200 ? body.data.state : body.error!.code, state].join(' ');
    }));
    for (const end of ends) expect(['200 cancelling cancelled', '409 run_state_conflict succeeded']).toContain(end);
  });

  it('one that is revoked while it works is locked out permanently, and its run continues elsewhere', async () => {
    const revoked = await bench.ship('revoked-1', zone('revoked'));
    const identity = join(revoked.folder, 'identity.json');
    const kept = readFileSync(identity);
    const id = await bench.submit('revoked', 'second');
    await bench.logged(id, 'attempt 1');
    expect((await bench.call('POST', `/ships/${revoked.id}/revoke`)).body.data).toMatchObject({ revoked: true });
    expect(await revoked.program.ended).toMatchObject({ code: 77 });
    expect([bench.stepsOf(id), existsSync(identity)]).toEqual([[], false]);
    await bench.ship('revoked-2', zone('revoked'));
    expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await bench.output(id, 2)).not.toContain(OVERLAP);
    // A copy of its key is useless.
    writeFileSync(identity, kept);
    const impostor = await bench.start(['ship', 'run', '--data-dir', revoked.folder]).ended;
    expect(impostor).toMatchObject({ code: 77, stderr: expect.stringContaining('revoked') as string });
  });

  it("one whose clock is an hour ahead, and is set back, keeps its lease; the log's times are the server's", async ({ onTestFinished }) => {
    const clock = new ProgramClock();
    onTestFinished(() => clock.remove());
    clock.set(3_600_000);
    const ship = await bench.ship('skewed', zone('skewed'), { env: clock.env });
    const id = await bench.submit('skewed', 'count', '80');
    await bench.logged(id, 'line 10');
    clock.set(-7_200_000);
    const run = await bench.reached(id, 'succeeded');
    expect(run).toMatchObject({ attempt: 1, ship_id: ship.id });
    for (const { time } of await bench.log(id)) {
      expect(Date.parse(time) / 1000).toBeGreaterThanOrEqual(run.created_at);
      expect(Date.parse(time) / 1000).toBeLessThan(run.finished_at! + 1);
    }
  });

  it('shows a secret nowhere, however it is written', async () => {
    const ship = await bench.ship('masked', zone('masked'));
    const [split, failed] = [await bench.submit('masked', 'leak'), await bench.submit('masked', 'leak-in-error')];
    await bench.reached(split, 'succeeded');
    const { error } = await bench.reached(failed, 'failed');
    expect(await bench.output(split)).toEqual(['***', '***', '***']);
    expect(await bench.output(failed)).toEqual(['cannot sign in with ***']);
    expect(JSON.parse((await resultOf(split)).content)).toEqual({ is: '***' });
    const places = [JSON.stringify(error), ship.program.output, bench.server.output,
      ...['runs.db', 'runs.db-wal'].map((file) => readFileSync(join(bench.folder, 'server', file), 'latin1'))];
    for (const text of places)
      for (const form of [SECRET, Buffer.from(SECRET).toString('base64')]) expect(text.includes(form)).toBe(false);
  });
});
