import { type Conversion, ConversionError, type ConversionFault, type ConversionOptions, type Converter,
  type FileToConvert } from '../../../convert/index.ts';
import { type ErrorCode, ServiceError } from '../../../errors/index.ts';

/**
 * The errors for a file that cannot be converted: a file that is not a supported document is the fault of the request,
 * other failures are those of the file.
 */
const CODES: Readonly<Record<ConversionFault, ErrorCode>> = {
  unsupported: 'invalid_argument',
  no_text: 'invalid_argument',
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
