import type { Operations } from '../../../generated/docs/operations.ts';
import type { UploadedFile } from '../../../generated/docs/sdk/types.gen.ts';
import { type Conversion, ConversionError, type ConversionFault, type ConversionOptions, type Converter,
  CONVERTIBLE_LIST, extensionOf, type FileToConvert, formatOfExtension } from '../../convert/index.ts';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import { type Context, type Handlers, type InputOf, mayReadAll } from '../../operations/index.ts';
import { type BatchItem, type BatchResult, type Documents, identify } from '../documents/index.ts';
import { changeFlags, type EffectiveOptions, effectiveOptions } from './profile.ts';

interface UploadDeps {
  readonly converter: Converter;
  readonly writer: Documents['writer'];
  readonly getDocument: Documents['handlers']['getDocument'];
}

type UploadInput = InputOf<Operations, 'uploadFiles'>;

/** Maximum number of converted files that are written together, and of characters of their markdown. */
const TOGETHER = 100;
const CHARS_TOGETHER = 4 * 1024 * 1024;

/**
 * Maximum number of files that are converted at once, and of their bytes if they are more than one; only these files
 * are in memory.
 */
const AT_ONCE = 4;
const BYTES_AT_ONCE = 16 * 1024 * 1024;

/** A converted file. */
interface Converted {
  readonly index: number;
  readonly name: string;
  readonly item: BatchItem;
  readonly result: Omit<UploadedFile, 'document'>;
  readonly repaired: boolean;
}

/** `POST /v1/upload` (contract section 4). In a batch, a file that fails is counted, and the others are stored. */
export function uploadFiles(deps: UploadDeps): Required<Handlers<Operations>>['uploadFiles'] {
  return async (input, context) => {
    const { file, 'files[]': list, profile } = input;
    if (file === undefined && (list === undefined || list.length === 0))
      throw new ServiceError('missing_fields', 'missing fields: file');
    const upload = new Upload(deps, input, context);
    if (file !== undefined && list === undefined) return { ...(await upload.one(file as File)), profile };
    return { ...(await upload.all([...(file === undefined ? [] : [file as File]), ...(list as File[])])), profile };
  };
}

const WHAT_TO_DO = `; taken are ${CONVERTIBLE_LIST} and names without one: rename the file to what it is, or save it ` +
  'in one of these formats';

class Upload {
  readonly #deps: UploadDeps;
  readonly #input: UploadInput;
  readonly #context: Context;
  readonly #mayRead: boolean;
  readonly #options: EffectiveOptions;
  readonly #tally = { added: 0, updated: 0, failed: 0, sanitized: 0 };
  readonly #errors: { readonly index: number; readonly line: string }[] = [];
  readonly #results: UploadedFile[] = [];
  /** The name of the first file of each document. */
  readonly #names = new Map<string, string>();

  constructor(deps: UploadDeps, input: UploadInput, context: Context) {
    this.#deps = deps;
    this.#input = input;
    this.#context = context;
    this.#mayRead = mayReadAll(context.identity, input.collection);
    this.#options = effectiveOptions({ profile: input.profile }, this.#mayRead);
  }

  async one(file: File): Promise<UploadedFile & { sanitized?: number }> {
    const converted = await this.#convert(file, 0, this.#input.key || keyOfFile(file.name));
    const { errors, sanitized } = await this.#write([converted]);
    if (errors[0] !== undefined) throw failureOf(errors[0]);
    const document = await this.#read(converted, true);
    if (document === undefined) throw new ServiceError('conflict', 'the document was deleted while it was stored');
    return { ...converted.result, document, ...((converted.repaired || sanitized > 0) && { sanitized: 1 }) };
  }

