import type { Client } from '../../generated/docs/sdk/client/index.ts';
import { addDocument, addDocuments, addMessage, createAutomationRule, createGroup, createWebhook, registerUser,
  reindexVectors, setPermission, startSession, submitBulkIngest } from '../../generated/docs/sdk/sdk.gen.ts';

const TOPICS = {
  gardening: 'Roses want sun, compost and patience; slugs want the lettuce.',
  cooking: 'Simmer the stock slowly, then add salt and a bay leaf.',
  astronomy: 'Jupiter shows four moons in any small telescope on a clear night.',
  sailing: 'Reef early, keep clear of the lighthouse rocks, and watch the tide.',
};

/** A document in which everything is too wide for a phone. */
const LONG = {
  key: `reports/${'a-name-without-spaces-'.repeat(5)}`,
  lang: 'en',
  meta: { title: [`A title ${'of many words '.repeat(8)}`], fingerprint: ['0123456789abcdef'.repeat(6)] },
  contentMd: `# Long\n\n\`\`\`\n${'x'.repeat(300)}\n\`\`\`\n\n| ${'a wide column | '.repeat(12)}\n|${
    '---|'.repeat(12)
  }\n| ${'its value | '.repeat(12)}\n`,
};

/** A document of more passages than one page of a search shows. */
const CHAPTERS = Array.from({ length: 60 },
  (_, index) => `# Chapter ${index}\n\n${'A lantern hangs over the door of the old house by the river. '.repeat(4)}`)
  .join('\n\n');

/** Documents in which one line in the middle is looked for. */
const HARBOUR = {
  key: 'harbour',
  lang: 'en',
  contentMd: `# The harbour\n\n${
    'Ships of the town rest at the quay.\n\n'.repeat(40)
  }- Ropes\n- The life of a pilot boat\n- Sails\n\n${'Ships of the town rest at the quay.\n\n'.repeat(40)}`,
};
const QUEUE = {
  key: 'queue/pilot.ts',
  lang: 'en',
  contentMd: `${'await the(tide, of, a);\n'.repeat(70)}/** The life of a pilot boat. */\nexport function sail() {}\n${
    'await the(tide, of, a);\n'.repeat(70)
  }`,
};

/**
 * Forty notes on four topics, a guide with two versions, a document that is too wide, some of many passages, and some
 * data for every other area.
 */
export async function fillDocuments(client: Client): Promise<void> {
  const topics = Object.entries(TOPICS);
  const documents = Array.from({ length: 40 }, (_, index) => {
    const [topic, text] = topics[index % topics.length]!;
    return {
      key: `${topic}/note-${index}`,
      lang: 'en',
      meta: {
        title: [`Notes on ${topic}, part ${index}`],
        topic: [topic],
        level: [index % 3 === 0 ? 'beginner' : 'advanced'],
      },
      contentMd:
        `# ${topic}\n\n${text} A lantern, number ${index}.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`,
    };
  });
  await done(addDocuments({ client, body: { collection: 'notes', documents } }));
  const guide = (contentMd: string) =>
    done(addDocument({
      client,
      body: {
        collection: 'guides',
        key: 'start',
        lang: 'en',
        meta: { title: ['How to start'], audience: ['newcomers', 'operators'] },
        contentMd,
      },
    }));
  await guide('# Start\n\nThe first version of a guide.\n\nIt has three paragraphs.\n');
  await guide(
    '# Start\n\nThe second version of the guide.\n\nIt has three paragraphs.\n\nAnd one more, with <img src=x ' +
      'onerror="document.title=\'broken into\'"> in it.\n',
  );
  await done(addDocument({ client, body: { collection: 'archive', ...LONG } }));
  await done(addDocument({ client, body: { collection: 'archive', ...HARBOUR } }));
  await done(addDocument({ client, body: { collection: 'code', ...QUEUE } }));
  for (const key of ['one', 'two'])
    await done(addDocument({ client, body: { collection: 'long', key, lang: 'en', contentMd: CHAPTERS } }));
  const sources = [['theme/post.css', '.post-title { color: red }'], ['theme/post.html',
    '<link rel="stylesheet" href="post.css">\n<h1 class="post-title">Hi</h1>'], ['theme/list.html',
    '<link rel="stylesheet" href="post.css">']] as const;
  for (const [key, contentMd] of sources)
    await done(addDocument({ client, body: { collection: 'code', key, lang: 'en', contentMd } }));
  for (const collection of ['long', 'notes', 'archive', 'code'])
    await done(reindexVectors({ client, body: { collection, force: true } }));
  await Promise.all([fillMemory(client), fillRules(client), fillAccess(client), done(submitBulkIngest({
    client,
    body: { collection: 'loaded', documents: [{ key: 'a', lang: 'en', contentMd: 'loaded' }] },
  }))]);
}

async function fillMemory(client: Client): Promise<void> {
  const { sessionId } =
    (await startSession({ client, body: { userId: 'ada', title: 'Where to plant roses', scenario: 'garden' } })).data!;
  for (const [role, content] of [['user', 'Where shall I plant the **roses**?'], ['assistant',
    'Where the morning sun is, away from the hedge.']] as const)
    await done(addMessage({ client, body: { sessionId, role, content } }));
}

async function fillRules(client: Client): Promise<void> {
  await done(createWebhook({
    client,
    body: { url: 'https://example.com/hooks/changes', events: ['doc.added'], collection: 'elsewhere' },
  }));
  await done(createAutomationRule({
    client,
    body: {
      type: 'trigger',
      name: 'Storms',
      collection: 'notes',
      query: 'tide',
      webhookUrl: 'https://example.com/hooks/storms',
    },
  }));
}

async function fillAccess(client: Client): Promise<void> {
  await done(registerUser({ client, body: { username: 'ada', password: 'analytical-engine-1843' } }));
  await done(setPermission({ client, body: { username: 'ada', collection: 'guides', read: true } }));
  await done(createGroup({ client, body: { name: 'gardeners', description: 'Those who weed', members: ['ada'] } }));
}

async function done(call: Promise<{ readonly error?: unknown }>): Promise<void> {
  const { error } = await call;
  if (error !== undefined) throw new Error(JSON.stringify(error));
}
