export { type Conversion, ConversionError, type ConversionFault, type ConversionOptions, type Converter,
  type ConverterSettings, CONVERTIBLE_LIST, extensionOf, type FileFormat, type FileToConvert, formatOfExtension,
  formatOfMediaType } from './contract.ts';
export { createConverter } from './converter.ts';
export { type KeyOf, keysOfPaths, readMarkdown } from './dialects/index.ts';
export { formatOf } from './format-of.ts';
