export { type Conversion, ConversionError, type ConversionFault, type ConversionOptions, type Converter,
  type ConverterSettings, extensionOf, type FileFormat, type FileToConvert, formatOfMediaType,
  isConvertible } from './contract.ts';
export { createConverter } from './converter.ts';
