import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../testkit/http-client.ts';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start();
});
afterEach(() => api.stop());

interface RunBody {
  data: { id: string; state: string; [field: string]: unknown };
}
const run = (answer: Answer) => {
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([202, expect.stringContaining('"data"')]);
  return answer.json<RunBody>().data;
};
const code = (
  answer: Answer,
): [number, string] => [answer.status, answer.json<{ error: { code: string } }>().error.code];
const KEY = 'abcdefgh1';
const BODY = { project_id: 'alpha', kind: 'pipeline', task: 'build', input: { ref: 'main', depth: 1 }, priority: 10 };

describe('queueing a run', () => {
  it('returns all fields of the run, and nothing of its input', async () => {
    const answer = await api.enqueue(KEY, BODY);
    const { id, ...rest } = run(answer);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(rest).toEqual({
      project_id: 'alpha',
      kind: 'pipeline',
      task: 'build',
      state: 'queued',
      attempt: 1,
      created_at: 1767225600,
      updated_at: 1767225600,
      started_at: null,
      finished_at: null,
      logs_expired: false,
      priority: 10,
      runs_on: ['gpu=a100', 'os=linux'],
      ship_id: null,
      max_attempts: 3,
      retry_of: null,
      root_id: id,
      retry_number: 0,
      waiting_reason: 'no_matching_ship',
      concurrency_group: null,
      approval: null,
      log_truncated: false,
      logs_bytes: 0,
      labels_matched: false,
      ref: null,
      commit: null,
      source: { type: 'api', by: 'api', schedule: null, alert_labels: null, forge: null },
      parent_id: null,
      job: null,
      matrix: null,
      skipped: null,
      cells: 0,
    });
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
    expect(answer.text).not.toContain('main');
  });

  it("takes the project's priority where the request has none", async () => {
    expect(run(await api.enqueue(KEY, { project_id: 'alpha', kind: 'diagnostic' }))).toMatchObject({
      priority: 5,
      task: '',
      runs_on: ['os=linux'],
    });
  });
});

describe('an idempotency key', () => {
  it('makes one run of 50 parallel requests (scenario 1)', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.enqueue(KEY, BODY)));
    expect(new Set(answers.map((answer) => run(answer).id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length).toBe(49);
    expect(await api.sql.all('SELECT count(*) AS n FROM runs')).toEqual([{ n: 1 }]);
    expect(await api.sql.all('SELECT count(*) AS n FROM audit')).toEqual([{ n: 1 }]);
  });

  it('does not mind the order of fields, spaces, or defaults that are written out (scenario 2)', async () => {
    const first = run(
      await api.enqueue(KEY, { project_id: 'alpha', kind: 'diagnostic', input: { a: 1, b: [{ c: 1, d: 2 }] } }),
    );
    const again = await api.enqueue(KEY,
      '{ "task": "",  "input": {"b":[{"d":2,"c":1}],"a":1.0}, "kind":"diagnostic", "project_id":"alpha" }');
    expect([run(again).id, again.headers['idempotent-replayed']]).toEqual([first.id, 'true']);
  });

  it.each([['input', { ref: 'next' }], ['task', 'other'], ['project_id', 'off'], ['kind', 'shell'], ['priority', 0]])(
    'stands for one request: another %s is a conflict (scenario 3)',
    async (field, value) => {
      run(await api.enqueue(KEY, BODY));
      expect(code(await api.enqueue(KEY, { ...BODY, [field]: value }))).toEqual([409, 'idempotency_conflict']);
    },
  );

  it('returns the run as it is now, even when the project has been disabled since (scenario 4)', async () => {
    const { id } = run(await api.enqueue(KEY, BODY));
    await api.send('POST', `/runs/${id}/cancel`);
    api.configure(CONFIG.replace('id: alpha,', 'id: alpha, enabled: false,'));
    expect(run(await api.enqueue(KEY, BODY))).toMatchObject({ id, state: 'cancelled' });
    expect(code(await api.enqueue('another-key', BODY))).toEqual([400, 'project_unavailable']);
  });

  it('is unused after a request that failed', async () => {
    expect(code(await api.enqueue(KEY, { ...BODY, task: 'nope' }))).toEqual([400, 'pipeline_unavailable']);
    run(await api.enqueue(KEY, BODY));
  });

  it('of a queued run is a conflict on a retry, and the other way round', async () => {
    const id = await api.queued(KEY);
    await api.send('POST', `/runs/${id}/cancel`);
    expect(code(await api.send('POST', `/runs/${id}/retry`, { key: KEY }))).toEqual([409, 'idempotency_conflict']);
    run(await api.send('POST', `/runs/${id}/retry`, { key: 'retry-key' }));
    expect(code(await api.enqueue('retry-key', BODY))).toEqual([409, 'idempotency_conflict']);
  });

  it('is forgotten after its time, but not while its run is unfinished', async () => {
    const day = 86_400_000;
    const id = await api.queued(KEY);
    api.clock.ms += 29 * day;
    expect(await api.queued(KEY)).toBe(id);
    api.clock.ms += 2 * day;
    expect(await api.queued(KEY)).toBe(id);
    await api.send('POST', `/runs/${id}/cancel`);
    expect(await api.queued(KEY)).not.toBe(id);
  });

  it('of 8 to 128 printable characters is taken, others are refused', async () => {
    const body = { project_id: 'beta', kind: 'diagnostic' };
    expect(code(await api.enqueue('', body))).toEqual([400, 'idempotency_key_required']);
    for (const key of ['a'.repeat(7), 'a'.repeat(129), 'tab\tin-it', 'ümlaut-key'])
      expect(code(await api.enqueue(key, body)), key).toEqual([400, 'invalid_input']);
    for (const key of ['a'.repeat(8), 'a'.repeat(128), 'with spaces ~!'])
      expect((await api.enqueue(key, body)).status, key).toBe(202);
  });
});

