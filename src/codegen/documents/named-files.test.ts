import { describe, expect, it } from 'vitest';
import { missingFiles, namesOf } from './named-files.ts';

const names = namesOf(['src/docs/view/view.ts', 'src/console/app.tsx', 'README.md']);
const missing = (file: string, text: string): string[] => missingFiles(file, text, names);

describe('names of files', () => {
  it('resolve by their last folders, wherever they are written', () => {
    expect(missing('a.md', 'see `view.ts`, `../docs/view/view.ts` and `app.tsx`\n')).toEqual([]);
    expect(missing('src/a.ts', '/**\n * Like [view.ts](view/view.ts).\n */\n// and app.tsx.\n')).toEqual([]);
  });

  it('are reported where no file has them, once for each place', () => {
    expect(missing('a.md', 'text\n`views.ts` and `ew.ts`, `runs/view.ts`\n')).toEqual([
      'a.md:2: there is no file views.ts',
      'a.md:2: there is no file ew.ts',
      'a.md:2: there is no file runs/view.ts',
    ]);
    expect(missing('src/a.ts', '// see gone.ts\nimport "./gone.ts"; // not a comment of its own\n')).toEqual([
      'src/a.ts:1: there is no file gone.ts',
    ]);
  });

  it('are not read in blocks of code, in prose, and where they stand for others', () => {
    expect(
      missing('a.md',
        '```sh\n`gone.ts`\n```\nNode.ts and gone.ts, `asm/NAME.ts`, `a.ts`, `generated/docs/types.ts`, `x.d.ts`, ' +
          '`*.test.ts`\n'),
    ).toEqual([]);
  });
});
