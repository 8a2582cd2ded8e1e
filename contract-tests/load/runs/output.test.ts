import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogEvent, Run } from '../../../generated/runs/sdk/types.gen.ts';
import { QueueServer } from '../../../src/testkit/runs-scale/queue-server.ts';

const PRINTED = 100 * 2 ** 20;
const BUDGET = 16 * 2 ** 20;
/** A request that takes this long hangs, whatever else the machine does. */
const HANGS_MS = 10_000;
/**
 * Far more than the server needs (90 MiB with a limited heap): every line passes through it, and the garbage collector
 * runs rarely.
 */
const MEMORY = 400 * 2 ** 20;

const SECRET = 'correct-horse-battery-staple';

// The step prints the secret in two halves, at two times, to each stream and into its result.
const YAML = `
secrets: [{name: TOKEN, env: THE_TOKEN}]
pipelines:
  - name: flood
    steps:
      - {name: print, run: '{ yes "$(printf %099d 7)" || :; } | head -c ${PRINTED}'}
      - {name: after, run: 'printf reached > "$QUIRE_RESULT_FILE"'}
  - name: halves
    secrets: [TOKEN]
    steps:
      - name: print
        run: |
          first=$(printf %s "$TOKEN" | cut -c -11)
          second=$(printf %s "$TOKEN" | cut -c 12-)
          printf 'it is %s' "$first"; sleep 0.3; echo "$second, it was"
          printf 'also %s' "$first" >&2; sleep 0.3; echo "$second" >&2
          printf 'and %s' "$TOKEN" > "$QUIRE_RESULT_FILE"
projects: [{id: alpha, repository: org/alpha}]
`;

let server: QueueServer;

beforeEach(async () => {
  server = new QueueServer({ yaml: YAML, local: 2, env: { THE_TOKEN: SECRET } });
  await server.start();
});

afterEach(() => server.remove());

const submit = (task: string): Promise<Run> => server.submit({ project_id: 'alpha', kind: 'pipeline', task });

const logFrom = (id: string, offset: number): Promise<LogEvent[]> =>
  server.api('GET', `/runs/${id}/logs?offset=${offset}`);

/**
 * Sends the usual requests of clients until the run has ended, each of which must be answered in time; returns their
 * number.
 */
async function askUntilOver({ id }: Run): Promise<{ run: Run; rounds: number }> {
  for (let rounds = 1;; rounds++) {
    const health = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(HANGS_MS) });
    expect(health.status).toBe(200);
    const [run] = await Promise.race([server.api<Run[]>('GET', '/runs?limit=50'), hanging()]);
    await Promise.race([logFrom(id, rounds * 1000), hanging()]);
    if (run!.finished_at !== null) return { run: run!, rounds };
  }
}

async function hanging(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, HANGS_MS).unref());
  throw new Error(`no response within ${HANGS_MS} ms`);
}

/** The number of events of a log, found without reading all of it. */
async function lengthOf(id: string): Promise<number> {
  let [low, high] = [0, 1_000_000];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await logFrom(id, middle)).length === 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function wholeLog(id: string): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (;;) {
    const page = await logFrom(id, events.length);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

describe('a run that prints 100 MiB', () => {
  it('is cut at its budget with a marker and goes on to its end, while the service answers and its memory stays small',
    async () => {
      const before = server.peakMemory();
      const { run, rounds } = await askUntilOver(await submit('flood'));
      const grown = server.peakMemory() - before;
      expect(run).toMatchObject({ state: 'succeeded', attempt: 1, log_truncated: true });
      expect(rounds).toBeGreaterThan(3);
      expect((await server.api<{ content: string }>('GET', `/runs/${run.id}/result`)).content).toBe('reached');

      // The beginning, the message about the gap, and the last 20,000 lines, followed by the server's message about the
      // end.
      const length = await lengthOf(run.id);
      const printed = '7'.padStart(99, '0');
      const around = await logFrom(run.id, length - 20_050);
      const notes = around.filter(({ stream }) => stream === 'system');
      expect(notes.map(({ level, message }) => [level, message])).toEqual([['warn',
        expect.stringContaining('the log has reached its limit of 16MiB')], ['warn',
        expect.stringMatching(/^\d+ lines of \d+ bytes are left out here$/)]]);
      const last = await logFrom(run.id, length - 50);
      expect(last.filter(({ stream }) => stream !== 'system').every(({ message }) => message === printed)).toBe(true);
      const [, lines, bytes] = /^(\d+) lines of (\d+) bytes/.exec(notes[1]!.message)!.map(Number);
      expect([bytes, Math.abs(run.logs_bytes + bytes! - PRINTED * 0.99) < 2000]).toEqual([lines! * 99, true]);
      expect(run.logs_bytes).toBeGreaterThan(BUDGET * 0.8);
      expect(run.logs_bytes).toBeLessThan(BUDGET);
      expect(grown).toBeLessThan(MEMORY);
    }, 60_000);
});

describe('a secret', () => {
  it('is masked where it is split across chunks of the output, and in results', async () => {
    const { run } = await askUntilOver(await submit('halves'));
    expect(run.state).toBe('succeeded');
    const log = await wholeLog(run.id);
    const printed = (stream: string): string[] =>
      log.filter((event) => event.stream === stream).map(({ message }) => message);
    expect([printed('stdout').join(''), printed('stderr').join('')]).toEqual(['it is ***, it was', 'also ***']);
    const { content } = await server.api<{ content: string }>('GET', `/runs/${run.id}/result`);
    expect(content).toBe('and ***');
    expect(JSON.stringify([log, run])).not.toContain(SECRET.slice(0, 11));
  });
});
