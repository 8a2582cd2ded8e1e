// Search by meaning with the models that are included in the package: how well it finds, how long it takes over HTTP,
// and what it costs. `QUIRE_MEANING_PARTS` selects some of the parts (comma-separated).
import { benchMeaningCost } from './meaning/cost.ts';
import { benchEncoderSpeed } from './meaning/encoder-speed.ts';
import { benchMeaningLanguages } from './meaning/languages.ts';
import { benchMeaningLatency } from './meaning/latency.ts';
import { benchMeaningQuality } from './meaning/quality.ts';
import type { Section } from './support/table.ts';

const PARTS: Readonly<Record<string, (folder: string) => Promise<Section[]>>> = {
  quality: benchMeaningQuality,
  languages: benchMeaningLanguages,
  latency: benchMeaningLatency,
  cost: benchMeaningCost,
  encoder: benchEncoderSpeed,
};

export async function benchMeaning(folder: string): Promise<Section[]> {
  const asked = process.env['QUIRE_MEANING_PARTS']?.split(',') ?? Object.keys(PARTS);
  const sections: Section[] = [];
  for (const name of asked) {
    const part = PARTS[name];
    if (part === undefined)
      throw new RangeError(`QUIRE_MEANING_PARTS must be among ${Object.keys(PARTS).join(', ')}, got ${name}`);
    sections.push(...await part(folder));
  }
  return sections;
}
