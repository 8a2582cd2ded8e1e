import { environment, flag, format, integer, item, LABEL_OF_CELL, list, listOrAll, mapping, name, number, numberOrNone,
  oneOf, requiredText, SCALAR, scalar, section, SHORT_NAME, text, variable, VARIABLE_NAME } from './build.ts';
import { SANDBOXES } from './queue.ts';
import { pipelineConditions, stepConditions } from './when.ts';

const TEXT = { type: 'string', minLength: 1 } as const;

/** For patterns of artefacts and paths of caches: no `..`, no absolute path, no option. */
const FILES = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  pattern: '^(?![/-])(?!.*(^|/)\\.\\.(/|$))[^\\u0000-\\u001f]+$',
  'x-expected': 'a relative path without ..',
} as const;

const FOLDER = { pattern: '^(?!/)(?!.*(^|/)\\.\\.(/|$))', 'x-expected': 'a relative path without ..' } as const;

/** A label of a host name, and with `_` for `-` a part of the name of a variable. */
const SERVICE_NAME = {
  pattern: '^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$',
  'x-expected': 'a name of lowercase letters, digits and - that begins with a letter, at most 63',
} as const;

const patterns = (what: string) => list(what, FILES, { maxItems: 100, uniqueItems: true });

/** Test reports of a step or of a pipeline. */
const reports = section(
  'test reports, by their format: files below the work folder, with patterns as those of artefacts, whose results ' +
    '`GET /runs/{id}/tests` shows; those of a step are read when it has ended, also when it failed, those of a ' +
    'pipeline after its last step',
  {
    junit: patterns('files in the XML of JUnit, which most test runners write'),
    tap: patterns('files in the Test Anything Protocol, versions 12 to 14'),
    sarif: patterns('files in SARIF 2.1.0, with findings of linters and scanners'),
  },
);

const step = item('one command, by run or exec, or an approval', ['name'], {
  name: name('unique in its pipeline'),
  run: text('command line for the shell', ''),
  exec: list('program and arguments, without a shell', { type: 'string' }),
  shell: list(
    'the shell that gets the command line; empty for sh with `-eu` and, where the machine has a shell ' +
      'that knows it, `-o pipefail`',
    TEXT,
  ),
  working_dir: text('folder below the work folder', '.', FOLDER),
  env: environment('further environment variables; numbers and truth values become texts'),
  timeout: format('written-duration', 'longest time of this step', '20m'),
  continue_on_error: flag('go on when it fails', false),
  always: flag('run also after a failure or a cancel', false),
  background: flag('go on beside the next steps until the last one has ended; its `timeout` does not count', false),
  needs: {
    ...listOrAll(
      'names of steps before it that must have ended for it to start, beside others that may run then; `[]` to start ' +
        'at once, and null for the step before it, so that steps run one after the other. Steps after an approval ' +
        'wait for all before it',
      TEXT,
    ),
    maxItems: 50,
  },
  image: text("image of the container sandbox for this step; empty for the pipeline's", ''),
  when: stepConditions,
  approval: section(
    'between two steps: the run leaves its ship, and goes on with the next step when a person approves it',
    {
      required: flag('wait here until somebody with the scope `approve` approves the run', false),
      timeout: format('written-duration', 'how long it waits; then the run fails', '24h'),
      message: text('what is to be approved, for the person who decides', '', { maxLength: 500 }),
    },
  ),
  artifacts: list(
    'files below the work folder that are kept when the step has ended by itself, also when it failed: `*` and ' +
      '`?` stand for letters of a name, `**` for any folders',
    FILES,
    { maxItems: 100, uniqueItems: true },
  ),
  reports,
  cache: section(
    'what the step takes over from runs before on the same ship, or on any ship with `caches.store`: restored ' +
      'before it, saved after it has succeeded',
    {
      key: text(
        "names the content; nothing is saved under a key that is there. `${{ hash('package-lock.json') }}` stands " +
          'for the SHA-256 of files, `${{ os }}` and `${{ arch }}` for the machine; empty for no cache',
        '',
        { maxLength: 512 },
      ),
      paths: list('files and folders below the work folder, or below the home of the step after `~/`', FILES, {
        maxItems: 32,
        uniqueItems: true,
      }),
      restore_keys: list('beginnings of keys whose newest content is taken where there is none for the key', TEXT, {
        maxItems: 16,
      }),
    },
  ),
});

