import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDocuments } from './check-documents.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quire-documents-'));
  write('docs/architecture.md', '# Architecture\n## 1. Principles\nsee [the decision](decisions.md#d-01)\n');
  write('docs/contract/service.md', '## 4. Endpoints\n');
  write('docs/decisions.md', '| <a id="d-01"></a>D-01 | text |\n');
  write('docs/contract/run-queue.md', '## 8. Limits\n');
  write('docs/contract/run-queue-decisions.md', '### 2.3 State machine\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('the documents of a project', () => {
  it('are sound when everything resolves, wherever it is cited', () => {
    write('src/docs/a.ts', '// decision D-01; contract, section 4; decisions section 4; design, section 1\n');
    write('src/runs/b.ts', '// decisions, section 2.3; contract, section 8\n');
    write('README.md', '[Architecture](docs/architecture.md#1-principles), [sources](src/)\n');
    expect(checkDocuments(root)).toEqual([]);
  });

  it('are not when a citation or a link leads nowhere', () => {
    write('src/docs/a.ts', '// decision D-02\n');
    write('openapi/docs/a.yaml', 'description: contract, section 8\n');
    write('src/docs/README.md', '[gone](gone.ts)\n');
    write('docs/a.md', '`gone.ts` and SVC_GONE\n');
    write('CHANGELOG.md', '`gone.ts` and SVC_GONE went\n');
    expect(checkDocuments(root)).toEqual(['src/docs/README.md:1: the link gone.ts leads to no file',
      'openapi/docs/a.yaml:1: the contract of the document service in docs/contract/ has no section 8',
      'src/docs/a.ts:1: decision D-02 is not in docs/decisions.md', 'docs/a.md:1: there is no file gone.ts',
      'docs/a.md:1: SVC_GONE is no setting']);
  });

  it('tell of all loops', () => {
    write('src/docs/a.ts', "new Loop({\n  name: 'sweep',\n});\nnew Loop({ name: 'other', everyMs: 1 });\n");
    write('docs/loops.md', '[sweep](../src/docs/a.ts)\n');
    expect(checkDocuments(root)).toEqual(['src/docs/a.ts: docs/loops.md does not tell of the loop other']);
  });

  it('are those of the project alone', () => {
    for (const folder of ['node_modules/a', 'generated', 'src/app/demo/corpus', '.cache', 'dist'])
      write(`${folder}/a.md`, '[gone](gone.md), decision D-02\n');
    expect(checkDocuments(root)).toEqual([]);
  });
});
