import { afterEach, beforeEach, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

let fixture: SearchFixture;
beforeEach(async () => {
  fixture = await SearchFixture.open('sql.js');
  const often = Array(40).fill('map maps mapping').join(' ');
  await fixture.add('much', `# Map and map\n\n${often}`);
  await fixture.add('constructor', 'Makes a map.', { title: ['Map() constructor'] });
  await fixture.add('api/map/index', 'A page whose key is the name.', { title: ['Collections'] });
  await fixture.add('title', 'Something else.', { title: ['Map'] });
  await fixture.add('heading', '# Aspect ratio\n\nOf a picture.');
  await fixture.add('css', `${often} Aspect ratio aspect-ratio aspect-ratio`, { title: ['aspect-ratio'] });
});
afterEach(() => fixture.close());

it('begins with the document that is called like the query, then with that which is in its key', async () => {
  expect((await fixture.keys('map')).slice(0, 2)).toEqual(['title', 'api/map/index']);
  expect((await fixture.keys('MAP')).slice(0, 2)).toEqual(['title', 'api/map/index']);
});

it('tells titles of the same words apart as they are written', async () => {
  expect((await fixture.keys('Aspect ratio')).slice(0, 2)).toEqual(['heading', 'css']);
  expect((await fixture.keys('aspect-ratio')).slice(0, 2)).toEqual(['css', 'heading']);
});

it('knows titles of stop words, in collections of several languages, too', async () => {
  await fixture.add('forof', 'Iterates over things.', { title: ['for...of'] });
  await fixture.add('from', 'Makes an array.', { title: ['Array.from()'] });
  await fixture.add('of', 'Makes an array of arrays, array by array.', { title: ['Array.of()'] });
  await fixture.add('fr', 'Un vol en été.', {}, { lang: 'fr' });
  for (const [query, key] of [['for...of', 'forof'], ['Array.from()', 'from'], ['Array.of()', 'of'], ['été', 'fr']])
    expect((await fixture.keys(query!))[0]).toBe(key);
});

it('leaves out what does not pass the filter, and what was deleted', async () => {
  expect((await fixture.keys('map', { filter: 'title != Map' }))[0]).toBe('api/map/index');
  await fixture.call('deleteDocument', { collection: 'c', key: 'title', lang: 'en' });
  expect((await fixture.keys('map'))[0]).toBe('api/map/index');
});

it('repeats and loses nothing on pages, and sorts scores in their order', async () => {
  const { results } = await fixture.find('map');
  const whole = results.map(({ document }) => document.key);
  const pages = await Promise.all(whole.map((_, offset) => fixture.keys('map', { offset, limit: 1 })));
  expect(pages.flat()).toEqual(whole);
  const scores = results.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

it('leaves the scores of the algorithm without reranking', async () => {
  expect((await fixture.keys('map', { rerank: false }))[0]).toBe('much');
});
