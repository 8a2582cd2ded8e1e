import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { runImport } from '../commands/import/run-import.ts';
import { InterruptedError } from '../commands/shared/command-error.ts';
import { type Io, PROGRAM, writeLines } from '../commands/shared/io.ts';
import { plural } from '../commands/shared/output.ts';
import { openService, type Service } from '../commands/shared/service.ts';
import { places } from './places.ts';

/** The pages of four packages that are included (`demo/corpus/SOURCES.md`). */
const HANDBOOK = join(import.meta.dirname, '..', 'demo', 'corpus', 'documents');
/** The program's own helpers: small files that import each other. */
const CODE = join(import.meta.dirname, '..', '..', 'lib');

/**
 * Fills an empty service with example data: pages of documentation (`handbook`), cities with coordinates (`places`),
 * notes with a history (`notes`) and a folder of linked code (`code`). A service that already has data is left
 * unchanged.
 */
export async function fillPlayground(url: string, io: Io, signal: AbortSignal): Promise<void> {
  // No credential: the service is our own, and has no accounts.
  const service = openService({ url, apiKey: '' });
  if ((await service.call('getStats')).totalDocuments === 0) {
    await runImport({
      source: HANDBOOK,
      collection: 'handbook',
      lang: 'en',
      url,
      apiKey: '',
      concurrency: 4,
      batch: 200,
      revisions: true,
      quiet: true,
    }, { io, clock: systemClock, signal });
    for (const fill of [addPlaces, addCode, addNotes]) {
      if (signal.aborted) throw new InterruptedError();
      await fill(service);
    }
  }
  const { collections, totalDocuments } = await service.call('getStats');
  writeLines(io.stdout, [
    `  holds:     ${plural(totalDocuments, 'document')} in ${collections.map(({ name }) => name).sort().join(', ')}`,
    ...hints(url),
  ]);
}

async function addPlaces(service: Service): Promise<void> {
  await service.call('addDocuments', {
    collection: 'places',
    documents: places().map((place) => ({ ...place, lang: 'en' })),
  });
}

/** Each version is a write of its own, like an edit by a user. */
async function addNotes(service: Service): Promise<void> {
  for (const { key, meta, versions } of NOTES) {
    for (const contentMd of versions)
      await service.call('addDocument', { collection: 'notes', key, lang: 'en', meta, contentMd });
  }
}

async function addCode(service: Service): Promise<void> {
  const names = (await readdir(CODE)).filter((name) => /\.(?:ts|js)$/.test(name) && !/\.(?:test|d)\.ts$/.test(name));
  const documents = await Promise.all(names.map(async (name) => {
    const contentMd = await readFile(join(CODE, name), 'utf8');
    const found = (
      pattern: RegExp,
    ): string[] => [...new Set([...contentMd.matchAll(pattern)].map(([, each]) => each!))];
    return {
      key: name,
      lang: 'en',
      contentMd,
      meta: {
        title: [name],
        language: ['typescript'],
        defines: found(/^export (?:async )?(?:function|class|const|interface|type) (\w{1,100})/gm),
        imports: found(/ from '\.\/([\w.-]{1,100})'/g),
      },
    };
  }));
  await service.call('addDocuments', { collection: 'code', documents });
}

/** Things to try, with the address if it is not the default. */
function hints(url: string): string[] {
  const at = url.endsWith(':11023') ? '' : ` --url ${url}`;
  return ['  try, in another terminal:', `    ${PROGRAM} search -c handbook event loop${at}`,
    `    ${PROGRAM} get handbook pino/redaction${at}`, `    ${PROGRAM} history notes welcome${at}`,
    `    ${PROGRAM} diff notes welcome${at}`,
    `    ${PROGRAM} call searchGeo -c places --lat 52.5 --lng 13.4 --radius-meters 300000${at}`,
    `    ${PROGRAM} call getCodeGraph -c code --key regexp-automaton.ts${at}`, `    ${PROGRAM} collections list${at}`];
}

/** A note of the demo with all its versions, oldest first. */
export interface Note {
  readonly key: string;
  readonly meta: Readonly<Record<string, string[]>>;
  readonly versions: readonly string[];
}

/** Notes that were changed a few times, so that there is a history. */
export const NOTES: readonly Note[] = [{
  key: 'welcome',
  meta: { title: ['Welcome'], tags: ['start'] },
  versions: ['# Welcome\n\nThis is a note.\n',
    '# Welcome\n\nThis is a note in the collection `notes`.\nEvery version of it is kept.\n',
    '# Welcome\n\nThis is a note in the collection `notes`.\nEvery version of it is kept: `quire history notes ' +
    'welcome` lists them,\nand `quire diff notes welcome` shows what has changed.\n'],
}, {
  key: 'release-plan',
  meta: { title: ['Release plan'], tags: ['plan', 'release'], status: ['open'] },
  versions: ['# Release plan\n\n- [ ] write the change log\n- [ ] ask somebody to read it\n',
    '# Release plan\n\n- [x] write the change log\n- [ ] ask somebody to read it\n- [ ] measure how long a start ' +
    'takes\n',
    '# Release plan\n\n- [x] write the change log\n- [x] ask somebody to read it\n- [ ] measure how long a start ' +
    'takes\n- [ ] release on Thursday\n'],
}, {
  key: 'bread',
  meta: { title: ['Bread'], tags: ['recipe'] },
  versions: [
    '# Bread\n\n500 g flour, 350 ml water, 10 g salt, a little yeast.\nLet it rest over night and bake it for 40 ' +
    'minutes.\n',
    '# Bread\n\n500 g flour, 375 ml water, 10 g salt, a little yeast.\nLet it rest over night, fold it twice, and ' +
    'bake it for 45 minutes in a closed pot.\n',
  ],
}, {
  key: 'outage',
  meta: { title: ['What we learned from the outage'], tags: ['incident'], status: ['closed'] },
  versions: ['# What we learned from the outage\n\nThe disk was full, and nobody was told.\n',
    '# What we learned from the outage\n\nThe disk was full, and nobody was told. An alert at 80 % tells us ' +
    'now.\nThe backup could be restored within ten minutes.\n'],
}, {
  key: 'reading-list',
  meta: { title: ['Reading list'], tags: ['books'] },
  versions: ['# Reading list\n\n- something about search engines\n- something about databases\n- a novel\n'],
}];
