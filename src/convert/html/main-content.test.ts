import { describe, expect, it } from 'vitest';
import { markdown } from '../test-fixture.ts';

const page = (body: string) => `<!DOCTYPE html><html><head><title>T</title></head><body>${body}</body></html>`;
const sentence = (about: string) => `This is a sentence about ${about} that a reader wants to read. `;
const links = (count: number) =>
  Array.from({ length: count }, (_, i) => `<li><a href="/${i}">A long text of the link number ${i}</a></li>`).join('');
const content = (html: string) => markdown(page(html), 'a.html');

describe('the main content of a page', () => {
  it('is never removed because of a name around it', async () => {
    const html = `<div class="layout l-outer--nav has-sidebar"><ul>${links(4)}</ul><main><h1>Title</h1><p>Text.</p>` +
      '</main></div>';
    expect(await content(html)).toBe('# Title\n\nText.');
    const named = `<div class="sidebar-right"><div class="post"><p>${sentence('rivers').repeat(9)}</p></div></div>`;
    expect(await content(named)).toContain('rivers');
  });

  it('keeps title and introduction beside the article', async () => {
    const html = `<header class="site"><a href="/">Site</a></header><div class="head"><h1>Title</h1><p>${
      sentence('the introduction')
    }</p></div><article><p>${sentence('rivers').repeat(9)}</p></article><aside>${sentence('nothing')}</aside>`;
    expect(await content(html)).toMatch(/^# Title\n\nThis is a sentence about the introduction.*\n\n.*rivers/);
    expect(await content(html)).not.toMatch(/nothing|Site/);
  });

  it('is without comments, sharing, related pages, and headings of nothing', async () => {
    const html =
      `<div id="content"><h1>Title</h1><p>${sentence('rivers').repeat(9)}</p><div class="share-buttons">Share` +
      `</div><div><h2>Read on</h2><ul>${links(3)}</ul></div><div id="comments"><h2>Two comments</h2><p>${
        sentence('me')
      }</p></div>` +
      `<form class="newsletter-signup"><p>${sentence('letters')}</p></form></div><footer><ul>${links(3)}</ul></footer>`;
    expect(await content(html)).toBe(`# Title\n\n${sentence('rivers').repeat(9).trim()}`);
  });

  it('keeps headings of what follows behind a list of links that is removed', async () => {
    const bar = `<div><a href="/1">One page</a> <a href="/2">Another page</a></div>`;
    const html = `<main><h1>Title</h1>${bar}<h2>Part</h2><p>${sentence('rivers').repeat(3)}</p><h2>More</h2>${bar}` +
      `<h2>Last</h2><p>${sentence('lakes')}</p></main>`;
    expect((await content(html)).match(/^#+ .*$/gm)).toEqual(['# Title', '## Part', '## Last']);
  });

  it('keeps sections whose identifiers are made of titles, boxes, and lists of links in the text', async () => {
    const html =
      `<main><h1>Privacy</h1><p>${sentence('us').repeat(3)}</p><ul>${links(2)}</ul><section id="cookies"><h2>` +
      `Cookies</h2><p>${sentence('cookies')}</p></section><aside class="note"><p>${sentence('notes')}</p></aside>` +
      `<section id="sharing-with-others"><h2>Sharing with others</h2><p>${sentence('sharing')}</p></section></main>`;
    const text = await content(html);
    for (const part of ['link number 1', '## Cookies', 'about cookies', 'about notes', 'about sharing'])
      expect(text).toContain(part);
  });

  it('of a page that is all navigation is all of it', async () => {
    expect(await content(`<nav><ul>${links(3)}</ul></nav>`)).toContain('link number 2');
    expect(await content(`<div class="menu"><ul>${links(3)}</ul></div>`)).toContain('link number 2');
    expect(await content(`<main><h1>Index</h1><ul>${links(3)}</ul></main>`)).toContain('link number 2');
  });
});