const service = item('a service: by run, exec or what its image starts', ['name'], {
  name: requiredText('unique among services and steps; its host name between containers', SERVICE_NAME.pattern,
    SERVICE_NAME['x-expected']),
  image: text("image of the container sandbox; empty for the pipeline's", ''),
  run: text('command line for the shell', ''),
  exec: list('program and arguments, without a shell', { type: 'string' }),
  shell: list('the shell that gets the command line, as of steps', TEXT),
  working_dir: text('folder below the work folder', '.', FOLDER),
  env: environment("further environment variables, besides the pipeline's"),
  port: integer(
    'the port on which it accepts connections; 0 for a free one that the ship chooses. Services and steps have it in ' +
      'QUIRE_SERVICE_NAME_PORT, and the host in QUIRE_SERVICE_NAME_HOST',
    0,
    0,
    65_535,
  ),
  health: section(
    'when it is ready, by one of run, exec, tcp and http; steps wait for that. Without any it is ready when it ' +
      'accepts connections on its `port`, or, without that, when it has started',
    {
      run: text('command line that exits with 0, where the service runs', ''),
      exec: list('program and arguments that exit with 0', { type: 'string' }),
      tcp: flag('it accepts connections on its port', false),
      http: text('path of a request to its port that is answered with a status from 200 to 399', '', {
        pattern: '^$|^/[\\u0021-\\u007e]*$',
        'x-expected': 'a path such as /health',
        maxLength: 512,
      }),
      interval: format('written-duration', 'time between two checks', '1s'),
      timeout: format('written-duration', 'longest time of a check', '5s'),
      retries: integer('checks that may fail before the run does', 60, 0, 10_000),
    },
  ),
});

const services = list(
  'programs that run beside the steps, started before the first and ended after the last one, such as a database; a ' +
    'mapping by their names may stand for the list',
  service,
  { maxItems: 20 },
);

const input = item('an input', ['name'], {
  name: requiredText('unique in its pipeline; its key in the `input` of a run, and QUIRE_INPUT_NAME of steps',
    SHORT_NAME.pattern, SHORT_NAME['x-expected']),
  type: oneOf('what its values are; a `date` is a day such as 2027-01-31', 'string', ['string', 'number', 'boolean',
    'choice', 'date']),
  description: text('for people', ''),
  required: flag('refuse runs without it', false),
  default: scalar('its value where a run has none; null for an empty variable'),
  choices: list('values of a `choice`', TEXT, { maxItems: 100, uniqueItems: true }),
  pattern: text('regular expression that all of a text matches; empty for any', '', { maxLength: 512 }),
  min: numberOrNone('least number, or length of a text; null for none'),
  max: numberOrNone('greatest number, or length of a text; null for none'),
});

const matrix = section('a run for each combination of values; it is a run itself, which is as they are', {
  axes: mapping('values by their names, QUIRE_MATRIX_NAME of steps; may stand beside the other keys', SHORT_NAME, {
    type: 'array',
    items: SCALAR,
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
  }),
  include: list('values that are added to the combinations that they agree with, or else as a combination of their own',
    mapping('values by their names', SHORT_NAME, SCALAR), { maxItems: 100 }),
  exclude: list('combinations that are left out: those that have all of these values',
    mapping('values by their names', SHORT_NAME, SCALAR), { maxItems: 100 }),
  max_parallel: integer('how many of its runs are under way at once; 0 for no limit', 0, 0, 100),
  fail_fast: flag('the first that fails cancels the others', true),
});

