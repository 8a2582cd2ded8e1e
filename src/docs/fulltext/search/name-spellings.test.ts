import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

let fixture: SearchFixture;
beforeEach(async () => {
  fixture = await SearchFixture.open('sql.js');
});
afterEach(() => fixture.close());

const sorted = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

// D-192
describe('the spellings of a name', () => {
  it.each([['node.js', 'nodejs', 'node js'], ['e-mail', 'email'], ['Wi-Fi', 'wifi', 'WiFi', 'wi fi'], ['front-end',
    'frontend', 'front end'], ['log-in', 'login', 'log in'], ['pop-up', 'popup', 'pop up'], ['UTF-8', 'utf8', 'utf 8'],
    [
      'HTML5',
      'HTML 5',
    ], ['H.264', 'h264'], ['local storage', 'localStorage', 'localstorage'], ['get element by id', 'getElementById'], [
    'T-shirts',
    'tshirt',
    't-shirt',
  ]])('find each other: %j, %j', async (...spellings) => {
    for (const [i, spelling] of spellings.entries()) await fixture.add(`k${i}`, `We write ${spelling} in prose.`);
    const all = spellings.map((_, i) => `k${i}`);
    for (const [i, spelling] of spellings.entries()) {
      expect(await sorted(spelling), spelling).toEqual(all);
      expect(await sorted(spelling, { matchingStrategy: 'all' }), spelling).toEqual(all);
      expect((await fixture.keys(spelling, { algorithm: 'bm25' })).slice(0, spellings.length), spelling).toContain(
        `k${i}`,
      );
    }
  });

  it('ranks the spelling of the query first', async () => {
    await fixture.add('dot', 'Streams of node.js are readable.');
    await fixture.add('joined', 'Streams of nodejs are readable.');
    await fixture.add('other', 'A node of a tree.');
    expect((await fixture.keys('nodejs'))[0]).toBe('joined');
    expect((await fixture.keys('node.js'))[0]).toBe('dot');
    expect((await fixture.keys('node js'))[0]).toBe('dot');
  });

  it('finds words within an identifier', async () => {
    await fixture.add('camel', 'Call addEventListener on window.');
    await fixture.add('prose', 'We add an event listener.');
    await fixture.add('words', 'You can add event listener functions.');
    for (const query of ['event listener', 'eventListener', 'add event listener', 'addEventListener'])
      expect(await fixture.keys(query), query).toContain('camel');
    expect(await sorted('addEventListener')).toEqual(['camel', 'words']);
    expect((await fixture.keys('addEventListener'))[0]).toBe('camel');
    expect(await sorted('listener')).toEqual(['prose', 'words']);
  });

  it('finds versions with and without v, and those that begin with one', async () => {
    await fixture.add('v', 'Version v1.2.3 is out.');
    await fixture.add('plain', 'Version 1.2.3 is out.');
    await fixture.add('other', 'Version 1.25 is out.');
    for (const query of ['1.2', 'v1.2', '1.2.3', 'v1.2.3']) expect(await sorted(query), query).toEqual(['plain', 'v']);
    expect([(await fixture.keys('v1.2.3'))[0], (await fixture.keys('1.2.3'))[0]]).toEqual(['v', 'plain']);
    expect(await sorted('1.2.4')).toEqual([]);
  });

  it('does not join or divide words with stop words', async () => {
    await fixture.add('format', 'A format.');
    await fixture.add('form', 'The form at the top.');
    await fixture.add('editor', 'An editor.');
    await fixture.add('edit', 'Edit or delete it.');
    expect([await sorted('format'), await sorted('form at'), await sorted('editor'), await sorted('edit or')]).toEqual([
      [
        'format',
      ],
      ['form'],
      ['editor'],
      ['edit'],
    ]);
  });

  it('marks what it found', async () => {
    await fixture.add('dot', 'Streams of node.js are readable.');
    await fixture.add('camel', 'Call addEventListener on window.');
    const marked = async (query: string) => {
      const { results } = await fixture.find(query, { highlight: true });
      return results.map(({ matchedTerms, highlights }) => [matchedTerms, highlights![0]!.fragment]);
    };
    expect(await marked('nodejs')).toEqual([[['nodejs'], 'Streams of <mark>node.js</mark> are readable.']]);
    expect(await marked('event listener')).toEqual([[['event', 'listener'],
      'Call <mark>addEventListener</mark> on window.']]);
  });

  it('takes words with punctuation in boolean queries, and quotes as they are written', async () => {
    await fixture.add('dot', 'Streams of node.js are readable.');
    await fixture.add('joined', 'Streams of nodejs are readable.');
    expect(await sorted('streams AND node.js')).toEqual(['dot', 'joined']);
    expect(await sorted('streams AND nodejs')).toEqual(['dot', 'joined']);
    expect([await sorted('"node.js"'), await sorted('"node js" AND streams'), await sorted('node* AND streams')])
      .toEqual([[
        'dot',
      ], ['dot'], ['dot', 'joined']]);
  });
});

