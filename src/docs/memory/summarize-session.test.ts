import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, MemoryFixture, START } from './test-fixture.ts';

const TALK = ['Hello! I want to book a hotel in Paris for two nights.',
  'Sure. Which dates do you have in mind, and what is your budget?',
  'From March 2nd to March 4th. The hotel should cost at most 120 euros a night.',
  'I found the hotel Lutetia Garden. It costs 110 euros a night and has a garden.\n\n```\nGET /hotels?city=Paris\n```',
  '> It costs 110 euros a night and has a garden.\n\nGreat. Does the hotel have breakfast?',
  'Yes, breakfast is included in the price of the hotel.',
  'Then please book the hotel. Can I cancel later? And is there a lift?'] as const;

describe.each(DRIVERS)('summaries over %s (decisions section 4.7)', (driver) => {
  let fixture: MemoryFixture;
  beforeEach(async () => {
    fixture = await MemoryFixture.open(driver);
  });
  afterEach(() => fixture.close());
  const summarize = (sessionId: string, userId = 'ada') => fixture.call('summarizeSession', { sessionId, userId });

  it('have a title, key points in order of time, open questions and counts', async () => {
    const sessionId = await fixture.talk(TALK);
    await fixture.say(sessionId, 'lookup ok', 'tool');
    fixture.base.advance(5);
    expect(await summarize(sessionId)).toEqual({
      summaryId: expect.stringMatching(/^sum_[0-9a-f]{24}$/) as string,
      sessionId,
      createdAt: START + 5,
      messages: 8,
      summary: ['# Hello!', '## Key points',
        '- I want to book a hotel in Paris for two nights.\n- The hotel should cost at most 120 euros a night.\n- ' +
        'Yes, breakfast is included in the price of the hotel.', '## Open questions',
        '- Can I cancel later?\n- And is there a lift?', '8 messages: 4 user, 3 assistant, 1 tool'].join('\n\n'),
    });
  });

  it('are always the same', async () => {
    const [one, two] = [await fixture.talk(TALK), await fixture.talk(TALK)];
    expect((await summarize(one)).summary).toBe((await summarize(two)).summary);
    expect((await summarize(one)).summary).toBe((await summarize(one)).summary);
  });

  it("are found by recall, as nobody's words, and are no messages", async () => {
    const sessionId = await fixture.talk(['Where is my parcel?', 'It is in the lighthouse.']);
    const { summaryId, summary } = await summarize(sessionId);
    const { results } = await fixture.recall('lighthouse', { includeContent: true, filterMeta: { type: ['summary'] } });
    expect(results).toMatchObject([{
      sessionId,
      role: '',
      matchStrategy: 'keyword',
      document: {
        key: `${sessionId}/summary`,
        contentMd: summary,
        meta: { session_id: [sessionId], user_id: ['ada'], scenario: [''], type: ['summary'], summary_id: [summaryId] },
      },
    }]);
    expect((await fixture.recall('lighthouse', { role: 'assistant' })).total).toBe(1);
    expect(await fixture.call('getSessionHistory', { sessionId })).toMatchObject({ total: 2, messages: [{}, {}] });
    expect((await fixture.call('listSessions', {})).sessions).toMatchObject([{ messageCount: 2 }]);
  });

  it('take the place of the one before', async () => {
    const sessionId = await fixture.talk(['Where is my parcel?']);
    const first = await summarize(sessionId);
    await fixture.say(sessionId, 'It is in the lighthouse.', 'assistant');
    const second = await summarize(sessionId);
    expect(second.summaryId).not.toBe(first.summaryId);
    expect(second.summary).toContain('lighthouse');
    const { results } = await fixture.recall('parcel', { filterMeta: { type: ['summary'] } });
    expect(results.map(({ document }) => document.meta!['summary_id'])).toEqual([[second.summaryId]]);
  });

  it('ask what the user asked since the last answer, and nothing that was answered', async () => {
    const questionsOf = async (contents: readonly string[]) =>
      (await summarize(await fixture.talk(contents))).summary!.split('\n\n').slice(4, -1);
    expect(await questionsOf(['Why? Where?', 'Because.'])).toEqual(['None.']);
    expect(await questionsOf(['Why?', 'Because. What else?', 'Where?'])).toEqual(['- Where?']);
    expect(await questionsOf(['We go.'])).toEqual(['None.']);
  });

  it("are refused for a session that is empty, unknown, or another user's", async () => {
    const { sessionId } = await fixture.start();
    await expect(summarize(sessionId)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'session has no messages',
    });
    await fixture.say(sessionId, 'Hello');
    await expect(summarize(sessionId, 'bob')).rejects.toMatchObject({ code: 'not_found' });
    await expect(summarize('ses_unknown')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('say so when there is nothing to report', async () => {
    const { sessionId } = await fixture.start({ title: 'Silent' });
    await fixture.say(sessionId, '```\ncode\n```');
    await fixture.say(sessionId, 'You are a robot.', 'system');
    expect((await summarize(sessionId)).summary).toBe(
      '# Silent\n\n## Key points\n\nNone.\n\n## Open questions\n\nNone.\n\n2 messages: 1 user, 1 system',
    );
  });

  it('expire with their session', async () => {
    const { sessionId } = await fixture.start({ ttl: 60 });
    await fixture.say(sessionId, 'Hello');
    fixture.base.advance(30);
    await summarize(sessionId);
    expect(await fixture.base.sql.all('SELECT DISTINCT expires_at FROM documents')).toEqual([{
      expires_at: START + 60,
    }]);
  });
});
