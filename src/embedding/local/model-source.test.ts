import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../lib/setting-values.ts';
import { modelSource } from './model-source.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-model-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function model(at: string, onnx: string): Promise<void> {
  await mkdir(join(at, 'onnx'), { recursive: true });
  for (const name of ['tokenizer.json', 'tokenizer_config.json', join('onnx', onnx)])
    await writeFile(join(at, name), '{}');
  await writeFile(join(at, 'config.json'), '{}');
}

describe('modelSource', () => {
  it('takes owner/name for a hub id, in full precision', () => {
    expect(modelSource('nomic-ai/nomic-embed-text-v1.5', folder)).toEqual({
      model: 'nomic-ai/nomic-embed-text-v1.5',
      isFolder: false,
      dtype: 'fp32',
      folder: join(folder, 'nomic-ai/nomic-embed-text-v1.5'),
    });
  });

  it.each(['a/b/c', '../x/../y z', 'a b', 'https://huggingface.co/a/b', 'x/a..b', ''])(
    'refuses %j, which is neither hub id nor folder',
    (name) => {
      expect(() => modelSource(name, folder)).toThrow(ConfigError);
    },
  );

  it.each([['model.onnx', 'fp32'], ['model_quantized.onnx', 'q8'], ['model_q4f16.onnx', 'q4f16']])(
    'takes the precision that a folder has: %s',
    async (file, dtype) => {
      await model(folder, file);
      expect(modelSource(folder, '/nowhere')).toEqual({ model: folder, isFolder: true, dtype, folder });
    },
  );

  it('looks at no folder where it must be a hub id', async () => {
    await model(folder, 'model.onnx');
    for (const name of [folder, './x', '..', '../../etc', 'a/../b', join(folder, 'absent')])
      expect(() => modelSource(name, folder, false)).toThrow(/^model: expected a hub id/);
    expect(modelSource('me/mine', folder, false)).toMatchObject({ model: 'me/mine', isFolder: false });
  });

  it('reports what a folder lacks', async () => {
    expect(() => modelSource(join(folder, 'absent'), folder)).toThrow(/does not exist/);
    expect(() => modelSource(folder, folder)).toThrow(
      /has no config\.json, no tokenizer\.json, no tokenizer_config\.json/,
    );
    await model(folder, 'other.onnx');
    expect(() => modelSource(folder, folder)).toThrow(/has no ONNX model: expected onnx\/model\.onnx/);
  });
});
