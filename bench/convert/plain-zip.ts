import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP archive in its oldest form, because pandoc does not read the ZIP64 fields of the service's exports. */
export function plainZip(entries: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [entry, content] of Object.entries(entries)) {
    const [name, bytes] = [Buffer.from(entry), Buffer.from(content)];
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    [20, 0, 8, 0, 0x21].forEach((value, index) => fields.writeUInt16LE(value, 2 * index));
    [crc32(bytes), packed.length, bytes.length].forEach((value, index) => fields.writeUInt32LE(value, 10 + 4 * index));
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, place, name);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, packed]);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  [Object.keys(entries).length, Object.keys(entries).length].forEach((value, index) =>
    end.writeUInt16LE(value, 8 + 2 * index)
  );
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