const RUNS_ON = list("label selectors, added to the project's; {matrix.NAME} stands for a value of the matrix",
  LABEL_OF_CELL, { maxItems: 16, uniqueItems: true });

const job = item('a job', ['name', 'steps'], {
  name: name('unique in its pipeline'),
  needs: list('names of jobs before it that must have ended; the artefacts of those are put into its work folder', TEXT,
    { maxItems: 50, uniqueItems: true }),
  if: oneOf(
    'how the jobs that it needs must have ended: all with success, one with a failure, or in any way; else it ' +
      'is skipped',
    'success',
    ['success', 'failure', 'always'],
  ),
  continue_on_error: flag('the run does not fail when it does, and jobs that need it start', false),
  matrix,
  runs_on: { ...RUNS_ON, description: "label selectors, added to the project's and the pipeline's" },
  checkout: oneOf("how much of the repository is fetched; `inherit` for the pipeline's", 'inherit', ['inherit', 'none',
    'shallow', 'full']),
  timeout: format('written-interval', "longest time of an attempt; empty for the pipeline's", ''),
  max_attempts: integer("attempts; 0 for the pipeline's", 0, 0, 100),
  sandbox: oneOf("`inherit` for the pipeline's", 'inherit', ['inherit', ...SANDBOXES]),
  image: text("image of the container sandbox; empty for the pipeline's", ''),
  env: environment("environment variables, besides the pipeline's"),
  secrets: { ...listOrAll("names of secrets that its steps get; null for the pipeline's", TEXT) },
  services: { ...services, description: "as the pipeline's, which it has, too" },
  max_parallel_steps: integer("how many of its steps run at once; 0 for the pipeline's", 0, 0, 100),
  steps: { type: 'array', description: 'in their order', items: step, minItems: 1, maxItems: 100 },
});

/** A pipeline, both in the file and in files of repositories. */
export const pipeline = item('a pipeline', ['name'], {
  name: name('unique; the task of its runs'),
  description: text('for people', ''),
  projects: listOrAll('projects that may run it; null for all', TEXT),
  when: pipelineConditions,
  inputs: list('inputs of its runs; without any they take text or a mapping of any kind', input, { maxItems: 50 }),
  matrix,
  runs_on: RUNS_ON,
  checkout: oneOf('how much of the repository is fetched', 'none', ['none', 'shallow', 'full']),
  submodules: oneOf(
    'which submodules are fetched, too: `direct`, or `recursive` for those of submodules as well; `git.credentials` ' +
      'of the repository are used for those below the same address',
    'none',
    ['none', 'direct', 'recursive'],
  ),
  lfs: flag('fetch files that are in Git LFS, too; the ship needs git-lfs', false),
  timeout: format('written-duration', 'longest time of an attempt', '1h'),
  max_attempts: integer('attempts of a run; 0 for queue.max_attempts', 0, 0, 100),
  retry: section('failures that lead to another attempt, besides faults of ships', {
    on: list('kinds of failure', { type: 'string', enum: ['step_failed', 'timeout', 'model_error'] }, {
      uniqueItems: true,
    }),
  }),
  concurrency: section('one run at a time', {
    group: format('group',
      'runs whose groups have the same name are under way one at a time; {project}, {pipeline}, {ref} (`ref` of ' +
        'the input) and {input.NAME} stand for values of the run, and a text input is {input}; {event}, {branch} ' +
        '(`pull/7` for a pull request) and {pull_request} for those of the event that started it; a matrix is in it ' +
        'as a whole; empty for no group', ''),
    cancel_in_progress: flag('a new run cancels those of its group before it, also one that is under way', false),
    pending: oneOf(
      'which of the runs that wait for their turn are kept: `all`, or the `newest` alone, with the others cancelled, ' +
        'also those that wait for an approval',
      'all',
      ['all', 'newest'],
    ),
  }),
  approval: section('a person lets its runs start', {
    required: flag('runs wait until somebody with the scope `approve` approves them', false),
    timeout: format('written-duration', 'how long they wait; then they fail', '24h'),
  }),
  on_partition: oneOf('what a ship does with the run when it cannot reach the service', 'stop', ['stop', 'continue']),
  sandbox: oneOf("`inherit` for the ship's own", 'inherit', ['inherit', ...SANDBOXES]),
  image: text('image of the container sandbox; {matrix.NAME} stands for a value of the matrix', ''),
  result: oneOf('what its runs leave in QUIRE_RESULT_FILE: `any` text or nothing, or `json`, without which they fail',
    'any', ['any', 'json']),
  env: environment('environment variables of all steps'),
  secrets: list('names of secrets that its steps get', TEXT, { uniqueItems: true }),
  id_token: mapping(
    'tokens of OpenID Connect by the variables in which steps get them, such as `{AWS_TOKEN: {audience: ' +
      'sts.amazonaws.com}}`; needs `id_tokens.issuer`',
    VARIABLE_NAME,
    item('a token', ['audience'], {
      audience: { type: 'string', minLength: 1, maxLength: 512, description: 'whom the token is for' },
    }),
  ),
  reports,
  services,
  max_parallel_steps: integer('how many of its steps run at once, where `needs` lets them; 0 for no limit', 0, 0, 100),
  steps: list('in their order', step, { maxItems: 100 }),
  jobs: list('instead of steps: jobs, each a run of its own on any ship, in parallel unless one needs the other', job, {
    maxItems: 50,
  }),
});