describe('checks', () => {
  it('refuse a run and a retry when there is no room for logs, after all others, but not a repeated request', async () => {
    const id = await api.queued(KEY);
    await api.send('POST', `/runs/${id}/cancel`);
    api.logsAreFull = true;
    expect(code(await api.enqueue('another-key', { project_id: 'beta', kind: 'diagnostic' }))).toEqual([507,
      'log_budget_exceeded']);
    expect(code(await api.send('POST', `/runs/${id}/retry`, { key: 'retry-key' }))).toEqual([507,
      'log_budget_exceeded']);
    expect(code(await api.enqueue('another-key', { project_id: 'nope', kind: 'diagnostic' }))).toEqual([400,
      'project_unavailable']);
    expect(await api.queued(KEY)).toBe(id);
  });

  const REFUSED: readonly [string, unknown, number, string][] = [['a wrong type', { project_id: 7 }, 400,
    'invalid_input'], ['a missing kind', { project_id: 'alpha' }, 400, 'invalid_input'], ['a kind that is no text', {
    project_id: 'alpha',
    kind: 7,
  }, 400, 'invalid_input'], ['an unknown field', { ...BODY, color: 'red' }, 400, 'invalid_input'], [
    'a field with the name of the header',
    { ...BODY, idempotencyKey: 'abcdefgh2' },
    400,
    'invalid_input',
  ], ['broken JSON', '{', 400, 'invalid_input'], ['a list', '[]', 400, 'invalid_input'], ['a priority out of range', {
    ...BODY,
    priority: 101,
  }, 400, 'invalid_input'], ['a task that is too long', { ...BODY, task: 'x'.repeat(129) }, 400, 'invalid_input'], [
    'an input that is null',
    { ...BODY, input: null },
    400,
    'invalid_input',
  ], ['an input that is a list', { ...BODY, input: [] }, 400, 'invalid_input'], ['a text that is too long', {
    ...BODY,
    input: 'ü'.repeat(131_073),
  }, 400, 'invalid_input'], ['an object that is too long', { ...BODY, input: { text: 'ü'.repeat(131_073) } }, 400,
    'invalid_input'], ['a body above 1 MiB', { ...BODY, input: 'x'.repeat(1_048_577) }, 400, 'invalid_input'], [
    'nesting without end',
    `{"project_id":"alpha","kind":"pipeline","task":"build","input":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
    400,
    'invalid_input',
  ], ['half a character', '{"project_id":"alpha","kind":"diagnostic","input":"\\ud800"}', 400, 'invalid_input'], [
    'another kind',
    { ...BODY, kind: 'shell' },
    400,
    'unsupported_kind',
  ], ['a kind that objects have', { ...BODY, kind: 'constructor' }, 400, 'unsupported_kind'], ['an unknown project', {
    ...BODY,
    project_id: 'nope',
  }, 400, 'project_unavailable'], ['a disabled project', { ...BODY, project_id: 'off' }, 400, 'project_unavailable'], [
    'an unknown pipeline',
    { ...BODY, task: 'nope' },
    400,
    'pipeline_unavailable',
  ], ['no pipeline', { project_id: 'alpha', kind: 'pipeline' }, 400, 'pipeline_unavailable'], [
    'a pipeline of other projects',
    { ...BODY, task: 'secret' },
    400,
    'pipeline_unavailable',
  ], ['an unknown role', { project_id: 'alpha', kind: 'ai_text', task: 'nope', input: 'hi' }, 400,
    'model_or_input_unavailable'], ['a role of other projects', {
    project_id: 'alpha',
    kind: 'ai_text',
    task: 'ours',
    input: 'hi',
  }, 400, 'model_or_input_unavailable'], ['a role whose key is nowhere', {
    project_id: 'alpha',
    kind: 'ai_text',
    task: 'reader',
    input: 'hi',
  }, 400, 'model_or_input_unavailable'], ['no prompt', { project_id: 'alpha', kind: 'ai_text', task: 'writer' }, 400,
    'model_or_input_unavailable'], ['a blank prompt', {
    project_id: 'alpha',
    kind: 'ai_text',
    task: 'writer',
    input: ' \n\t',
  }, 400, 'model_or_input_unavailable'], ['a prompt that is no text', {
    project_id: 'alpha',
    kind: 'ai_text',
    task: 'writer',
    input: {},
  }, 400, 'model_or_input_unavailable']];

  it.each(REFUSED)('refuse %s', async (_what, body, status, expected) => {
    const answer = await api.enqueue(KEY, body);
    expect(code(answer)).toEqual([status, expected]);
    expect('message' in answer.json<{ error: object }>().error).toBe(expected !== 'unsupported_kind');
    expect(await api.sql.all('SELECT 1 FROM runs')).toEqual([]);
  });

  it('report what there is where a name is wrong', async () => {
    const message = async (body: object) =>
      (await api.enqueue(KEY, body)).json<{ error: { message: string } }>().error.message;
    expect(await message({ ...BODY, task: 'biuld' })).toBe(
      'no pipeline "biuld" in project alpha; it has: build; did you mean build?',
    );
    expect(await message({ ...BODY, project_id: 'alhpa' })).toBe(
      'there is no project "alhpa"; there are: alpha, beta; did you mean alpha?',
    );
    expect(await message({ ...BODY, project_id: 'off' })).toBe('the project off is disabled');
    expect(await message({ project_id: 'alpha', kind: 'ai_text', task: 'nope', input: 'hi' })).toBe(
      'no AI role "nope" in project alpha; it has: writer, reader',
    );
  });

  it('refuse a body that is not JSON by its type', async () => {
    const answer = await api.send('POST', '/runs', {
      key: KEY,
      body: JSON.stringify(BODY),
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(code(answer)).toEqual([400, 'invalid_input']);
  });

  it('name the field in the message of invalid_input', async () => {
    expect((await api.enqueue(KEY, { project_id: 7, kind: 'pipeline' })).text).toContain(
      'project_id must be a string, got 7',
    );
    expect((await api.enqueue(KEY, { ...BODY, input: { text: 'x'.repeat(262_144) } })).text).toContain(
      'input must be at most 262144 bytes',
    );
  });

  it('come in the order of the decisions', async () => {
    const wrong = { project_id: 'nope', kind: 'shell', task: 'nope', priority: 999 };
    const steps: [Parameters<RunsApi['send']>[2], string][] = [[{ headers: { Authorization: '' }, body: '{' },
      'unauthenticated'], [{ body: '{' }, 'idempotency_key_required'], [{ key: KEY, body: wrong }, 'invalid_input'], [{
      key: KEY,
      body: { ...wrong, priority: 0 },
    }, 'unsupported_kind'], [{ key: KEY, body: { ...wrong, priority: 0, kind: 'ai_text' } }, 'project_unavailable'], [{
      key: KEY,
      body: { ...BODY, kind: 'ai_text' },
    }, 'model_or_input_unavailable']];
    for (const [request, expected] of steps)
      expect((await api.send('POST', '/runs', request)).json()).toMatchObject({ error: { code: expected } });
    expect((await api.enqueue(KEY, BODY)).status).toBe(202);
  });

  it('find a run before they look at the key of its retry', async () => {
    expect(code(await api.send('POST', `/runs/${'0'.repeat(32)}/retry`))).toEqual([404, 'run_not_found']);
    expect(code(await api.send('POST', '/runs/xyz/retry'))).toEqual([404, 'run_not_found']);
    expect(code(await api.send('POST', `/runs/${await api.queued(KEY)}/retry`))).toEqual([400,
      'idempotency_key_required']);
  });
});

describe('a malformed id', () => {
  it.each(['xyz', '%00', '%ff', 'A'.repeat(32), '0'.repeat(31), '0'.repeat(33), '../runs', "'or''='"])(
    'names no run: %s',
    async (id) => {
      const path = `/runs/${encodeURIComponent(id).replaceAll('%25', '%')}`;
      for (const [method, end] of [['GET', ''], ['GET', '/result'], ['GET', '/logs?offset=-1'], ['POST', '/cancel'], [
        'POST',
        '/retry',
      ]] as const) {
        expect(code(await api.send(method, path + end)), `${method} ${end}`).toEqual([404, 'run_not_found']);
      }
    },
  );
});

describe('cancelling', () => {
  it('ends a queued run at once, and is refused afterwards', async () => {
    const id = await api.queued(KEY);
    const answer = await api.send('POST', `/runs/${id}/cancel`);
    expect([answer.status, answer.json<RunBody>().data]).toEqual([200,
      expect.objectContaining({ state: 'cancelled', finished_at: 1767225600, waiting_reason: null })]);
    expect(code(await api.send('POST', `/runs/${id}/cancel`))).toEqual([409, 'run_state_conflict']);
  });

  it('is refused for a run that succeeded', async () => {
    const id = await api.queued(KEY);
    await api.work({ outcome: 'succeeded', started: true });
    expect(code(await api.send('POST', `/runs/${id}/cancel`))).toEqual([409, 'run_state_conflict']);
    expect((await api.send('GET', `/runs/${id}`)).json<RunBody>().data).toMatchObject({
      state: 'succeeded',
      labels_matched: true,
      ship_id: 'f'.repeat(32),
    });
  });
});

describe('retrying', () => {
  it('makes a new run that names the old one, which stays as it is', async () => {
    const first = run(await api.enqueue(KEY, { ...BODY, project_id: 'beta', task: 'secret', input: { x: 1 } }));
    await api.work({
      outcome: 'failed',
      started: true,
      error: { code: 'step_failed', message: 'exit code 1', step: 'one', exitCode: 1, signal: null },
    });
    const failed = (await api.send('GET', `/runs/${first.id}`)).json<RunBody>().data;
    expect(failed).toMatchObject({
      state: 'failed',
      error: { code: 'step_failed', attempt: 1, step: 'one', exit_code: 1, signal: null, retryable: false },
    });
    const again = run(await api.send('POST', `/runs/${first.id}/retry`, { key: 'retry-1234' }));
    expect(again).toMatchObject({
      state: 'queued',
      attempt: 1,
      retry_of: first.id,
      root_id: first.id,
      retry_number: 1,
      priority: 10,
      task: 'secret',
    });
    expect((await api.send('GET', `/runs/${first.id}`)).json<RunBody>().data).toEqual(failed);
    expect(await api.queue.material(again.id)).toMatchObject({ input: '{"x":1}', inputIsJson: true });
    const replay = await api.send('POST', `/runs/${first.id}/retry`, { key: 'retry-1234' });
    expect([run(replay).id, replay.headers['idempotent-replayed']]).toEqual([again.id, 'true']);
    expect(run(await api.send('POST', `/runs/${first.id}/retry`, { key: 'retry-5678' })).id).not.toBe(again.id);
  });

  it('is refused while the run is not over, when it succeeded, and when its project is gone', async () => {
    const id = await api.queued(KEY);
    expect(code(await api.send('POST', `/runs/${id}/retry`, { key: 'retry-1234' }))).toEqual([409,
      'run_state_conflict']);
    await api.work({ outcome: 'succeeded', started: true });
    expect(code(await api.send('POST', `/runs/${id}/retry`, { key: 'retry-1234' }))).toEqual([409,
      'run_state_conflict']);
    const other = await api.queued('other-key');
    await api.send('POST', `/runs/${other}/cancel`);
    api.configure(CONFIG.replace('id: beta,', 'id: beta, enabled: false,'));
    expect(code(await api.send('POST', `/runs/${other}/retry`, { key: 'retry-1234' }))).toEqual([400,
      'project_unavailable']);
  });

  it('is not what a run that succeeded needs: that is run again, on the same commit or the newest of its ref', async () => {
    api.configure(CONFIG.replace('{name: secret,', '{name: secret, checkout: shallow,'));
    const first = run(
      await api.enqueue(KEY, { ...BODY, project_id: 'beta', task: 'secret', input: { x: 1 }, ref: 'main' }),
    );
    const again = (key: string, query = '') => api.send('POST', `/runs/${first.id}/rerun${query}`, { key });
    expect(code(await again('again-123'))).toEqual([409, 'run_state_conflict']);
    await api.work({ outcome: 'succeeded', started: true }, [], { gitRef: 'main', commit: 'c'.repeat(40) });
    expect(code(await api.send('POST', `/runs/${first.id}/rerun`))).toEqual([400, 'idempotency_key_required']);
    expect(code(await again('again-123', '?commit=older'))).toEqual([400, 'invalid_input']);
    const same = run(await again('again-123'));
    expect(same).toMatchObject({
      state: 'queued',
      retry_of: first.id,
      root_id: first.id,
      retry_number: 1,
      source: { type: 'rerun', by: 'api' },
      ref: 'main',
      commit: 'c'.repeat(40),
    });
    expect(await api.queue.material(same.id)).toMatchObject({ input: '{"x":1}', inputIsJson: true });
    const replay = await again('again-123');
    expect([run(replay).id, replay.headers['idempotent-replayed']]).toEqual([same.id, 'true']);
    expect(code(await again('again-123', '?commit=newest'))).toEqual([409, 'idempotency_conflict']);
    expect(code(await api.send('POST', `/runs/${first.id}/retry`, { key: 'again-123' }))).toEqual([409,
      'idempotency_conflict']);
    expect(run(await again('again-456', '?commit=newest'))).toMatchObject({ ref: 'main', commit: null });
    expect((await api.send('GET', '/audit')).json<{ data: { action: string }[] }>().data[0]).toMatchObject({
      actor: 'api',
      action: 'rerun',
      detail: { retry_of: first.id },
    });
  });

  it('of a scheduled run asks for the least score that the project asks for now', async () => {
    const scheduled = { projectId: 'beta', kind: 'ai_text', task: 'writer', input: 'Write.', minScore: 70 };
    const { run: first } = await api.runs.enqueueOnce('schedule', 'sched:beta:content:1', scheduled);
    expect((await api.runs.enqueueOnce('schedule', 'sched:beta:content:1', scheduled)).run.id).toBe(first.id);
    expect((await api.send('GET', '/audit')).json()).toMatchObject({
      data: [{ actor: 'schedule', action: 'enqueue', target: first.id }],
    });
    await api.send('POST', `/runs/${first.id}/cancel`);
    api.configure(CONFIG.replace('id: beta,', 'id: beta, content: {min_score: 80},'));
    const again = run(await api.send('POST', `/runs/${first.id}/retry`, { key: 'retry-1234' }));
    expect([(await api.queue.material(first.id))?.definition.minScore,
      (await api.queue.material(again.id))?.definition.minScore]).toEqual([70, 80]);
  });
});

describe('the result of a run', () => {
  const result = (id: string) => api.send('GET', `/runs/${id}/result`);

  it('is there when the run has finished with one', async () => {
    const id = await api.queued(KEY);
    expect(code(await result(id))).toEqual([409, 'run_state_conflict']);
    await api.work({
      outcome: 'succeeded',
      started: true,
      result: { body: new TextEncoder().encode('{"score":90}'), type: 'application/json' },
    });
    expect((await result(id)).json()).toEqual({
      data: {
        content: '{"score":90}',
        content_type: 'application/json',
        value: { score: 90 },
        model: null,
        finish_reason: null,
        usage: null,
        truncated: false,
      },
    });
    const without = await api.queued('other-key');
    await api.work({ outcome: 'succeeded', started: true });
    expect(code(await result(without))).toEqual([404, 'not_found']);
  });

  it('of a model names which one wrote it', async () => {
    const id = run(await api.enqueue(KEY, { project_id: 'beta', kind: 'ai_text', task: 'writer', input: 'Write.' })).id;
    const data = {
      content: 'text',
      content_type: 'text/plain',
      model: 'm',
      finish_reason: 'stop',
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      truncated: true,
    };
    await api.work({
      outcome: 'succeeded',
      started: true,
      result: { body: new TextEncoder().encode(JSON.stringify(data)), type: 'application/vnd.quire.result+json' },
    });
    expect((await result(id)).json()).toEqual({ data: { ...data, value: null } });
  });
});