  async all(files: readonly File[]): Promise<
    { added: number; updated: number; failed: number; errors: string[]; results: UploadedFile[]; sanitized?: number }
  > {
    let waiting: Converted[] = [];
    let chars = 0;
    for (let i = 0; i < files.length;) {
      this.#context.signal.throwIfAborted();
      const next = i + countAtOnce(files.slice(i, i + AT_ONCE));
      const some = await Promise.all(files.slice(i, next).map((file, j) => this.#attempt(file, i + j)));
      i = next;
      for (const converted of some.filter((each) => each !== undefined)) {
        if (!this.#isFirst(converted)) continue;
        waiting.push(converted);
        chars += converted.item.contentMd!.length;
      }
      if (waiting.length < TOGETHER && chars < CHARS_TOGETHER && i < files.length) continue;
      await this.#store(waiting);
      waiting = [];
      chars = 0;
    }
    const { sanitized, ...counts } = this.#tally;
    const errors = this.#errors.sort((a, b) => a.index - b.index).map(({ line }) => line);
    return { ...counts, errors, results: this.#results, sanitized: sanitized || undefined };
  }

  async #attempt(file: File, index: number): Promise<Converted | undefined> {
    try {
      return await this.#convert(file, index, keyOfFile(file.name));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'unavailable' || error.code === 'internal') throw error;
      // The error line begins with the file's name already, and the list of formats is needed once.
      this.#fail(index, file.name, error.message.replace(`file ${shown(file.name)} `, '').replace(WHAT_TO_DO, ''));
      return undefined;
    }
  }

  async #convert(file: File, index: number, key: string): Promise<Converted> {
    const { lang, ttl, meta = {}, maxSize } = this.#input;
    const name = baseName(file.name);
    const what = `file ${shown(file.name)}`;
    const extension = extensionOf(name);
    if (extension !== '' && formatOfExtension(extension) === undefined)
      throw new ServiceError('invalid_argument', `${what} has an unsupported extension${WHAT_TO_DO}`);
    if (file.size > maxSize) throw new ServiceError('payload_too_large', `${what} is larger than ${maxSize} bytes`);
    const given = {
      bytes: new Uint8Array(await file.arrayBuffer()),
      name,
      contentType: file.type || undefined,
    };
    const { textOnly, saveRevision } = this.#options;
    const { contentMd, format, converted, meta: own, repaired, warnings } = await convertFile(this.#deps.converter,
      given, what, { textOnly, signal: this.#context.signal });
    const stored = {
      ...listsOf(own),
      ...meta,
      upload_format: [format],
      upload_filename: [name.toWellFormed()],
      upload_converted: [String(converted)],
    };
    return {
      index,
      name: file.name,
      repaired: repaired > 0,
      item: { key, lang, contentMd, meta: stored, ttl, saveRevision },
      result: { key, format, converted, ...(warnings.length > 0 && { warnings: [...warnings] }) },
    };
  }

  /** Whether this is the first file of its document: files must not overwrite each other unnoticed. */
  #isFirst({ index, name, item: { key = '', lang = '' } }: Converted): boolean {
    const { id } = identify(this.#input.collection, key, lang);
    const first = this.#names.get(id);
    if (first === undefined) this.#names.set(id, name);
    else this.#fail(index, name,
        `makes the key of ${shown(first)}, which is in the same batch; upload it by itself with a key of its own`);
    return first === undefined;
  }

  async #store(files: readonly Converted[]): Promise<void> {
    const { added, updated, skipped, sanitized, errors } = await this.#write(files);
    this.#tally.added += added;
    this.#tally.updated += updated + skipped;
    this.#tally.sanitized += Math.max(sanitized, files.filter(({ repaired }) => repaired).length);
    const failed = new Map(errors.map((line) => [Number.parseInt(line, 10), line.slice(line.indexOf(': ') + 2)]));
    for (const [i, file] of files.entries()) {
      const reason = failed.get(i);
      const document = reason === undefined ? await this.#read(file, false) : undefined;
      if (reason !== undefined) this.#fail(file.index, file.name, reason);
      else if (document !== undefined) this.#results.push({ ...file.result, document });
    }
  }

  #write(files: readonly Converted[]): Promise<BatchResult> {
    const skipDuplicates = this.#options.skipDuplicates ? { ignoredMeta: [] } : undefined;
    return this.#deps.writer.put(this.#input.collection, files.map(({ item }) => item), {
      skipDuplicates,
      flags: changeFlags(this.#options),
      signal: this.#context.signal,
      by: this.#context,
      hidesStored: !this.#mayRead,
    });
  }

  /**
   * The stored document, with its content only if that fits the response or `anyway` is true. Undefined when it was
   * removed again.
   */
  async #read({ item: { key = '', lang = '' } }: Converted,
    anyway: boolean): Promise<UploadedFile['document'] | undefined>
  {
    try {
      const found = await this.#deps.getDocument({ collection: this.#input.collection, key, lang }, this.#context);
      const { checksum: _, contentMd, ...document } = 'value' in found ? found.value : found;
      return anyway || this.#context.budget.take(Buffer.byteLength(contentMd)) ? { ...document, contentMd } : document;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  #fail(index: number, name: string, reason: string): void {
    this.#tally.failed++;
    this.#errors.push({ index, line: `${index} ${shown(name)}: ${reason}` });
  }
}

/** How many of the files are converted at once: at least the first. */
function countAtOnce(files: readonly File[]): number {
  let bytes = 0;
  const end = files.findIndex((file, i) => (bytes += file.size) > BYTES_AT_ONCE && i > 0);
  return end < 0 ? files.length : end;
}

function listsOf(meta: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(meta).map(([key, values]) => [key, [...values]]));
}

const SHOWN_NAME = 200;

const shown = (name: string): string =>
  (name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name).toWellFormed();

/** The last part of a path, whichever separator the client uses. */
function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The key of a file's document: its lowercased name without extension, with hyphens instead of spaces. */
export function keyOfFile(name: string): string {
  const base = baseName(name);
  const extension = extensionOf(base);
  const stem = formatOfExtension(extension) !== undefined ? base.slice(0, -extension.length - 1) : base;
  return stem.trim().normalize('NFC').toLowerCase().replaceAll(' ', '-');
}

/**
 * The errors for a file that cannot be converted: a file that is not a supported document is the fault of the request,
 * other failures are those of the file.
 */
const CODES: Readonly<Record<ConversionFault, ErrorCode>> = {
  unsupported: 'invalid_argument',
  no_text: 'invalid_argument',
  empty: 'conversion_failed',
  too_large: 'payload_too_large',
  damaged: 'conversion_failed',
  encrypted: 'conversion_failed',
  too_deep: 'conversion_failed',
  timeout: 'conversion_failed',
  out_of_memory: 'conversion_failed',
  crashed: 'conversion_failed',
  aborted: 'unavailable',
};

/**
 * A file as markdown. `what` names the file in the message of a failure. Throws `ServiceError`, or the signal's reason.
 */
export async function convertFile(converter: Converter, file: FileToConvert, what: string,
  options: ConversionOptions): Promise<Conversion>
{
  try {
    return await converter.convert(file, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof ConversionError)) throw error;
    throw new ServiceError(CODES[error.fault], `${what} ${error.message}`, { cause: error });
  }
}

/** The error of a single write, made from the error line of a batch with one item. */
export function failureOf(line: string): ServiceError {
  const reason = line.slice(line.indexOf(': ') + 2);
  if (reason.startsWith('missing fields: ')) return new ServiceError('missing_fields', reason);
  return new ServiceError(reason.startsWith('validation failed: ') ? 'validation_failed' : 'invalid_argument', reason);
}
