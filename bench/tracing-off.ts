// The cost of tracing while it is off: `node --expose-gc bench/tracing-off.ts`. An operation that does nothing is
// invoked with and without the check for tracing, alternately in one process; the medians of the rounds are compared,
// and the bytes that each invocation allocates.
import { currentTracing } from '../src/lib/tracing.ts';
import { type Caller, createInvoker, type OperationSpec } from '../src/operations/index.ts';

const ROUNDS = 31;
const CALLS = 100_000;

interface Nothing {
  readonly nothing: { readonly input: object; readonly output: object };
}

const operation: OperationSpec = {
  id: 'nothing',
  method: 'POST',
  path: '/v1/nothing',
  area: 'system',
  summary: '',
  access: 'public',
  effect: 'read',
  limited: false,
  sanitize: false,
  status: 200,
  parameters: [],
  consumes: [],
  produces: [],
};
const invoke = createInvoker<Nothing>({
  operations: { nothing: operation },
  inputs: { nothing: { type: 'object' } },
  handlers: { nothing: async (input: object) => input } as never,
  mode: () => 'wr',
});
const caller: Caller = { protocol: 'http', requestId: '1' };

/**
 * The number of checks for tracing in one write over HTTP: frame, operation, transaction, waiting for indexes, and two
 * in reserve.
 */
const QUESTIONS = 6;
let sink = 0;
const asked = (): Promise<unknown> => {
  for (let i = 0; i < QUESTIONS; i++) sink += currentTracing() === undefined ? 1 : 0;
  return invoke('nothing', {}, caller);
};
const plain = (): Promise<unknown> => invoke('nothing', {}, caller);

async function round(work: () => Promise<unknown>): Promise<{ nanoseconds: number; bytes: number }> {
  globalThis.gc?.();
  const [heap, begun] = [process.memoryUsage().heapUsed, process.cpuUsage().user];
  for (let i = 0; i < CALLS; i++) await work();
  const nanoseconds = ((process.cpuUsage().user - begun) * 1000) / CALLS;
  return { nanoseconds, bytes: (process.memoryUsage().heapUsed - heap) / CALLS };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

const found = { plain: [] as number[], asked: [] as number[] };
for (let i = 0; i < ROUNDS; i++)
  for (const [name, work] of [['plain', plain], ['asked', asked]] as const)
    found[name].push((await round(work)).nanoseconds);

/** Without a garbage collection in between, so that all allocations are counted. */
function bytesOf(question: () => void): number {
  for (let i = 0; i < CALLS; i++) question();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < CALLS; i++) question();
  return Math.max(0, process.memoryUsage().heapUsed - before) / CALLS;
}
const bytes = median(
  Array.from({ length: ROUNDS }, () => bytesOf(() => void (sink += currentTracing() === undefined ? 1 : 0))),
);
console.log(
  `an operation that does nothing: ${
    median(found.plain).toFixed(0)
  } ns of processor time; with ${QUESTIONS} questions more: ${median(found.asked).toFixed(0)} ns`,
);
console.log(`bytes allocated by a question: ${bytes.toFixed(2)} (${sink > 0 ? 'off' : 'on'})`);
