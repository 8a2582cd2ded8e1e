import { expect } from 'vitest';
import { addDictionaryWords, cleanSpelling, deleteDictionaryWords, listDictionary,
  suggestSpelling } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsScenarios, store } from './scenario.ts';

/** Spelling (contract, section 4; decisions section 4.10). The server has it switched on. */
export const spell: DocsScenarios = {
  async suggestSpelling(context) {
    const { client, direct, collection } = context;
    await store(context, { key: 'a', contentMd: 'Markdown documents are stored.' });
    expect(succeeded(await suggestSpelling({ client, body: { collection, lang: 'en', text: 'Markdwon documents' } })))
      .toEqual({
        originalText: 'Markdwon documents',
        suggestedText: 'Markdown documents',
        tokenSuggestions: [{
          token: 'markdwon',
          original: 'Markdwon',
          corrected: 'markdown',
          confidence: 0.88,
          suggestions: ['markdown'],
        }],
      });
    refused(await suggestSpelling({ client: direct, body: { collection, text: 'x' } as never }), 400, 'missing_fields');
  },

  async cleanSpelling(context) {
    const { client, collection } = context;
    await store(context, { key: 'a', contentMd: 'Markdown documents are stored.' });
    expect(
      succeeded(
        await cleanSpelling({ client, body: { collection, lang: 'en', text: 'Markdwon `documnts` are stroed' } }),
      ),
    ).toEqual({
      original: 'Markdwon `documnts` are stroed',
      cleaned: 'Markdown `documnts` are stored',
      correctionsApplied: 2,
    });
  },

  async addDictionaryWords({ client, direct, collection }) {
    expect(succeeded(await addDictionaryWords({ client, body: { collection, lang: 'en', words: ['Quire', 'quire'] } })))
      .toEqual({ status: 'ok', added: 1 });
    expect(
      succeeded(await addDictionaryWords({ client, body: { collection, lang: 'en', words: ['quire'], frequency: 5 } }))
        .added,
    ).toBe(0);
    refused(await addDictionaryWords({ client: direct, body: { collection, lang: 'en', words: ['two words'] } }), 400,
      'invalid_argument');
  },

  async listDictionary({ client, collection }) {
    succeeded(
      await addDictionaryWords({ client, body: { collection, lang: 'en', words: ['quire', 'codex'], frequency: 7 } }),
    );
    expect(succeeded(await listDictionary({ client, query: { collection, lang: 'en' } }))).toEqual({
      collection,
      lang: 'en',
      words: ['codex', 'quire'],
      entries: [{ word: 'codex', frequency: 7 }, { word: 'quire', frequency: 7 }],
    });
  },

  async deleteDictionaryWords({ client, collection }) {
    succeeded(await addDictionaryWords({ client, body: { collection, lang: 'en', words: ['quire'] } }));
    expect(
      succeeded(await deleteDictionaryWords({ client, body: { collection, lang: 'en', words: ['Quire', 'none'] } })),
    ).toEqual({ status: 'ok', removed: 1 });
  },
};
