import { formatByteSize } from '../../lib/byte-size.ts';

export interface DiskRoomOptions {
  /** Free bytes on the disk. */
  readonly free: () => Promise<number>;
  /** Bytes that must stay free. */
  readonly least: () => number;
}

/** Room that was reserved for a content. */
export interface ReservedRoom {
  /** Says that bytes of it were written, so that the disk counts them. */
  wrote(bytes: number): void;
  /** Releases what was not written. */
  release(): void;
}

/**
 * The room on the disk for contents that arrive at one server at the same time: what one has reserved and not written
 * yet, no other one gets.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #reserved = 0;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** Reserves room for a content of this size, or returns why the disk has none. */
  async reserve(size: number): Promise<ReservedRoom | string> {
    const least = this.#options.least();
    const onDisk = await this.#options.free();
    const free = Math.max(0, onDisk - this.#reserved);
    if (free - size < least)
      return `the disk of the server has ${formatByteSize(free)} left, of which ${
        formatByteSize(least)
      } are reserved (storage.reserve)`;
    let left = size;
    const wrote = (bytes: number): void => {
      left -= bytes;
      this.#reserved -= bytes;
    };
    this.#reserved += size;
    return { wrote, release: () => wrote(left) };
  }
}
