import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../storage/index.ts';
import type { EmbeddingCapacity } from '../documents/index.ts';
import { DRIVERS, MemoryFixture, START } from './test-fixture.ts';

const invalid = { code: 'invalid_argument' };

describe.each(DRIVERS)('messages over %s (decisions sections 2.4 and 4.7)', (driver) => {
  let fixture: MemoryFixture;
  beforeEach(async () => {
    fixture = await MemoryFixture.open(driver);
  });
  afterEach(() => fixture.close());
  const history = (sessionId: string, more: object = {}) => fixture.call('getSessionHistory', { sessionId, ...more });

  it('are returned as stored, and kept as documents of the session', async () => {
    const { sessionId } = await fixture.start({ scenario: 'support' });
    fixture.base.advance(10);
    const message = await fixture.say(sessionId, 'Hello', 'user', { meta: { channel: ['web'] } });
    expect(message).toEqual({
      messageId: expect.stringMatching(/^msg_[0-9a-f]{24}$/) as string,
      sessionId,
      role: 'user',
      content: 'Hello',
      meta: { channel: ['web'] },
      createdAt: START + 10,
      embedded: false,
    });
    expect(await history(sessionId)).toEqual({
      messages: [{
        id: `_memory|${sessionId}/1|en`,
        key: `${sessionId}/1`,
        contentMd: 'Hello',
        addedAt: START + 10,
        meta: {
          channel: ['web'],
          session_id: [sessionId],
          user_id: ['ada'],
          role: ['user'],
          scenario: ['support'],
          type: ['message'],
          message_id: [message.messageId],
        },
      }],
      total: 1,
    });
  });

  it('move updatedAt and messageCount', async () => {
    const { sessionId } = await fixture.start();
    fixture.base.advance(10);
    await fixture.say(sessionId, 'Hello');
    expect((await fixture.call('listSessions', {})).sessions).toMatchObject([{
      createdAt: START,
      updatedAt: START + 10,
      messageCount: 1,
    }]);
  });

  it('come in chronological order, in pages', async () => {
    const sessionId = await fixture.talk(Array.from({ length: 130 }, (_, i) => `message ${i + 1}`));
    const contents = async (more: object) =>
      (await history(sessionId, more)).messages.map(({ contentMd }) => contentMd);
    expect(await contents({ limit: 1000 })).toEqual(Array.from({ length: 130 }, (_, i) => `message ${i + 1}`));
    expect(await contents({})).toHaveLength(50);
    expect(await contents({ limit: 3, offset: 8 })).toEqual(['message 9', 'message 10', 'message 11']);
    expect(await history(sessionId, { limit: 1, offset: 129 })).toMatchObject({
      messages: [{ contentMd: 'message 130' }],
      total: 130,
    });
    expect(await history(sessionId, { offset: 130 })).toEqual({ messages: [], total: 130 });
    expect(await history((await fixture.start()).sessionId)).toEqual({ messages: [], total: 0 });
  });

  it('are numbered without a gap, however many come at once', async () => {
    const sessions = await Promise.all([0, 1, 2].map(() => fixture.start()));
    const sent = Array.from({ length: 60 },
      (_, i) => ({ sessionId: sessions[i % 3]!.sessionId, content: `message ${i}` }));
    const failing = Array.from({ length: 10 }, () => fixture.say('ses_unknown', 'lost').catch(() => undefined));
    await Promise.all([...sent.map(({ sessionId, content }) => fixture.say(sessionId, content)), ...failing]);
    for (const [i, { sessionId }] of sessions.entries()) {
      const { messages, total } = await history(sessionId);
      expect(total).toBe(20);
      expect(messages.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, n) => `${sessionId}/${n + 1}`));
      expect(messages.map(({ contentMd }) => contentMd).sort()).toEqual(
        sent.filter((_, n) => n % 3 === i).map(({ content }) => content).sort(),
      );
    }
  });

  it('are refused for an unknown session, a role outside the four, no content, or more than 256 KiB', async () => {
    const { sessionId } = await fixture.start();
    await expect(fixture.say('ses_unknown', 'Hello')).rejects.toMatchObject({ code: 'not_found' });
    await expect(history('ses_unknown')).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.say(sessionId, 'Hello', 'robot')).rejects.toMatchObject(invalid);
    await expect(fixture.say(sessionId, '')).rejects.toMatchObject({ status: 400 });
    await expect(fixture.say(sessionId, 'ä'.repeat(131_073))).rejects.toMatchObject({
      ...invalid,
      message: expect.stringContaining('content') as string,
    });
    await fixture.say(sessionId, 'ä'.repeat(131_072));
    expect(await history(sessionId)).toMatchObject({ total: 1 });
  });

  it('are refused with metadata that only the service can know, and that would deceive recall', async () => {
    const { sessionId } = await fixture.start();
    for (const key of ['session_id', 'user_id', 'role', 'scenario', 'type', 'message_id', 'summary_id']) {
      const refusal = { ...invalid, message: expect.stringContaining(`meta.${key}`) as string };
      await expect(fixture.say(sessionId, 'Hello', 'user', { meta: { [key]: ['x'] } }), key).rejects.toMatchObject(
        refusal,
      );
    }
    expect(await history(sessionId)).toEqual({ messages: [], total: 0 });
  });

  it('keep every text as it was sent', async () => {
    await fc.assert(fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (content) => {
      const { sessionId } = await fixture.start();
      await fixture.say(sessionId, content);
      expect((await history(sessionId)).messages[0]!.contentMd).toBe(content);
    }), { numRuns: 25 });
  });

  it('belong to a collection that clients neither name nor see', async () => {
    const sessionId = await fixture.talk(['secret words']);
    for (const collection of ['_memory', '_MEMORY']) {
      await expect(fixture.call('getDocument', { collection, key: `${sessionId}/1`, lang: 'en' })).rejects
        .toMatchObject(invalid);
      await expect(fixture.call('searchDocuments', { collection })).rejects.toMatchObject(invalid);
      await expect(fixture.call('searchFullText', { collection, query: 'secret' })).rejects.toMatchObject(invalid);
      await expect(fixture.call('deleteCollection', { collection })).rejects.toMatchObject(invalid);
    }
  });

  it('take no revisions', async () => {
    await fixture.talk(['one', 'two']);
    expect(await fixture.base.count('revisions')).toBe(0);
  });
});

