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
