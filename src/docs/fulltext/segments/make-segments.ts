import type { Segment, SegmentBuilder } from '../../../search/inverted/index.ts';
import type { UpcomingDocument } from '../../documents/index.ts';
import { PLAIN } from '../view/analyzers.ts';
import { fieldTexts } from '../view/document-texts.ts';
import { toIndexed } from '../view/to-indexed.ts';

/** Number of documents, and of UTF-16 units of their bodies, in a segment: merging it takes a few milliseconds. */
const DOCUMENTS = 125;
const UNITS = 256 * 1024;

/** Documents with a longer body are indexed in steps of their own. */
const LONGEST = 32 * 1024;

/**
 * The segments of consecutive documents, for an index with these named fields; a number stands for documents that do
 * not fit one.
 */
export function makeSegments(builder: SegmentBuilder, fieldNames: readonly string[],
  documents: readonly UpcomingDocument[]): (Segment | number)[]
{
  let names = fieldNames;
  return inParts(documents).map((part) => {
    if (isLong(part[0]!)) return part.length;
    builder.begin(names);
    for (const document of part) add(builder, document);
    const segment = builder.finish();
    // The next segment is merged after this one.
    names = segment?.fields ?? names;
    return segment ?? part.length;
  });
}

/** Each long document is a part of its own. */
function inParts(documents: readonly UpcomingDocument[]): UpcomingDocument[][] {
  const parts: UpcomingDocument[][] = [];
  let units = Infinity;
  for (const document of documents) {
    units += document.contentMd.length;
    if (units > UNITS || parts.at(-1)!.length === DOCUMENTS || isLong(document)) {
      parts.push([]);
      units = document.contentMd.length;
    }
    parts.at(-1)!.push(document);
    if (isLong(document)) units = Infinity;
  }
  return parts;
}

function isLong({ contentMd }: UpcomingDocument): boolean {
  return contentMd.length > LONGEST;
}

/** The analyzer does not matter: forms are grouped when the segment is merged. */
function add(builder: SegmentBuilder, document: UpcomingDocument): void {
  const indexed = toIndexed({ ...document, ord: 0 }, PLAIN);
  const texts = fieldTexts(indexed);
  let step = texts.next();
  while (step.done !== true) step = texts.next();
  builder.add(step.value, indexed.documentClass);
}
