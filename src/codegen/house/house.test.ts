import { expect, it } from 'vitest';
import { importCircles, longLines, operationLists, passedEntryPoints } from './measures.ts';

it('finds lines that are too long, but not texts that cannot be broken', () => {
  const long = 'x'.repeat(120);
  const text = [`let ${long} = 1;`, `// ${long}`, `const short = 1;`, `const a = \`${long}`, `${long} b\`;`,
    `const r = /${long}/;`];
  expect(longLines('a.ts', `${text.join('\n')}\n`)).toEqual(['a.ts:1: 129 columns, at most 120',
    'a.ts:2: 123 columns, at most 120']);
});

it('finds files that import each other when they run', () => {
  const files = new Map([['src/a.ts', "import { b } from './b.ts';\n"], ['src/b.ts',
    "import {\n  c,\n} from './in/c.ts';\nimport type { D } from './d.ts';\n"], ['src/in/c.ts',
    "export { a } from '../a.ts';\n"], ['src/d.ts', "import './b.ts';\nimport 'node:fs';\n"]]);
  expect(importCircles(files)).toEqual([['src/a.ts', 'src/b.ts', 'src/in/c.ts']]);
});

it('finds lists of operations, but not what tools need', () => {
  const text = "const READS = new Set(['get', 'list']);\nconst one = ['get'];\nconst other = ['get', 'x'];\n" +
    "const tool = { needs: ['get', 'list'] };\n";
  expect(operationLists('a.ts', text, new Set(['get', 'list']))).toEqual([
    'a.ts:1: a list of operations; make it a fact of the specification',
  ]);
});

it('finds imports that pass the entry point of an area', () => {
  const files = new Map([
    ['src/docs/geo/geo.ts',
      "import type { A } from '../access/rows/a.ts';\nimport { b } from './in/b.ts';\n" +
      "import type { P } from '../access/port.ts';\n"],
    ['src/docs/geo/in/b.ts', "export { b } from '../../access/index.ts';\nimport { c } from '../../areas.ts';\n"],
    ['src/app/x.ts', "const later = () => import('../docs/geo/in/b.ts');\nimport { d } from '../docs/index.ts';\n"],
  ]);
  expect(passedEntryPoints(files, 'src/docs')).toEqual([
    'src/docs/geo/geo.ts: imports src/docs/access/rows/a.ts; outside of src/docs/access only its index.ts and its port.ts are imported',
    'src/app/x.ts: imports src/docs/geo/in/b.ts; outside of src/docs/geo only its index.ts and its port.ts are imported',
  ]);
});
