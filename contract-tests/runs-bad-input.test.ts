import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../generated/runs/sdk/types.gen.ts';
import { type ErrorCode, ERRORS } from '../src/errors/index.ts';
import type { Answer } from '../src/testkit/http-client.ts';
import { RunsApi } from '../src/testkit/runs-api.ts';

let api: RunsApi;
beforeAll(async () => {
  api = await RunsApi.start();
});
afterAll(() => api.stop());

/** Rejected or executed, never an internal error: with a code of the registry and its status. */
function expectAnswer(answer: Answer): void {
  if (answer.status < 300) return;
  const { error, ...rest } = answer.json<ErrorBody>();
  expect([answer.status < 500, rest, ERRORS[error.code as ErrorCode].http]).toEqual([true, {}, answer.status]);
  expect('message' in error).toBe(['invalid_input', 'idempotency_key_required'].includes(error.code));
}

const word = fc.constantFrom('alpha', 'beta', 'pipeline', 'diagnostic', 'ai_text', 'build', 'writer', 'shell',
  '__proto__', 'constructor', '');
const value = fc.oneof(word, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }), fc.double(),
  fc.constant(null));
const fields = fc.dictionary(
  fc.constantFrom('project_id', 'kind', 'task', 'input', 'priority', 'idempotencyKey', 'id', '__proto__', 'x'),
  value,
);
const body = fc.oneof(fields.map((object) => JSON.stringify(object)), fc.json(), fc.string({ unit: 'binary' }));
const key = fc.oneof(fc.stringMatching(/^[ -~]{1,140}$/), fc.constant('a-key-of-many-uses'));
const query = fc.array(
  fc.tuple(fc.constantFrom('limit', 'before', 'state', 'kind', 'project_id', 'action', 'x'),
    fc.oneof(word, fc.string(), fc.integer().map(String))),
  { maxLength: 4 },
).map((pairs) => pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join('&'));
const id = fc.oneof(fc.stringMatching(/^[0-9a-f]{32}$/),
  fc.string({ minLength: 1 }).map((text) => text.toWellFormed()).filter((text) => !/^\.{1,2}$/.test(text)));

describe('whatever a client sends', () => {
  it('as a run, is queued or refused with a code', async () => {
    await fc.assert(
      fc.asyncProperty(body, key, async (text, name) =>
        expectAnswer(await api.send('POST', '/runs', { body: text, key: name }))),
      { numRuns: 300 },
    );
  });

  it('as a notification of Alertmanager, is taken or refused with a code', async () => {
    const labels = fc.oneof(fc.dictionary(fc.constantFrom('quire_project', '__proto__', 'team'), fc.oneof(word, value)),
      value);
    const alert = fc.oneof(fc.record({
      status: fc.constantFrom('firing', 'resolved'),
      labels,
      annotations: labels,
      startsAt: fc.oneof(fc.constant('2026-01-01T00:00:00Z'), value),
      fingerprint: fc.oneof(fc.string(), value),
    }), value);
    const notification = fc.record({
      version: fc.constantFrom('4', '3', 4),
      status: fc.constantFrom('firing', 'resolved', 1),
      groupKey: fc.oneof(fc.string(), value),
      commonLabels: labels,
      alerts: fc.oneof(fc.array(alert, { maxLength: 3 }), value),
    }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(notification, async (sent) =>
        expectAnswer(await api.send('POST', '/webhooks/alertmanager', { body: JSON.stringify(sent) }))),
      { numRuns: 300 },
    );
  });

  it('in a query, is answered or refused with a code', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('/runs', '/audit'), async (text, path) =>
        expectAnswer(await api.send('GET', `${path}?${text}`))),
      { numRuns: 300 },
    );
  });

  it('as the id of a run, names one or none', async () => {
    const way = fc.constantFrom(['GET', ''], ['GET', '/result'], ['POST', '/cancel'], ['POST', '/retry'] as const);
    await fc.assert(
      fc.asyncProperty(id, way, key, async (text, [method, end], name) =>
        expectAnswer(await api.send(method!, `/runs/${encodeURIComponent(text)}${end}`, { key: name }))),
      { numRuns: 200 },
    );
  });
});
