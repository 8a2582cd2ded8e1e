import { OWN_USER } from '../runs-executor.ts';

export const API_TOKEN = 'a-token-of-many-characters';

/** Formats of the run queue that introduced what the story stores. */
export const RUNS_SINCE = {
  queue: 5,
  artifacts: 6,
  orchestration: 7,
  matrices: 8,
  approvalSteps: 10,
  sharedCaches: 11,
} as const;

/** The ship that joins and is killed while it holds a run. */
export const SHIP = { name: 'far-1', label: 'zone=far' } as const;
export const UNUSED_TOKEN = 'far-2';

/** Seconds after which the first attempts of some runs would end. */
const FOREVER = 1000;
const FIRST_ATTEMPT_HANGS = `echo "attempt $QUIRE_ATTEMPT"; test $QUIRE_ATTEMPT -gt 1 || sleep ${FOREVER}`;

interface Pipeline {
  readonly since: number;
  readonly yaml: string;
}

/** Each run of the story has a pipeline of its own, so that it is found by its task. */
const PIPELINES: readonly Pipeline[] = [{
  since: RUNS_SINCE.queue,
  yaml: `{name: hello, steps: [{name: greet, run: 'echo "hello, $QUIRE_INPUT"; echo "{\\"greeted\\": true}" > ` +
    `"$QUIRE_RESULT_FILE"'}]}`,
}, {
  since: RUNS_SINCE.queue,
  yaml: `{name: broken, max_attempts: 2, retry: {on: [step_failed]}, steps: [{name: break, run: 'echo "attempt ` +
    `$QUIRE_ATTEMPT"; exit 3'}]}`,
}, { since: RUNS_SINCE.queue, yaml: `{name: unwanted, steps: [{name: one, run: 'true'}]}` }, {
  since: RUNS_SINCE.queue,
  yaml: `{name: hanging, steps: [{name: one, run: '${FIRST_ATTEMPT_HANGS}'}]}`,
}, { since: RUNS_SINCE.queue, yaml: `{name: waiting, steps: [{name: one, run: 'echo done'}]}` }, {
  since: RUNS_SINCE.queue,
  yaml: `{name: distant, steps: [{name: one, run: '${FIRST_ATTEMPT_HANGS}'}]}`,
}, {
  since: RUNS_SINCE.queue,
  yaml: `{name: stubborn, steps: [{name: one, run: 'trap "" TERM; echo begun; while :; do sleep 1; done'}]}`,
}, {
  since: RUNS_SINCE.artifacts,
  yaml: `{name: pack, steps: [{name: one, run: 'echo packed > parcel', artifacts: [parcel]}]}`,
}, {
  since: RUNS_SINCE.orchestration,
  yaml: `{name: holder, concurrency: {group: one}, steps: [{name: one, run: '${FIRST_ATTEMPT_HANGS}'}]}`,
}, {
  since: RUNS_SINCE.orchestration,
  yaml: `{name: follower, concurrency: {group: one}, steps: [{name: one, run: 'echo done'}]}`,
}, {
  since: RUNS_SINCE.orchestration,
  yaml: `{name: asking, approval: {required: true}, steps: [{name: one, run: 'echo approved'}]}`,
}, {
  since: RUNS_SINCE.approvalSteps,
  yaml: `{name: staged, steps: [{name: one, run: 'echo built > parcel', artifacts: [parcel]}, {name: ask, approval: ` +
    `{required: true}}, {name: two, run: 'cat parcel'}]}`,
}, {
  since: RUNS_SINCE.sharedCaches,
  yaml: `{name: cached, steps: [{name: one, run: 'cat kept || { echo made; echo kept > kept; }', cache: {key: built, ` +
    'paths: [kept]}}]}',
}, {
  since: RUNS_SINCE.matrices,
  yaml: `{name: grid, inputs: [{name: word, default: cell}], matrix: {n: [1, 2]}, steps: [{name: one, run: 'echo ` +
    `"$QUIRE_INPUT_WORD $QUIRE_MATRIX_N"'}]}`,
}];

