import { type Conversion, ConversionError, type Converter, extensionOf, type FileToConvert,
  formatOfExtension } from '../convert/index.ts';
import { splitFrontMatter } from '../text/front-matter.ts';

const PLAIN: readonly string[] = ['md', 'txt'];
const WRAPPED: readonly string[] = ['yaml', 'yml', 'log', 'lex'];

/**
 * For tests: converts text formats, at once and in this thread. A body that begins with `fault:` fails with that fault.
 */
export class TextConverter implements Converter {
  /** The files that were converted, in order. */
  readonly files: (FileToConvert & { readonly options: object })[] = [];
  closed = false;

  async convert(file: FileToConvert, options: object = {}): Promise<Conversion> {
    this.files.push({ ...file, options });
    const format = formatOfExtension(extensionOf(file.name)) ?? 'txt';
    const text = new TextDecoder('utf-8').decode(file.bytes);
    const fault = /^fault:(\w+)/.exec(text)?.[1];
    if (fault !== undefined) throw new ConversionError(fault as ConversionError['fault'], `is ${fault}`);
    if (!PLAIN.includes(format) && !WRAPPED.includes(format))
      throw new ConversionError('unsupported', `is no format of this converter`);
    const converted = WRAPPED.includes(format);
    const { meta, body } = converted ? { meta: {}, body: `\`\`\`${format}\n${text}\n\`\`\`` } : splitFrontMatter(text);
    return {
      contentMd: body,
      format,
      converted,
      repaired: text.includes('\ufffd') ? 1 : 0,
      meta: text.startsWith('Title: ') ? { title: [text.slice(7).split('\n')[0]!] } : meta,
      warnings: text.includes('odd') ? ['the content is odd'] : [],
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
