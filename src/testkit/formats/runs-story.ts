import { OWN_USER } from '../runs-executor.ts';

export const API_TOKEN = 'a-token-of-many-characters';

/** The ship that joins and is killed while it holds a run. */
export const SHIP = { name: 'far-1', label: 'zone=far' } as const;
export const UNUSED_TOKEN = 'far-2';

/** Seconds after which the first attempts of some runs would end. */
const FOREVER = 1000;
const FIRST_ATTEMPT_HANGS = `echo "attempt $QUIRE_ATTEMPT"; test $QUIRE_ATTEMPT -gt 1 || sleep ${FOREVER}`;

/** Each run of the story has a pipeline of its own, so that it is found by its task. */
const PIPELINES: readonly string[] = [
  `{name: hello, steps: [{name: greet, run: 'echo "hello, $QUIRE_INPUT"; echo "{\\"greeted\\": true}" > ` +
  `"$QUIRE_RESULT_FILE"'}]}`,
  `{name: broken, max_attempts: 2, retry: {on: [step_failed]}, steps: [{name: break, run: 'echo "attempt ` +
  `$QUIRE_ATTEMPT"; exit 3'}]}`,
  `{name: unwanted, steps: [{name: one, run: 'true'}]}`,
  `{name: hanging, steps: [{name: one, run: '${FIRST_ATTEMPT_HANGS}'}]}`,
  `{name: waiting, steps: [{name: one, run: 'echo done'}]}`,
  `{name: distant, steps: [{name: one, run: '${FIRST_ATTEMPT_HANGS}'}]}`,
  `{name: stubborn, steps: [{name: one, run: 'trap "" TERM; echo begun; while :; do sleep 1; done'}]}`,
  `{name: pack, steps: [{name: one, run: 'echo packed > parcel', artifacts: [parcel]}]}`,
  `{name: holder, concurrency: {group: one}, steps: [{name: one, run: '${FIRST_ATTEMPT_HANGS}'}]}`,
  `{name: follower, concurrency: {group: one}, steps: [{name: one, run: 'echo done'}]}`,
  `{name: asking, approval: {required: true}, steps: [{name: one, run: 'echo approved'}]}`,
  `{name: staged, steps: [{name: one, run: 'echo built > parcel', artifacts: [parcel]}, {name: ask, approval: ` +
  `{required: true}}, {name: two, run: 'cat parcel'}]}`,
  `{name: cached, steps: [{name: one, run: 'cat kept || { echo made; echo kept > kept; }', cache: {key: built, ` +
  'paths: [kept]}}]}',
  `{name: grid, inputs: [{name: word, default: cell}], matrix: {n: [1, 2]}, steps: [{name: one, run: 'echo ` +
  `"$QUIRE_INPUT_WORD $QUIRE_MATRIX_N"'}]}`,
];

/**
 * The configuration of the services that write and read the data. The secret of the webhook is not set, so
 * notifications wait.
 */
export const storyConfig = (dataDir: string): string =>
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
${PIPELINES.map((yaml) => `  - ${yaml}`).join('\n')}
schedules: [{name: nightly, project: alpha, cron: 30 2 * * *, task: hello, input: night}]
notifications: {webhooks: [{name: hook, url: 'https://hook.invalid/runs', projects: [alpha], states: [succeeded], secret_env: NO_SUCH_KEY}]}
caches: {store: folder}
`;

/** A run of the story, and the state in which the recording has it. */
export interface RecordedRun {
  readonly project: 'alpha' | 'single' | 'remote';
  readonly task: string;
  readonly input?: string;
  /** Written to the log when the state is reached that the recording shall have. */
  readonly line?: string;
  readonly state: 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled';
}

/** In the order in which they are queued. */
export const RUNS: readonly RecordedRun[] = [{ project: 'alpha', task: 'hello', input: 'world', state: 'succeeded' }, {
  project: 'alpha',
  task: 'broken',
  state: 'failed',
}, { project: 'remote', task: 'unwanted', state: 'cancelled' }, { project: 'alpha', task: 'pack', state: 'succeeded' },
  { project: 'alpha', task: 'grid', state: 'succeeded' }, { project: 'alpha', task: 'cached', state: 'succeeded' }, {
  project: 'single',
  task: 'hanging',
  line: 'attempt 1',
  state: 'running',
}, { project: 'single', task: 'waiting', state: 'queued' }, {
  project: 'remote',
  task: 'distant',
  line: 'attempt 1',
  state: 'running',
}, { project: 'alpha', task: 'holder', line: 'attempt 1', state: 'running' }, {
  project: 'alpha',
  task: 'follower',
  state: 'queued',
}, { project: 'alpha', task: 'asking', state: 'queued' }, {
  project: 'alpha',
  task: 'staged',
  line: 'the run waits for the approval of step ask',
  state: 'queued',
}, { project: 'alpha', task: 'stubborn', line: 'begun', state: 'cancelling' }];

/** The idempotency key of a run. */
export const keyOf = ({ task }: Pick<RecordedRun, 'task'>): string => `recorded-${task}`;

/** The request that queues a run. */
export const requestOf = ({ project, task, input }: RecordedRun): object => ({
  project_id: project,
  kind: 'pipeline',
  task,
  ...(input !== undefined && { input }),
});
