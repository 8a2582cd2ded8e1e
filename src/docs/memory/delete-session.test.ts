import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../storage/index.ts';
import { DRIVERS, MemoryFixture } from './test-fixture.ts';

const notFound = { code: 'not_found' };

describe.each(DRIVERS)('deleting a session over %s (decision D-131)', (driver) => {
  let fixture: MemoryFixture;
  beforeEach(async () => {
    fixture = await MemoryFixture.open(driver);
  });
  afterEach(() => fixture.close());
  const remove = (id: string) => fixture.call('deleteSession', { id });
  const count = (table: string) => fixture.base.count(table);

  it('removes its messages and its summary, and leaves other sessions alone', async () => {
    const kept = await fixture.talk(['Apples are sweet.']);
    const sessionId = await fixture.talk(['Apples are red.', 'Some apples are green.']);
    await fixture.call('summarizeSession', { sessionId, userId: 'ada' });
    expect(await remove(sessionId)).toEqual({ status: 'deleted', sessionId, messages: 2 });
    await expect(fixture.call('getSessionHistory', { sessionId })).rejects.toMatchObject(notFound);
    await expect(fixture.say(sessionId, 'again')).rejects.toMatchObject(notFound);
    await expect(remove(sessionId)).rejects.toMatchObject(notFound);
    expect(await fixture.call('listSessions', {})).toMatchObject({ total: 1, sessions: [{ sessionId: kept }] });
    expect(await fixture.found('apples', [kept])).toEqual(['0/1']);
    expect([await count('documents'), await fixture.base.countMeta('_memory'), await count('revisions')]).toEqual([1, 6,
      0]);
  });

  it('takes a conversation that is too long for one transaction', async () => {
    const { sessionId } = await fixture.start();
    for (let i = 0; i < 3; i++) await fixture.say(sessionId, `message ${i}`);
    // Enough for two transactions: every document under the session's key counts as a message, however it was stored.
    await fixture.base.documents.writer.put('_memory',
      Array.from({ length: 600 },
        (_, i) => ({ key: `${sessionId}/${i + 4}`, lang: 'en', contentMd: 'x', saveRevision: false })), {
      flags: CHANGE_FLAGS.SKIP_FTS,
    });
    await remove(sessionId);
    expect([await count('documents'), await count('memory_sessions')]).toEqual([0, 0]);
  });

  it('does not find one that has expired', async () => {
    const { sessionId } = await fixture.start({ ttl: 60 });
    fixture.base.advance(60);
    await expect(remove(sessionId)).rejects.toMatchObject(notFound);
    await expect(remove('no such')).rejects.toMatchObject(notFound);
  });

  it('keeps sessions apart whose ids begin alike', async () => {
    const sessionId = await fixture.talk(['one']);
    await fixture.base.documents.writer.put('_memory', [{
      key: `${sessionId}0/1`,
      lang: 'en',
      contentMd: 'another',
      saveRevision: false,
    }]);
    await remove(sessionId);
    expect(await count('documents')).toBe(1);
  });
});
