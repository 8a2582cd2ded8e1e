// Constants of asm/marks. Generated: change them there, then run `npm run generate`.

export const SIEVE_BYTES = 2048;
export const FIRST_BYTES = 16;
/** Bytes of a slot, of a form and of a mark. */
export const SLOT_BYTES = 4;
export const FORM_BYTES = 8;
export const MARK_BYTES = 16;
/** Readable bytes behind a text and behind a form. */
export const BEHIND = 64;