describe('embedding messages', () => {
  let fixture: MemoryFixture;
  let isFull = false;
  const embeddingCapacity: EmbeddingCapacity = {
    size: 10,
    isUnlimited: false,
    waitBudget: () => ({ left: 0 }),
    reserve: async (documents) => ({
      dropped: new Set(isFull ? documents.map(({ id }) => id) : []),
      commit: () => undefined,
      cancel: () => undefined,
    }),
  };
  beforeEach(async () => {
    fixture = await MemoryFixture.open('sql.js', { embeddingCapacity });
    isFull = false;
  });
  afterEach(() => fixture.close());

  it('reports the state: without a provider, queued, dropped because the queue is full, or blank', async () => {
    const { sessionId } = await fixture.start();
    expect(await fixture.say(sessionId, 'one')).toMatchObject({ embedded: false });
    fixture.isEmbedding = true;
    expect(await fixture.say(sessionId, 'two')).toMatchObject({ embedded: true });
    expect(await fixture.say(sessionId, ' \n')).toMatchObject({ embedded: false });
    isFull = true;
    expect(await fixture.say(sessionId, 'four')).toMatchObject({ embedded: false });
    const puts = (await fixture.base.changes()).filter(({ kind }) => kind === 'doc.put');
    expect(puts.map(({ flags }) => (flags & CHANGE_FLAGS.EMBEDDING_DROPPED) !== 0)).toEqual([false, false, false,
      true]);
  });
});
