import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemoryFixture } from '../test-fixture.ts';

interface Talk {
  readonly session_id: string;
  readonly turns: readonly { readonly speaker: 'user' | 'system'; readonly text: string }[];
}

interface Question {
  readonly text: string;
  readonly session_id: string;
}

/** Number of stored conversations: enough for wrong ones to compete, and few enough for a quick test. */
const TALKS = 48;

const parent = join(import.meta.dirname, '../../../../..');
const folder = readdirSync(parent).map((beside) => join(parent, beside, 'corpus', 'memory')).find((each) =>
  existsSync(each)
);
const linesOf = <T>(text: string): T[] => text.trim().split('\n').map((line) => JSON.parse(line) as T);

describe('evidence in real dialogues', () => {
  it.skipIf(folder === undefined)(
    'is mostly among the first ten that words find (skipped where a folder "corpus/memory" of a folder beside the ' +
      'checkout is missing)',
    async () => {
      const talks = linesOf<Talk>(gunzipSync(await readFile(join(folder!, 'sgd-sessions.ndjson.gz'))).toString()).slice(
        0,
        TALKS,
      );
      const known = new Set(talks.map(({ session_id: id }) => id));
      const questions = linesOf<Question>(await readFile(join(folder!, 'sgd-questions.ndjson'), 'utf8')).filter((
        { session_id: id },
      ) => known.has(id));
      const fixture = await MemoryFixture.open('sql.js');
      const names = new Map<string, string>();
      await Promise.all(talks.map(async ({ session_id: id, turns }) => {
        const { sessionId } = await fixture.start();
        names.set(sessionId, id);
        for (const { speaker, text } of turns)
          await fixture.say(sessionId, text, speaker === 'user' ? 'user' : 'assistant');
      }));
      let found = 0;
      for (const { text, session_id: id } of questions) {
        const { results } = await fixture.recall(text, { strategy: 'keyword' });
        if (results.some(({ sessionId }) => names.get(sessionId) === id)) found++;
      }
      await fixture.close();
      expect(questions.length).toBeGreaterThan(10);
      expect(found / questions.length).toBeGreaterThan(0.8);
    },
  );
});