const role = item('an AI role', ['name', 'endpoint', 'model'], {
  name: name('unique; the task of its runs'),
  endpoint: requiredText('base URL of an OpenAI-compatible API; short form: base_url', '^https?://[^\\s@]+$',
    'an http:// or https:// URL without credentials'),
  model: { ...TEXT, description: 'name of the model' },
  api_key_env: variable('environment variable with the key, read on the executing machine'),
  system_prompt: text('instructions before the input', ''),
  system_prompt_file: text('file with them', ''),
  max_tokens: integer('longest answer', 2048, 1, 10_000_000),
  temperature: number('randomness', 0.2, 0, 2),
  timeout: format('duration', 'longest time of a response', '120s'),
  first_byte_timeout: format('duration', 'longest time until it begins', '30s'),
  projects: listOrAll('projects that may use it; null for all', TEXT),
  files: list(
    "files of the project's repository that its prompts get behind the input, as patterns such as `docs/**` or " +
      '`!docs/old/**`, of which the last that fits counts: at most 200 files and 192 KiB of text, at the commit of the ' +
      'default branch',
    {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      pattern: '^!?[^!\\u0000-\\u001f][^\\u0000-\\u001f]*$',
      'x-expected': 'a pattern such as docs/** or README.md',
    },
    { maxItems: 64, uniqueItems: true },
  ),
});

/** Pipelines and roles: what runs execute. */
export const execution = {
  git: section('how git gets at private repositories', {
    credentials: list(
      'of all that fit the address of a repository the longest counts; steps do not see what it names, unless ' +
        'their pipeline names the secret, too',
      item('credentials', ['url'], {
        url: {
          ...requiredText('beginning of addresses that they are for: a host, or a path of it',
            '^(https://|http://|ssh://|file:///|git@)[^\\s\\u0000-\\u001f]+$',
            'the beginning of an address, such as https://git.example.org/team'),
          maxLength: 512,
        },
        token: variable('name of a secret: password or token, for https://'),
        username: text('user name that goes with the token; many servers take any', 'git', {
          pattern: '^[^\\u0000-\\u001f]+$',
          'x-expected': 'no control characters',
          maxLength: 128,
        }),
        ssh_key: variable('name of a secret: private key in the format of OpenSSH, for ssh:// and git@'),
        known_hosts: text('lines of a known_hosts file with the keys of the host; empty for those that the ship knows',
          '', { maxLength: 16_384 }),
      }),
    ),
  }),
  ai: section('text by language models', { roles: list('roles', role) }),
  pipelines: list('pipelines', pipeline),
} as const;
