export { ConversionError } from './contract.ts';
export type { Conversion, ConversionFault, ConversionOptions, Converter, ConverterSettings, FileFormat,
  FileToConvert } from './contract.ts';
export { createConverter } from './converter.ts';
export { extensionOf, formatOfMediaType, isConvertible } from './extensions.ts';
