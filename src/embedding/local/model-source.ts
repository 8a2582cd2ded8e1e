import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../../lib/setting-values.ts';

/** A model to run in this process. */
interface ModelSource {
  /** A hub id or the absolute path of a folder. */
  readonly model: string;
  readonly isFolder: boolean;
  /** Precision of its weights. */
  readonly dtype: string;
  /** Where its files are, or will be. */
  readonly folder: string;
}

// Names that exports use for the same model, best first.
const DTYPES: readonly (readonly [file: string, dtype: string])[] = [['model.onnx', 'fp32'], ['model_fp16.onnx',
  'fp16'], ['model_quantized.onnx', 'q8'], ['model_int8.onnx', 'int8'], ['model_uint8.onnx', 'uint8'], ['model_q4.onnx',
  'q4'], ['model_q4f16.onnx', 'q4f16'], ['model_bnb4.onnx', 'bnb4']];
const HUB_ID = /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** The name of the encoder that is included in the package (`models/README.md`). */
export const SHIPPED_MODEL = 'minilm-l6-v2';
/** Valid for source and for the built package. */
const SHIPPED_FOLDER = new URL(`../../../models/${SHIPPED_MODEL}`, import.meta.url);

/** The encoder that is included in the package, which needs no network. Throws ConfigError if its files are missing. */
export function shippedSource(): ModelSource {
  return folderSource(fileURLToPath(SHIPPED_FOLDER));
}

/**
 * Resolves a model's name: an absolute path, a name that begins with `.`, and the name of a folder with a `config.json`
 * are folders; any other name must be a hub id. Hub models are used in full precision: the smaller versions are
 * quantised dynamically over the whole batch, so that the vector of a text would depend on the other texts in it.
 * Without `mayBeFolder` only hub ids are considered, so that callers learn nothing about the disk. Throws ConfigError.
 */
export function modelSource(model: string, cacheFolder: string, mayBeFolder = true): ModelSource {
  if (!mayBeFolder && (!HUB_ID.test(model) || model.includes('..')))
    throw new ConfigError([
      `model: expected a hub id such as nomic-ai/nomic-embed-text-v1.5, got ${
        JSON.stringify(model)
      }; only the settings of the server can name a folder`,
    ]);
  if (mayBeFolder && (isAbsolute(model) || model.startsWith('.') || existsSync(join(model, 'config.json'))))
    return folderSource(resolve(model));
  if (!HUB_ID.test(model) || model.includes('..')) {
    throw new ConfigError([
      `the embedding model "${model}" is neither a hub id such as nomic-ai/nomic-embed-text-v1.5 nor a folder; ` +
      'begin a relative path with ./',
    ]);
  }
  return { model, isFolder: false, dtype: 'fp32', folder: join(cacheFolder, model) };
}

function folderSource(folder: string): ModelSource {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError([`the folder of the embedding model, ${folder}, does not exist`]);
  const missing = ['config.json', 'tokenizer.json', 'tokenizer_config.json'].filter((name) =>
    !existsSync(join(folder, name))
  );
  if (missing.length > 0)
    throw new ConfigError([`the folder of the embedding model, ${folder}, has no ${missing.join(', no ')}`]);
  const found = DTYPES.find(([file]) => existsSync(join(folder, 'onnx', file)));
  if (found === undefined)
    throw new ConfigError([
      `the folder of the embedding model, ${folder}, has no ONNX model: expected onnx/model.onnx`,
    ]);
  return { model: folder, isFolder: true, dtype: found[1], folder };
}
