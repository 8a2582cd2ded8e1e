import type { TestResult } from '../../../../../generated/runs/sdk/types.gen.ts';
import { BEFORE, clipped, findRun, fittingPage, LIMIT, roomBeside, RUN_ID, type RunTool } from '../run-tool.ts';

export const testFailures: RunTool = {
  name: 'test_failures',
  title: 'List failed tests',
  description:
    'Lists the tests of a run that failed, with their messages, places and stack traces. Findings of linters ' +
    'with the level error are listed after them.',
  properties: {
    id: RUN_ID,
    attempt: { type: 'integer', minimum: 1, description: 'The attempt; the last one when absent.' },
    limit: LIMIT,
    before: BEFORE,
  },
  required: ['id'],
  example: { id: '019b45a500007c3e9a41d2f0b6e85713' },
  hint: 'read',
  needs: ['getRun', 'listRuns', 'listRunTests'],
  async run(args, service) {
    const { id, state } = await findRun(service, args.text('id'));
    const filter = { id, ...args.pick({ attempt: 'attempt', before: 'before' }) };
    const before = args.get<string>('before');
    const limit = args.get<number>('limit') ?? LIMIT.default;
    const { totals } = before === undefined
      ? await service.call('listRunTests', { ...filter, limit: 1 })
      : { totals: null };
    const head = { id, state, ...(totals !== null && { totals }) };
    if (totals !== null && totals.total === 0)
      return { ...head, failures: [], note: 'the run has sent no test reports: call read_log' };
    // Failures are the first of the list, and those that follow are left out.
    const read = async (size: number) => {
      const page = await service.call('listRunTests', { ...filter, limit: size });
      const data = page.data.filter(isFailure);
      return { data, next_cursor: data.length < page.data.length ? null : page.next_cursor };
    };
    const { items, next } = await fittingPage(read, limit, roomBeside(head, service), shortResult);
    return {
      ...head,
      failures: items,
      ...(next !== undefined && { next, note: 'there may be more: call test_failures again with before = next' }),
    };
  },
};

const isFailure = ({ state }: TestResult): boolean => state === 'failed' || state === 'error';

function shortResult({ suite, class: className, name, file, line, step, message, detail, state, flaky }: TestResult) {
  const isSaid = detail !== null && message !== null && detail.trim() === message.trim();
  return {
    test: [suite, className === suite ? '' : className, name].filter((part) => part !== '').join(' > ').slice(0, 300),
    state: state === 'failed' ? undefined : state,
    place: file === null ? undefined : `${file.slice(0, 200)}${line === null ? '' : `:${line}`}`,
    step: step || undefined,
    flaky: flaky || undefined,
    message: message === null ? undefined : clipped(message, 400),
    detail: detail === null || isSaid ? undefined : clipped(detail, 1200),
  };
}