// D-193
describe('languages of one letter', () => {
  const names = ['C', 'C++', 'C#', 'F#'];
  beforeEach(async () => {
    for (const name of names) await fixture.add(name, `# ${name}\n\nTemplates of ${name}. A ${name}, (${name}) and c.`);
  });

  it.each(['C++', 'C#', 'F#', 'c++', '"C#"', '+C++ +templates'])('finds %s alone', async (query) => {
    const { results } = await fixture.find(query, { highlight: true });
    const name = /[CF][+#]*(?=\W*$| )/i.exec(query)![0].toUpperCase();
    expect(results.map(({ document }) => document.key)).toEqual([name]);
    expect(results[0]!.highlights![0]!.fragment).toContain(`<mark>${name}</mark>`);
  });
});

// D-197
describe('names that begin with a full stop', () => {
  beforeEach(async () => {
    await fixture.add('dot', 'The .NET runtime, and .NET’s collector.');
    await fixture.add('asp', 'ASP.NET and VB.NET are frameworks (not languages).');
    await fixture.add('lower', 'See asp.net for more.');
    await fixture.add('net', 'A fish in a net.');
    await fixture.add('small', 'I write .net (or .Net) for work.');
    await fixture.add('hosts', 'example.net, *.net, my-.net and a/.net are hosts; .network is none.');
    await fixture.add('income', 'NET INCOME. The nets were empty.');
  });

  it.each(['.NET', '.net', '".NET"', '.NET AND NOT fish', '+.NET'])('%s finds them alone', async (query) => {
    expect(await sorted(query)).toEqual(['asp', 'dot', 'small']);
    const { results } = await fixture.find(query, { highlight: true });
    const fragments = new Map(results.map(({ document, highlights }) => [document.key, highlights![0]!.fragment]));
    expect(fragments.get('dot')).toBe('The <mark>.NET</mark> runtime, and <mark>.NET’s</mark> collector.');
    expect(fragments.get('small')).toBe('I write <mark>.net</mark> (or <mark>.Net</mark>) for work.');
    expect(fragments.get('asp')).toBe('ASP<mark>.NET</mark> and VB<mark>.NET</mark> are frameworks (not languages).');
  });

  it('are marked in phrases', async () => {
    const { results } = await fixture.find('"VB.NET are"', { highlight: true });
    expect(results.map(({ highlights }) => highlights![0]!.fragment)).toEqual([
      'ASP.NET and <mark>VB.NET are</mark> frameworks (not languages).',
    ]);
  });

  it('are found by the word itself, behind the word', async () => {
    expect(await sorted('net')).toEqual(['asp', 'dot', 'hosts', 'income', 'lower', 'net', 'small']);
    expect((await fixture.keys('net')).slice(4).sort()).toEqual(['asp', 'dot', 'small']);
  });

  it('are found with the word before them in any case', async () => {
    for (const query of ['ASP.NET', 'asp.net']) {
      expect(await sorted(query, { matchingStrategy: 'all' }), query).toEqual(['asp', 'lower']);
      expect((await fixture.keys(query, { matchingStrategy: 'all' }))[0], query).toBe(
        query === 'ASP.NET' ? 'asp' : 'lower',
      );
    }
  });
});
