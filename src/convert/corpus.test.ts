import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert, officeCorpus } from './test-fixture.ts';

const corpus = officeCorpus();

describe.skipIf(corpus === undefined)('real files of the public corpus', () => {
  it.each(corpus?.files.map(({ file, expect: phrases }) => [file, phrases] as const) ?? [])(
    '%s holds every phrase that is known of it',
    async (file, phrases) => {
      const { contentMd, meta } = await convert(readFileSync(`${corpus!.folder}${file}`), file);
      // A page with an empty body contains only its title.
      const text = [
        contentMd.replace(/\[\^\d+\](?!:)/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\\([^\w\s])/g, '$1')
          .replace(/[*_~]{1,3}/g, ''),
        ...Object.values(meta).flat(),
      ].join('\n').replace(/\s+/g, ' ');
      expect(phrases.filter((phrase) => !text.includes(phrase.replace(/[*_~]{1,3}/g, '')))).toEqual([]);
    },
  );
});
