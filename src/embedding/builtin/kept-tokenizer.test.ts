// Compares the kernel's tokens with those of an independently maintained tokeniser. `QUIRE_TOKENIZER_TEXTS` sets how
// many texts are compared, from the `.ndjson.gz` files that `QUIRE_TOKENIZER_FILES` names (comma-separated), or
// otherwise from the pages that are included in the demo.
import { createReadStream } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { EmbeddingKernel } from '../../kernels/embedding.ts';
import { tokenModel } from './token-model.ts';

interface Tokenizer {
  encode(text: string, options: { readonly add_special_tokens: false }): { readonly ids: readonly number[] };
}

/** It is included in @huggingface/transformers. */
const library = (() => {
  try {
    const transformers = createRequire(import.meta.url).resolve('@huggingface/transformers');
    return createRequire(transformers).resolve('@huggingface/tokenizers');
  } catch {
    return undefined;
  }
})();

const ROOT = new URL('../../../', import.meta.url);
const TEXTS = Number(process.env['QUIRE_TOKENIZER_TEXTS'] ?? 400);
const FILES = process.env['QUIRE_TOKENIZER_FILES']?.split(',') ?? [];

/**
 * Known differences: names of special tokens, which are text to the kernel; a capital sigma, which the library changes
 * at the end of a word, unlike the model's own tokeniser; and Chinese characters beyond U+FFFF, which the library does
 * not separate.
 */
const DIFFERENT = /\[(?:UNK|CLS|SEP|PAD|MASK)\]|Σ|[\u{20000}-\u{2fa1f}]/u;

async function* texts(): AsyncGenerator<string> {
  for (const file of FILES) {
    for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) })) {
      const { body, text, contentMd } = JSON.parse(line) as Record<string, unknown>;
      const found = [body, text, contentMd].find((value) => typeof value === 'string');
      if (found !== undefined) yield* paragraphs(found as string);
    }
  }
  if (FILES.length > 0) return;
  const folder = new URL('src/app/demo/corpus/documents/', ROOT);
  for await (const name of glob('**/*.md', { cwd: fileURLToPath(folder) }))
    yield* paragraphs(await readFile(new URL(name, folder), 'utf8'));
}

function paragraphs(text: string): string[] {
  return text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '' && !DIFFERENT.test(paragraph));
}

describe.skipIf(library === undefined)(
  'the tokeniser of @huggingface/tokenizers (skipped where the optional package is not installed)',
  () => {
    it('finds the same tokens', { timeout: 600_000 }, async () => {
      const { Tokenizer } = createRequire(import.meta.url)(library!) as {
        Tokenizer: new(tokenizer: object, config: object) => Tokenizer;
      };
      const [tokenizer, config] = await Promise.all(['tokenizer.json', 'tokenizer_config.json'].map(async (name) =>
        JSON.parse(await readFile(new URL(`models/minilm-l6-v2/${name}`, ROOT), 'utf8')) as Record<string, unknown>
      ));
      const kept = new Tokenizer({ ...tokenizer!, truncation: null, padding: null }, config!);
      const kernel = new EmbeddingKernel(await tokenModel());
      let compared = 0;
      for await (const text of texts()) {
        if (compared++ === TEXTS)
          break;
        expect([...kernel.tokens(text)], text).toEqual(kept.encode(text, { add_special_tokens: false }).ids);
      }
      expect(compared).toBeGreaterThan(Math.min(TEXTS, 300));
    });
  },
);