/** Sections since format 7. The secret of the webhook is not set, so notifications wait. */
const ORCHESTRATION = `
schedules: [{name: nightly, project: alpha, cron: 30 2 * * *, task: hello, input: night}]
notifications: {webhooks: [{name: hook, url: 'https://hook.invalid/runs', projects: [alpha], states: [succeeded], secret_env: NO_SUCH_KEY}]}
`;

/** The configuration of the services that write and read the data of a format. */
export const storyConfig = (format: number, dataDir: string): string =>
  `version: 1
listen: 127.0.0.1:0
data_dir: ${dataDir}
node_id: recorder
runtime: {api_token_env: RUNS_API_TOKEN, shutdown_grace: 1s}
queue: {heartbeat: 300ms, backoff: {initial: 50ms, max: 100ms}}
local: {capacity: 6, sandbox: none, run_as: ${OWN_USER}}
fleet: {enabled: true, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: 127.0.0.1}
projects:
  - {id: alpha, repository: org/alpha}
  - {id: single, repository: org/single, max_parallel: 1}
  - {id: remote, repository: org/remote, runs_on: [${SHIP.label}]}
pipelines:
${PIPELINES.filter(({ since }) => since <= format).map(({ yaml }) => `  - ${yaml}`).join('\n')}
${format < RUNS_SINCE.orchestration ? '' : ORCHESTRATION}${
    format < RUNS_SINCE.sharedCaches ? '' : 'caches: {store: folder}\n'
  }`;

/** A run of the story, and the state in which the recording has it. */
export interface RecordedRun {
  readonly since: number;
  readonly project: 'alpha' | 'single' | 'remote';
  readonly task: string;
  readonly input?: string;
  /** Written to the log when the state is reached that the recording shall have. */
  readonly line?: string;
  readonly state: 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled';
}

/** In the order in which they are queued. */
export const RUNS: readonly RecordedRun[] = [{
  since: RUNS_SINCE.queue,
  project: 'alpha',
  task: 'hello',
  input: 'world',
  state: 'succeeded',
}, { since: RUNS_SINCE.queue, project: 'alpha', task: 'broken', state: 'failed' }, {
  since: RUNS_SINCE.queue,
  project: 'remote',
  task: 'unwanted',
  state: 'cancelled',
}, { since: RUNS_SINCE.artifacts, project: 'alpha', task: 'pack', state: 'succeeded' }, {
  since: RUNS_SINCE.matrices,
  project: 'alpha',
  task: 'grid',
  state: 'succeeded',
}, { since: RUNS_SINCE.sharedCaches, project: 'alpha', task: 'cached', state: 'succeeded' }, {
  since: RUNS_SINCE.queue,
  project: 'single',
  task: 'hanging',
  line: 'attempt 1',
  state: 'running',
}, { since: RUNS_SINCE.queue, project: 'single', task: 'waiting', state: 'queued' }, {
  since: RUNS_SINCE.queue,
  project: 'remote',
  task: 'distant',
  line: 'attempt 1',
  state: 'running',
}, { since: RUNS_SINCE.orchestration, project: 'alpha', task: 'holder', line: 'attempt 1', state: 'running' }, {
  since: RUNS_SINCE.orchestration,
  project: 'alpha',
  task: 'follower',
  state: 'queued',
}, { since: RUNS_SINCE.orchestration, project: 'alpha', task: 'asking', state: 'queued' }, {
  since: RUNS_SINCE.approvalSteps,
  project: 'alpha',
  task: 'staged',
  line: 'the run waits for the approval of step ask',
  state: 'queued',
}, { since: RUNS_SINCE.queue, project: 'alpha', task: 'stubborn', line: 'begun', state: 'cancelling' }];

/** The idempotency key of a run. */
export const keyOf = ({ task }: Pick<RecordedRun, 'task'>): string => `recorded-${task}`;

/** The request that queues a run. */
export const requestOf = ({ project, task, input }: RecordedRun): object => ({
  project_id: project,
  kind: 'pipeline',
  task,
  ...(input !== undefined && { input }),
});
