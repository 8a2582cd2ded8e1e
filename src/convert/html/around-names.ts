/**
 * Words of names (classes, identifiers) that authors use for parts that surround the content: ways around the site,
 * other pages, what readers are asked to do, what readers say, data about the page, advertisements and notices.
 */
const AROUND = new Set([
  'nav navbar navi navigation subnav menu submenu breadcrumb breadcrumbs pagination pager paging ' +
  'masthead footer sidenav toolbar topbar tagcloud skip skiplink searchform login',
  'related relatedposts jp-relatedposts recommended recommendations recommendation recirculation recirc ' +
  'morenews outbrain taboola yarpp popular mostread trending similar',
  'share sharing sharedaddy sharebar sharebuttons social socialmedia addthis addtoany shariff follow ' +
  'newsletter subscribe subscription signup donate rating ratings',
  'comments commentlist commentform respond disqus trackback pingback pinglist',
  'tags taglist tagged keywords authorbox author-box entry-utility entry-footer entryfooter ' +
  'article-footer post-footer related-posts read-more most-read sticky-search kommentare author-bio author-info ' +
  'about-author postmeta entry-meta post-meta meta-info article-meta',
  'advert adverts advertisement advertising adbox banner sponsor sponsored promo promotion promoted ' +
  'cookie cookies gdpr consent popup modal overlay copyright disclaimer screen-reader-text sr-only ' +
  'visually-hidden visuallyhidden noprint',
].flatMap((line) => line.split(' ')));

/** Such words of parts that may as well be content. */
const PERHAPS = new Set((
  'teaser teasers widget widgets readmore print sidebar toc ad ads legal paywall secondary author ' +
  'byline category categories topics'
).split(' '));

/** Words in front of such a word that say that it is somewhere else: `has-sidebar`, `no-comments`. */
const ELSEWHERE = new Set(('has with without no not is hide off l layout page body').split(' '));

/**
 * Whether a name (in lower case) belongs to a part that surrounds the content: `always`, or `perhaps`, which what the
 * part holds has to confirm.
 */
export function surrounds(name: string): 'always' | 'perhaps' | undefined {
  return hasWord(name, AROUND) ? 'always' : hasWord(name, PERHAPS) ? 'perhaps' : undefined;
}

function hasWord(name: string, list: ReadonlySet<string>): boolean {
  if (list.has(name)) return true;
  const words = name.slice(0, 100).split(/[-_:]+/);
  return words.some((word, at) =>
    (list.has(word) || list.has(`${word}-${words[at + 1] ?? ''}`)) && !(at > 0 && ELSEWHERE.has(words[at - 1]!))
  );
}
