import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillHeader, fillUrl, variablesOf, withoutVariables } from './message.ts';
import { readLexicon, sentimentOf } from './sentiment.ts';

describe('sentiment (decisions, section 2.3)', () => {
  it('weighs words, and flips those that follow a negation', async () => {
    const lexicon = await readLexicon();
    expect(sentimentOf('a terrible disappointment', lexicon)).toBe(-1);
    expect(sentimentOf('Good!', lexicon)).toBe(1);
    expect(sentimentOf('good, bad', lexicon)).toBe(0);
    expect(sentimentOf('this is not very good', lexicon)).toBe(-1);
    expect(sentimentOf('it isn’t good', lexicon)).toBe(-1);
    expect(sentimentOf('not one two three good', lexicon)).toBe(1);
    expect(sentimentOf('table', lexicon)).toBe(0);
    expect(sentimentOf(`${'word '.repeat(10_000)} good`, lexicon)).toBe(0);
  });

  it('takes further words of a file, and refuses lines that are none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-lexicon-'));
    const file = join(folder, 'words.tsv');
    await writeFile(file, '# of ours\nGrässlich\t-3\r\ngood\t-1\n\n');
    const lexicon = await readLexicon(file);
    expect(['grässlich', 'good', 'bad'].map((word) => lexicon.get(word))).toEqual([-3, -1, -3]);
    await writeFile(file, 'fine\t1\nno weight\n');
    await expect(readLexicon(file)).rejects.toThrow('SVC_SENTIMENT_LEXICON: line 2');
    await expect(readLexicon(join(folder, 'none.tsv'))).rejects.toThrow('cannot be read (ENOENT)');
    await rm(folder, { recursive: true });
  });
});

describe('templates (decisions, section 2.3)', () => {
  const source = {
    event: 'trigger.matched',
    timestamp: 1,
    collection: 'c',
    docId: 'c|a|en',
    key: 'a/b c',
    lang: 'en',
    score: 1.5,
    webhookId: '',
    document: {
      key: 'a/b c',
      lang: 'en',
      contentMd: '',
      meta: { tags: ['x', 'y'], line: ['a\r\nX-Evil: 1'] },
      addedAt: 1,
      updatedAt: 1,
    },
    trigger: { id: 'auto_1', name: 'Ü' },
  } as unknown as Parameters<typeof variablesOf>[0];
  const variables = variablesOf(source);

  it('know the variables of a delivery, and leave what they do not know', () => {
    expect(
      fillHeader(
        '{{doc.id}} {{ doc.lang }} {{doc.meta.tags}} {{collection}} {{score}} {{trigger.id}} {{event}} {{timestamp}}',
        variables,
      ),
    ).toBe('c|a|en en x,y c 1.5 auto_1 trigger.matched 1');
    const unknown =
      '{{sentiment}} {{cron.id}} {{webhook.id}} {{doc.meta.none}} {{doc.meta.__proto__}} {{constructor}} {{}} {{a ' +
      'b}} {{{x}}}';
    expect(fillHeader(unknown, variables)).toBe(unknown);
  });

  it('encode values in URLs, and keep lines out of headers', () => {
    expect(fillUrl('http://h/{{doc.key}}?q={{trigger.name}}', variables)).toBe('http://h/a%2Fb%20c?q=%C3%9C');
    expect(
      fillUrl('http://h/{{doc.meta.x}}',
        variablesOf({ ...source, document: { ...source.document!, meta: { x: ['\ud800'] } } })),
    ).toBe('http://h/%EF%BF%BD');
    expect(fillHeader('{{doc.meta.line}} é€', variables)).toBe('aX-Evil: 1 é?');
    expect(withoutVariables('http://{{doc.meta.host}}/{{a}}')).toBe('http://x/x');
  });

  it('take no value for a template', () => {
    fc.assert(fc.property(fc.string(), (value) => {
      const nested = variablesOf({ ...source, document: { ...source.document!, meta: { x: [`{{doc.id}}${value}`] } } });
      expect(fillHeader('{{doc.meta.x}}', nested)).toMatch(/^\{\{doc\.id\}\}/);
    }));
  });
});
