import { createHash } from 'node:crypto';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { degreesOf, type Point } from '../../search/geo/index.ts';
import { plainPostcode } from './postcodes.ts';

/** Maximum postcodes and bytes of one file: the countries with the most postcodes have about two million. */
const MAX_POSTCODES = 5_000_000;
const MAX_BYTES = 512 * 2 ** 20;
const MAX_POSTCODE = 32;

/** Bytes that are hashed in one step. */
const PIECE = 256 * 1024;

export interface PostcodeFile {
  readonly places: Map<string, Point>;
  /** SHA-256 of its bytes. */
  readonly sha256: string;
}

/**
 * The places of a file of `postcode,lat,lng`, without a header, by normalized postcode; of a postcode with several
 * places the first one counts. The file must be in the folder after links are resolved. Throws `invalid_argument`, with
 * the same message for missing files and files outside, so that other folders cannot be probed; for a malformed file
 * the message names the line.
 */
export async function readPostcodeFile(folder: string, csvPath: string, name: string): Promise<PostcodeFile> {
  const file = await openInside(folder, csvPath);
  if (file === undefined)
    throw new ServiceError('invalid_argument',
      `${name} must name a file in the server's geo data folder (SVC_GEO_DATA_DIR)`);
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES)
      throw new ServiceError('invalid_argument', `${name} must name a file of at most ${MAX_BYTES} bytes`);
    // Hashed first: if the file changes meanwhile, the hash is outdated, and the file is loaded again.
    const sha256 = await hashOf(file);
    return { places: await readLines(file, name), sha256 };
  } finally {
    await file.close();
  }
}

/** SHA-256 of a file in the folder; undefined if there is no such file. */
export async function hashPostcodeFile(folder: string, csvPath: string): Promise<string | undefined> {
  const file = await openInside(folder, csvPath);
  try {
    return file && (await hashOf(file));
  } finally {
    await file?.close();
  }
}

/** Does not change the current position of the file. */
async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(PIECE);
  for (let at = 0; at <= MAX_BYTES;) {
    const { bytesRead } = await file.read(buffer, 0, PIECE, at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

/** Undefined if there is no such file in the folder. */
async function openInside(folder: string, csvPath: string): Promise<FileHandle | undefined> {
  try {
    if (isAbsolute(csvPath)) return undefined;
    const [root, path] = [await realpath(folder), await realpath(join(folder, csvPath))];
    const inside = relative(root, path);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch {
    return undefined;
  }
}

async function readLines(file: FileHandle, name: string): Promise<Map<string, Point>> {
  const places = new Map<string, Point>();
  const pace = new Pace();
  let number = 0;
  for await (const line of file.readLines({ autoClose: false })) {
    number += 1;
    if (line.trim() === '') continue;
    const read = readLine(line.replace(/^\uFEFF/, ''));
    if (read === undefined)
      throw new ServiceError('invalid_argument', `${name}: line ${number} must be postcode,lat,lng`);
    if (!places.has(read.postcode)) places.set(read.postcode, read.point);
    if (places.size > MAX_POSTCODES)
      throw new ServiceError('invalid_argument', `${name} must have at most ${MAX_POSTCODES} postcodes`);
    await pace.rest();
  }
  return places;
}

/** Undefined for a line that is not `postcode,lat,lng`. Fields may be quoted; further fields are ignored. */
function readLine(line: string): { postcode: string; point: Point } | undefined {
  const [postcode, lat, lng] = line.split(',', 3).map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
  if (postcode === undefined || lat === undefined || lng === undefined) return undefined;
  const plain = plainPostcode(postcode);
  const point = { lat: degreesOf(lat, 90), lng: degreesOf(lng, 180) };
  if (plain === '' || plain.length > MAX_POSTCODE || point.lat === undefined || point.lng === undefined)
    return undefined;
  return { postcode: plain, point: { lat: point.lat, lng: point.lng } };
}
