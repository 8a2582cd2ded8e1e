import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../storage/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { DRIVERS, MemoryFixture, START } from './test-fixture.ts';

const MONTH = 2_592_000;
const notFound = { code: 'not_found' };

describe.each(DRIVERS)('sessions over %s (contract section 2, decisions section 4.7)', (driver) => {
  let fixture: MemoryFixture;
  beforeEach(async () => {
    fixture = await MemoryFixture.open(driver);
  });
  afterEach(() => fixture.close());

  describe('starting one', () => {
    it('returns all of it, with a title made of scenario and UTC time, and 30 days to live', async () => {
      const session = await fixture.start({ scenario: 'support', meta: { channel: ['web'] } });
      expect(session).toEqual({
        sessionId: expect.stringMatching(/^ses_[0-9a-f]{24}$/) as string,
        userId: 'ada',
        scenario: 'support',
        title: 'support · 2025-12-22 10:40',
        meta: { channel: ['web'] },
        createdAt: START,
        updatedAt: START,
        expiresAt: START + MONTH,
        messageCount: 0,
      });
      expect(await fixture.start()).toMatchObject({ scenario: '', title: 'Conversation · 2025-12-22 10:40', meta: {} });
    });

    it('keeps a title that is sent, and makes one for an empty one', async () => {
      expect(await fixture.start({ title: 'My talk' })).toMatchObject({ title: 'My talk' });
      expect(await fixture.start({ title: '' })).toMatchObject({ title: 'Conversation · 2025-12-22 10:40' });
    });

    it('never expires with a ttl of 0, and refuses a negative one', async () => {
      const { sessionId, expiresAt } = await fixture.start({ ttl: 0 });
      expect(expiresAt).toBe(0);
      fixture.base.advance(100 * MONTH);
      await fixture.say(sessionId, 'still here');
      expect(await fixture.call('getSessionHistory', { sessionId })).toMatchObject({ total: 1 });
      await expect(fixture.start({ ttl: -1 })).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(fixture.call('startSession', {})).rejects.toMatchObject({ code: 'missing_fields' });
    });
  });

  describe('the title', () => {
    const titleAfter = async (content: string, start: object = {}, role = 'user') => {
      const { sessionId } = await fixture.start(start);
      await fixture.say(sessionId, content, role);
      return (await fixture.call('listSessions', {})).sessions.find((session) => session.sessionId === sessionId)!
        .title;
    };

    it('becomes the first sentence of the first message of the user', async () => {
      expect(await titleAfter('How do I publish my first post? I am new.')).toBe('How do I publish my first post?');
      expect(await titleAfter('> quoted\n\n## **Bold** words\nMore')).toBe('Bold words');
      expect(await titleAfter('你好。我想订票。')).toBe('你好。');
    });

    it('is cut at 60 characters and never within one', async () => {
      const title = await titleAfter('word '.repeat(40));
      expect([...title].length).toBeLessThanOrEqual(60);
      expect(title).toMatch(/^(word )+(word|wor|wo|w)?…$/);
      const family = '👩‍👩‍👧‍👦';
      expect(await titleAfter(family.repeat(3) + ' abc'.repeat(3))).toBe(`${family.repeat(3)} abc abc abc`);
      expect(await titleAfter(`abc ${family.repeat(20)}`)).toBe(`abc ${family.repeat(7)}…`);
      expect([...(await titleAfter('x'.repeat(60)))].length).toBe(60);
    });

    it('stays when it was given, when the assistant speaks, and with the second message', async () => {
      expect(await titleAfter('Hello there.', { title: 'Mine' })).toBe('Mine');
      expect(await titleAfter('Hello there.', { scenario: 's' }, 'assistant')).toBe('s · 2025-12-22 10:40');
      const { sessionId } = await fixture.start();
      for (const content of ['One.', 'Two.']) await fixture.say(sessionId, content);
      expect(
        (await fixture.call('listSessions', {})).sessions.find((session) => session.sessionId === sessionId)!.title,
      ).toBe('One.');
    });

    it('stays as it was made up when the first message is nothing but code', async () => {
      expect(await titleAfter('```\nlet x;\n```')).toBe('Conversation · 2025-12-22 10:40');
    });
  });

  describe('expiry', () => {
    it('is fixed at creation and ends session and messages at once, everywhere', async () => {
      const sessionId = await fixture.talk(['apple pie'], { ttl: 60 });
      fixture.base.advance(59);
      await fixture.say(sessionId, 'apple cake');
      await fixture.call('summarizeSession', { sessionId, userId: 'ada' });
      expect((await fixture.call('listSessions', {})).sessions).toMatchObject([{
        expiresAt: START + 60,
        updatedAt: START + 59,
        messageCount: 2,
      }]);
      expect((await fixture.recall('apple')).total).toBe(3);
      fixture.base.advance(1);
      await expect(fixture.say(sessionId, 'late')).rejects.toMatchObject(notFound);
      await expect(fixture.call('getSessionHistory', { sessionId })).rejects.toMatchObject(notFound);
      await expect(fixture.call('summarizeSession', { sessionId, userId: 'ada' })).rejects.toMatchObject(notFound);
      expect(await fixture.call('listSessions', {})).toEqual({ sessions: [], total: 0 });
      expect((await fixture.recall('apple')).total).toBe(0);
    });

    it('lets the sweep remove sessions, their counts, messages and summaries, and nothing else', async () => {
      for (let i = 0; i < 3; i++) {
        const sessionId = await fixture.talk(['apple pie'], { ttl: 60 });
        await fixture.call('summarizeSession', { sessionId, userId: 'ada' });
      }
      const kept = await fixture.talk(['apple tart'], { ttl: 0 });
      fixture.base.advance(60);
      const timer = new ManualTimer();
      fixture.base.documents.startSweep(timer, [fixture.memory.sweep]);
      await timer.elapse(); // ends the first pause, which follows the first sweep
      await fixture.base.documents.stop();
      expect(await fixture.base.count('documents')).toBe(1);
      expect(await fixture.base.sql.all('SELECT id FROM memory_sessions')).toEqual([{ id: kept }]);
      expect(await fixture.base.sql.all('SELECT sessions FROM memory_session_counts')).toEqual(
        Array(4).fill({ sessions: 1 }),
      );
      expect((await fixture.base.changes()).filter(({ kind }) => kind === 'memory.delete')).toHaveLength(3);
      expect(await fixture.call('listSessions', {})).toMatchObject({ total: 1 });
    });
  });

  describe('listing them', () => {
    const titles = async (input: object) =>
      (await fixture.call('listSessions', input)).sessions.map(({ title }) => title);

    beforeEach(async () => {
      for (const [title, userId, scenario] of [['c', 'ada', 'x'], ['a', 'ada', 'y'], ['b', 'bob', 'x'], ['d', 'bob',
        '']] as const)
      {
        await fixture.start({ title, userId, scenario });
        fixture.base.advance(1);
      }
    });

    it('shows those last written first', async () => {
      const { sessionId } = (await fixture.call('listSessions', { userId: 'ada', scenario: 'y' })).sessions[0]!;
      await fixture.say(sessionId, 'hello');
      expect(await titles({})).toEqual(['a', 'd', 'b', 'c']);
      expect(await titles({ asc: true })).toEqual(['c', 'b', 'd', 'a']);
    });

    it('sorts by creation and title, both ways', async () => {
      expect(await titles({ sort: 'createdAt' })).toEqual(['d', 'b', 'a', 'c']);
      expect(await titles({ sort: 'createdAt', asc: true })).toEqual(['c', 'a', 'b', 'd']);
      expect(await titles({ sort: 'title' })).toEqual(['d', 'c', 'b', 'a']);
      expect(await titles({ sort: 'title', asc: true })).toEqual(['a', 'b', 'c', 'd']);
    });

    it('filters by user and scenario, of which empty is one, and counts all pages', async () => {
      expect(await titles({ userId: 'ada', sort: 'title', asc: true })).toEqual(['a', 'c']);
      expect(await titles({ scenario: 'x', sort: 'title', asc: true })).toEqual(['b', 'c']);
      expect(await titles({ userId: 'bob', scenario: '' })).toEqual(['d']);
      expect(await fixture.call('listSessions', { userId: 'nobody' })).toEqual({ sessions: [], total: 0 });
      expect(await fixture.call('listSessions', { userId: 'bob', limit: 1, offset: 1 })).toMatchObject({
        sessions: [{ title: 'b' }],
        total: 2,
      });
      expect(await fixture.call('listSessions', { offset: 1_000_000 })).toEqual({ sessions: [], total: 4 });
      for (const wrong of [{ limit: 0 }, { limit: 1001 }, { offset: -1 }, { sort: 'user' }, { userId: '' }]) {
        await expect(fixture.call('listSessions', wrong), JSON.stringify(wrong)).rejects.toMatchObject({ status: 400 });
      }
    });

    it('reads a page by indexes alone, without a sort', async () => {
      for (const column of ['updated_at', 'created_at', 'title']) {
        for (const condition of ['', 's.user_id = 1 AND ', 's.scenario = 1 AND ',
          's.user_id = 1 AND +s.scenario = 1 AND '])
        {
          const plan = await fixture.base.sql.all<{ detail: string }>(
            `EXPLAIN QUERY PLAN SELECT s.seq FROM memory_sessions s WHERE ${condition}(s.expires_at IS NULL OR ` +
              `s.expires_at > 1) ORDER BY s.${column} DESC, s.seq DESC LIMIT 1 OFFSET 1`,
          );
          expect(plan.map(({ detail }) => detail), `${column}, ${condition}`).toEqual([
            expect.stringContaining('USING COVERING INDEX'),
          ]);
        }
      }
    });
  });
});

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
