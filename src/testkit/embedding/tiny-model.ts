import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import protobuf from 'protobufjs';

// The messages of the ONNX format that a table of word vectors needs; names and field numbers are those of
// the format (github.com/onnx/onnx, onnx/onnx.proto).
const ONNX = protobuf.parse(`syntax = "proto3"; package onnx;
message ModelProto { int64 ir_version = 1; string producer_name = 2; GraphProto graph = 7; repeated OperatorSetIdProto opset_import = 8; }
message OperatorSetIdProto { string domain = 1; int64 version = 2; }
message GraphProto { repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5; repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12; }
message NodeProto { repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4; repeated AttributeProto attribute = 5; }
message AttributeProto { string name = 1; int64 i = 3; int32 type = 20; }
message TensorProto { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
message ValueInfoProto { string name = 1; TypeProto type = 2; }
message TypeProto { TensorTypeProto tensor_type = 1; }
message TensorTypeProto { int32 elem_type = 1; TensorShapeProto shape = 2; }
message TensorShapeProto { repeated DimensionProto dim = 1; }
message DimensionProto { int64 dim_value = 1; string dim_param = 2; }`, { keepCase: true }).root;

const FLOAT = 1;
const INT64 = 7;
const INT_ATTRIBUTE = 2;
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const MAX_TOKENS = 64;

export interface TinyModel {
  /** Words that the model knows; all others are mapped to one unknown word. */
  readonly words: readonly string[];
  /** Size of its vectors; 32 if absent. */
  readonly width?: number;
  /** The size that `config.json` states; the true size if absent. */
  readonly claimedWidth?: number;
}

/**
 * Writes a model into a folder, in the form of an export from the hub: a table with one fixed vector for each word, so
 * that the mean of a text's words is its embedding and texts that share words are similar. It accepts 64 tokens.
 */
export async function writeTinyModel(folder: string,
  { words, width = 32, claimedWidth = width }: TinyModel): Promise<void>
{
  const vocabulary = [...SPECIAL, ...words];
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx', 'model.onnx'), encodeModel(vocabulary, width));
  const files = {
    'config.json': config(vocabulary.length, claimedWidth),
    'tokenizer_config.json': TOKENIZER_CONFIG,
    'tokenizer.json': tokenizer(vocabulary),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
}

function encodeModel(vocabulary: readonly string[], width: number): Uint8Array {
  const type = ONNX.lookupType('onnx.ModelProto');
  const table = {
    name: 'table',
    dims: [vocabulary.length, width],
    data_type: FLOAT,
    raw_data: Buffer.from(wordVectors(vocabulary, width).buffer),
  };
  const gather = {
    op_type: 'Gather',
    name: 'look-up',
    input: ['table', 'input_ids'],
    output: ['last_hidden_state'],
    attribute: [{ name: 'axis', i: 0, type: INT_ATTRIBUTE }],
  };
  return type.encode(type.fromObject({
    ir_version: 8,
    producer_name: 'tiny-model',
    opset_import: [{ domain: '', version: 17 }],
    graph: {
      name: 'words',
      node: [gather],
      initializer: [table],
      input: [tensor('input_ids', INT64, ['batch', 'tokens']), tensor('attention_mask', INT64, ['batch', 'tokens'])],
      output: [tensor('last_hidden_state', FLOAT, ['batch', 'tokens', width])],
    },
  })).finish();
}

function tensor(name: string, elementType: number, shape: readonly (string | number)[]): object {
  const dim = shape.map((size) => (typeof size === 'string' ? { dim_param: size } : { dim_value: size }));
  return { name, type: { tensor_type: { elem_type: elementType, shape: { dim } } } };
}

/** Numbers in [-1, 1) from a hash of the word (FNV-1a), mixed by a linear congruential generator. */
function wordVectors(vocabulary: readonly string[], width: number): Float32Array {
  const table = new Float32Array(vocabulary.length * width);
  vocabulary.forEach((word, row) => {
    let state = 2_166_136_261;
    for (const character of word) state = Math.imul(state ^ character.codePointAt(0)!, 16_777_619) >>> 0;
    for (let j = 0; j < width; j++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      table[row * width + j] = state / 2 ** 31 - 1;
    }
  });
  return table;
}

function config(vocabularySize: number, width: number): object {
  return {
    architectures: ['BertModel'],
    model_type: 'bert',
    hidden_size: width,
    intermediate_size: width,
    num_hidden_layers: 0,
    num_attention_heads: 1,
    vocab_size: vocabularySize,
    max_position_embeddings: MAX_TOKENS,
    type_vocab_size: 2,
    pad_token_id: 0,
  };
}

const TOKENIZER_CONFIG = {
  tokenizer_class: 'BertTokenizer',
  do_lower_case: true,
  model_max_length: 1e30,
  pad_token: '[PAD]',
  unk_token: '[UNK]',
  cls_token: '[CLS]',
  sep_token: '[SEP]',
  mask_token: '[MASK]',
};

function tokenizer(vocabulary: readonly string[]): object {
  const special = (content: string) => ({ SpecialToken: { id: content, type_id: 0 } });
  const sequence = { Sequence: { id: 'A', type_id: 0 } };
  const token = (content: string) => ({ id: content, ids: [SPECIAL.indexOf(content)], tokens: [content] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), sequence, special('[SEP]')],
      pair: [special('[CLS]'), sequence, special('[SEP]')],
      special_tokens: { '[CLS]': token('[CLS]'), '[SEP]': token('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  };
}
