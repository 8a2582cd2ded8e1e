/** Lines that are headings with `#`, at most as far in as CommonMark allows, and fences, within which none is. */
const HEADING_OR_FENCE = /^ {0,3}(?:#{1,6}[ \t]+(?<heading>\S.*)|(?<fence>`{3,}|~{3,}).*)$/gm;
/** Headings beyond this number are left out. */
const MAX_HEADINGS = 1000;

/** The texts of a Markdown document's headings (CommonMark, "ATX headings"), in order, without the signs around them. */
export function headingsOf(markdown: string): string[] {
  const headings: string[] = [];
  let fence: string | undefined;
  for (const { groups } of markdown.matchAll(HEADING_OR_FENCE)) {
    const { heading, fence: found } = groups!;
    if (found !== undefined) fence = fence === undefined ? found : closes(found, fence) ? undefined : fence;
    else if (fence === undefined && headings.push(withoutClosing(heading!)) === MAX_HEADINGS) break;
  }
  return headings.filter((heading) => heading !== '');
}

function closes(found: string, fence: string): boolean {
  return found[0] === fence[0] && found.length >= fence.length;
}

/** `## Title ##` is `Title`. */
function withoutClosing(heading: string): string {
  let end = heading.trimEnd().length;
  const trimmed = end;
  while (end > 0 && heading[end - 1] === '#') end--;
  if (end === trimmed) return heading.slice(0, end);
  return end === 0 || heading[end - 1] === ' ' || heading[end - 1] === '\t' ? heading.slice(0, end).trimEnd() : heading.slice(0, trimmed);
}
