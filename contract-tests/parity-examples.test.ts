import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { OperationId } from '../generated/docs/operations.ts';
import { startDocsServer } from '../src/testkit/docs-server.ts';
import type { Driver, Input, Outcome } from './parity/driver.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';
import { exampleInput } from './parity/examples.ts';
import { CHECKSUM } from './parity/transcript.ts';
import { exampleCalls } from './support/examples.ts';

/** Calls whose results depend on the process or on a file of this machine, and the stream that only REST has. */
const OWN = new Set(['getHealth', 'getHealthV1', 'getReadiness', 'getReadinessV1', 'getSystemInfo', 'getMetrics',
  'getStats', 'createBackup', 'createBackupByQuery', 'restoreBackup', 'streamEvents', 'listNodes']);

const CALLS = exampleCalls('docs').filter(({ operationId, consumes }) =>
  !OWN.has(operationId) && (consumes.length === 0 || consumes[0] === 'application/json')
).map((call) => [call.operationId as OperationId, exampleInput(call)] as const);

/** A document for the examples that read one. */
const GUIDE = {
  collection: 'docs',
  lang: 'en',
  contentMd: '# Hello\n\nFirst post about red apples.',
  meta: { category: ['news'], tags: ['release'] },
};

const DRAWN_ID = /\b(cfg|cur|ses|msg|sum|job|wh|auto|log|rot|mcp)_[0-9a-f]{6,}(_[0-9a-f]+)?/g;
const FINGERPRINT = /"fingerprint":"[0-9a-f]{8}"/g;
const NODE = /\bnode-[0-9a-f]{8}\b/g;

interface Played {
  readonly driver: Driver;
  /** In the order of the calls; `said` if the protocol itself carried the call. */
  readonly outcomes: readonly { readonly operation: OperationId; readonly outcome: Outcome; readonly said: boolean }[];
}

async function jobEnded(rest: Driver, id: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await rest.call('getBulkIngest', { id })).toMatchObject({ value: { status: 'completed' } }),
    { timeout: 15_000 },
  );
}

/** Plays the examples on a server of its own, with the ids of created resources instead of those in the examples. */
async function playExamples(pick: (drivers: Drivers) => Driver): Promise<Played> {
  const server = await startDocsServer({ clock: { now: () => 1_766_400_000_000 } });
  const drivers = await driversOf(server);
  const driver = pick(drivers);
  const made = new Map<string, string>();
  const outcomes: Played['outcomes'][number][] = [];
  try {
    for (const key of ['Hello-World', 'guide']) await drivers.rest.call('addDocument', { ...GUIDE, key });
    for (const [operation, example] of CALLS) {
      const input = JSON.parse(
        JSON.stringify(example).replace(DRAWN_ID, (id, prefix: string) => made.get(prefix) ?? id),
      ) as Input;
      const said = driver.lacks(operation, input) === undefined;
      const outcome = await (said ? driver : drivers.rest).call(operation, input);
      const text = JSON.stringify(outcome,
        (name, value: unknown) => (typeof value === 'number' && /Ms$|Unix$/.test(name) ? 0 : value));
      for (const [id, prefix] of text.matchAll(DRAWN_ID)) made.set(prefix!, id);
      // The results of later examples must not depend on the progress of a job.
      if (operation === 'submitBulkIngest') await jobEnded(drivers.rest, made.get('job')!);
      const same = text.replaceAll(server.folder, 'FOLDER').replace(DRAWN_ID, '$1_ID').replace(CHECKSUM,
        '"checksum":"SUM"').replace(FINGERPRINT, '"fingerprint":""').replace(NODE, 'NODE');
      outcomes.push({ operation, outcome: JSON.parse(same) as Outcome, said });
    }
    return { driver, outcomes };
  } finally {
    await drivers.close();
    await server.stop();
  }
}

describe("each operation's example in the specification", () => {
  let reference: Played;
  beforeAll(async () => {
    reference = await playExamples(({ rest }) => rest);
  });

  it.each([0, 1, 2, 3])('is answered over another protocol (%#) as over REST', async (n) => {
    const { driver, outcomes } = await playExamples(({ others }) => others[n]!);
    expect(outcomes.filter(({ said }) => said).length).toBeGreaterThan(10);
    for (const [i, { operation, outcome, said }] of outcomes.entries()) {
      const expected = reference.outcomes[i]!.outcome;
      expect.soft(outcome, `${driver.protocol}: ${operation}`).toEqual(
        said ? driver.view(operation, expected, CALLS[i]![1]) : expected,
      );
    }
  }, 60_000);

  it('is answered with a success in most cases, so that there is something to compare', () => {
    const succeeded = reference.outcomes.filter(({ outcome }) => 'value' in outcome);
    expect(succeeded.length).toBeGreaterThan(50);
  });
});
