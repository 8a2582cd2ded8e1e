import { expect } from 'vitest';
import { addMessage, deleteSession, getSessionHistory, listSessions, recallMemory, startSession,
  summarizeSession } from '../../generated/docs/sdk/sdk.gen.ts';
import type { MessageRole, StartSessionRequest } from '../../generated/docs/sdk/types.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now } from './scenario.ts';

const UNKNOWN = 'ses_000000000000000000000000';

/** A session of a user that only this scenario uses, because all conversations share a collection. */
async function start({ client, collection }: DocsContext, more: Partial<StartSessionRequest> = {}) {
  return succeeded(await startSession({ client, body: { userId: collection, ...more } }));
}

async function say({ client }: DocsContext, sessionId: string, content: string, role: MessageRole = 'user') {
  return succeeded(await addMessage({ client, body: { sessionId, role, content } }));
}

/** Conversations (contract, section 2, "Memory resources", and section 4, "Memory"). */
export const memory: DocsScenarios = {
  async startSession(context) {
    const { client, direct, collection } = context;
    const session = await start(context, { scenario: 'support', meta: { channel: ['web'] } });
    expect(session).toMatchObject({
      userId: collection,
      scenario: 'support',
      meta: { channel: ['web'] },
      messageCount: 0,
      updatedAt: session.createdAt,
      expiresAt: session.createdAt + 2_592_000,
    });
    expect(session.sessionId).toMatch(/^ses_[0-9a-f]{24}$/);
    expect(session.title).toMatch(/^support · \d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(Math.abs(session.createdAt - now())).toBeLessThan(60);
    expect(await start(context, { title: 'Mine', ttl: 0 })).toMatchObject({
      title: 'Mine',
      expiresAt: 0,
      scenario: '',
    });
    refused(await startSession({ client: direct, body: {} as never }), 400, 'missing_fields');
    expect(
      refused(await startSession({ client: direct, body: { userId: collection, ttl: -1 } }), 400, 'invalid_argument')
        .error,
    ).toContain('ttl');
    expect(succeeded(await listSessions({ client, body: { userId: collection } })).total).toBe(2);
  },

  async addMessage(context) {
    const { client, direct } = context;
    const { sessionId } = await start(context);
    const message = await say(context, sessionId, 'How do I publish my first post?');
    expect(message).toMatchObject({
      sessionId,
      role: 'user',
      content: 'How do I publish my first post?',
      meta: {},
      embedded: false,
    });
    expect(message.messageId).toMatch(/^msg_[0-9a-f]{24}$/);
    refused(await addMessage({ client, body: { sessionId: UNKNOWN, role: 'user', content: 'x' } }), 404, 'not_found');
    refused(await addMessage({ client: direct, body: { sessionId, content: 'x' } as never }), 400, 'missing_fields');
    expect(
      refused(await addMessage({ client: direct, body: { sessionId, role: 'robot' as never, content: 'x' } }), 400,
        'invalid_argument').error,
    ).toContain('role');
    expect(
      refused(await addMessage({ client, body: { sessionId, role: 'user', content: 'x', meta: { role: ['tool'] } } }),
        400, 'invalid_argument').error,
    ).toContain('meta.role');
  },

  async recallMemory(context) {
    const { client, direct, collection } = context;
    const { sessionId } = await start(context, { scenario: 'support' });
    await say(context, sessionId, 'The lighthouse opens at nine.');
    await say(context, sessionId, 'I shall remember the lighthouse.', 'assistant');
    const body = { query: 'when does the lighthouse open?', userId: collection, includeContent: true };
    const answer = succeeded(await recallMemory({ client, body }));
    expect(answer).toMatchObject({ total: 2, strategy: 'keyword', query: body.query });
    expect(answer.results[0]).toMatchObject({
      rank: 1,
      sessionId,
      role: 'user',
      matchStrategy: 'keyword',
      document: {
        id: `_memory|${sessionId}/1|en`,
        contentMd: 'The lighthouse opens at nine.',
        meta: {
          session_id: [sessionId],
          user_id: [collection],
          role: ['user'],
          scenario: ['support'],
          type: ['message'],
        },
      },
    });
    expect(
      succeeded(await recallMemory({ client, body: { ...body, role: 'assistant', strategy: 'keyword', topK: 1 } })),
    ).toMatchObject({ total: 1, results: [{ role: 'assistant' }] });
    expect(succeeded(await recallMemory({ client, body: { ...body, sessionId: UNKNOWN } }))).toMatchObject({
      total: 0,
      results: [],
    });
    expect(
      refused(await recallMemory({ client, body: { ...body, strategy: 'semantic' } }), 400, 'invalid_argument').error,
    ).toBe('embedding provider not configured');
    refused(await recallMemory({ client: direct, body: {} as never }), 400, 'missing_fields');
  },

  async summarizeSession(context) {
    const { client, collection: userId } = context;
    const { sessionId } = await start(context);
    expect(refused(await summarizeSession({ client, body: { sessionId, userId } }), 400, 'invalid_argument').error)
      .toBe('session has no messages');
    await say(context, sessionId, 'How do I publish my first post?');
    const summary = succeeded(await summarizeSession({ client, body: { sessionId, userId } }));
    const question = 'How do I publish my first post?';
    expect(summary).toMatchObject({
      sessionId,
      messages: 1,
      summary:
        `# ${question}\n\n## Key points\n\n- ${question}\n\n## Open questions\n\n- ${question}\n\n1 message: 1 user`,
    });
    expect(summary.summaryId).toMatch(/^sum_[0-9a-f]{24}$/);
    refused(await summarizeSession({ client, body: { sessionId, userId: 'somebody else' } }), 404, 'not_found');
    refused(await summarizeSession({ client, body: { sessionId: UNKNOWN, userId } }), 404, 'not_found');
  },

  async listSessions(context) {
    const { client, direct, collection: userId } = context;
    const older = await start(context, { title: 'b' });
    const newer = await start(context, { title: 'a', scenario: 'support' });
    await say(context, older.sessionId, 'Hello');
    const list = async (more: object = {}) => {
      const { sessions, total } = succeeded(await listSessions({ client, body: { userId, ...more } }));
      return [sessions.map(({ title }) => title), total];
    };
    expect(await list({ sort: 'title', asc: true })).toEqual([['a', 'b'], 2]);
    expect(await list({ sort: 'createdAt', limit: 1 })).toEqual([['a'], 2]);
    expect(await list({ scenario: 'support' })).toEqual([['a'], 1]);
    expect(succeeded(await listSessions({ client, body: { userId, scenario: '' } })).sessions).toMatchObject([{
      sessionId: older.sessionId,
      messageCount: 1,
    }]);
    expect(succeeded(await listSessions({ client, body: { userId, scenario: 'support' } })).sessions).toEqual([newer]);
    expect(succeeded(await listSessions({ client, body: {} })).total).toBeGreaterThanOrEqual(2);
    expect(refused(await listSessions({ client: direct, body: { limit: 0 } }), 400, 'invalid_argument').error)
      .toContain('limit');
  },

  async getSessionHistory(context) {
    const { client } = context;
    const { sessionId } = await start(context);
    const first = await say(context, sessionId, 'One');
    await say(context, sessionId, 'Two', 'assistant');
    const { messages, total } = succeeded(await getSessionHistory({ client, body: { sessionId } }));
    expect(total).toBe(2);
    expect(messages.map(({ key, contentMd }) => [key, contentMd])).toEqual([[`${sessionId}/1`, 'One'], [
      `${sessionId}/2`,
      'Two',
    ]]);
    expect(messages[0]).toMatchObject({
      addedAt: first.createdAt,
      meta: { message_id: [first.messageId], role: ['user'] },
    });
    expect(succeeded(await getSessionHistory({ client, body: { sessionId, limit: 1, offset: 1 } }))).toMatchObject({
      messages: [{ contentMd: 'Two' }],
      total: 2,
    });
    refused(await getSessionHistory({ client, body: { sessionId: UNKNOWN } }), 404, 'not_found');
  },

  async deleteSession(context) {
    const { client, collection: userId } = context;
    const { sessionId } = await start(context);
    await say(context, sessionId, 'The lighthouse opens at nine.');
    await summarizeSession({ client, body: { sessionId, userId } });
    expect(succeeded(await deleteSession({ client, path: { id: sessionId } }))).toEqual({
      status: 'deleted',
      sessionId,
      messages: 1,
    });
    refused(await deleteSession({ client, path: { id: sessionId } }), 404, 'not_found');
    refused(await getSessionHistory({ client, body: { sessionId } }), 404, 'not_found');
    expect(succeeded(await recallMemory({ client, body: { query: 'lighthouse', userId } })).total).toBe(0);
  },
};
